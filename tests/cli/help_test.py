# SPDX-License-Identifier: Apache-2.0
"""Tests the help, the version, suggestions for misspelt words, and the exit codes of denoir-cli."""

import re

from program import HAS_BENCH, PACE, Case, main

COMMANDS = ["render", "decode", "verify", "runs", "sweep", "compare", "module", "tokenize", "inspect", "convert", "trace", "compare-traces", "compare-precision"] + ["bench"] * HAS_BENCH


class Help(Case):
    def test_program(self):
        text = self.done("--help").out
        self.assertEqual(re.findall(r"^  ([a-z][a-z-]*)  +\S", text, re.M), COMMANDS)
        self.assertRegex(self.done("--version").out, r"^denoir-cli \d+\.\d+\.\d+\n$")

    def test_commands(self):
        for command in COMMANDS:
            result = self.done(command, "--help")
            self.assertLess(result.seconds, 1.0 * PACE)
            for line in result.out.splitlines():
                self.assertLessEqual(len(line), 140, line)
                self.assertTrue(line.isprintable())
            # The help of an option says its default, that the option is required, or what the flag does.
            for block in re.split(r"\n(?=  --)", result.out)[1:]:
                name, text = block.split()[0], " ".join(block.split())
                flag = name in ("--help", "--json", "--list", "--step")
                self.assertTrue(flag or "default" in text or "required" in text, text)
            # Descriptions begin in one column, also behind "…", which has more bytes than columns.
            beside = [re.search(r"\S  +(?=\S)", line) for line in result.out.splitlines() if line.startswith("  --")]
            self.assertEqual({m.end() for m in beside if m}, {34}, command)

    def test_choices(self):
        """The help and the completions name exactly the words that a request may hold."""
        text = self.done("render", "--help").out
        described = {block.split()[0]: " ".join(block.split()) for block in re.split(r"\n(?=  --)", text)[1:]}
        completion = self.done("completion", "bash").out
        for option in ("--mode", "--family", "--sampler", "--dtype", "--precision", "--preprocess", "--latents"):
            refusal = self.refused("render", option, "none-of-these", "--prompt", "x", "--out", "a.mp4", codes=(2,), names=(option,)).err
            words = re.search(r"[Oo]ne of (.*)", refusal)[1].split(", ")
            self.assertIn(f'{option}) COMPREPLY=($(compgen -W "{" ".join(words)}"', completion)
            for word in words:
                self.assertRegex(described[option], rf"(?<![\w.-]){re.escape(word)}(?![\w-])", option)
            if option == "--sampler": # `module` takes this one, too
                refusal = self.refused("module", "scheduler", "--set", "steps=2", "--set", "sampler=none-of-these", "--out", "a.safetensors", codes=(2,)).err
                self.assertIn(f"use {', '.join(words[:-1])} or {words[-1]}", refusal)
                self.assertIn(f"sampler={'|'.join(words)}", "".join(self.done("module", "--help").out.split()))
        # Completions of a command with words of its own, and of options that belong to no field, come from the tables that the options are read with.
        for line in (r'convert\ --dtype) COMPREPLY=($(compgen -W "f32 bf16 f16"', r'*\ --depth) COMPREPLY=($(compgen -W "8 float"'):
            self.assertIn(line, completion)
        for words, option, of in ((("convert", "a", "b"), "--dtype", "f32, bf16 or f16"), (("convert", "a", "b"), "--layout", "original, diffusers or comfy"),
                                  (("convert", "a", "b"), "--quantize", "q8_0 or fp8_scaled"), (("compare", "a", "b"), "--resize", "no, a or b"),
                                  (("verify", "a"), "--progress", "auto, plain or none")):
            self.refused(*words, option, "x", codes=(2,), names=(f"{option}: 'x' is unknown; use {of}",))

    def test_suggestions(self):
        for words, near in ((["rendr"], "render"), (["tokenise", "x"], "tokenize"), (["render", "--promt", "x"], "--prompt"), (["render", "--seeed=1"], "--seed"),
                            (["module", "noize", "--out", "x"], "noise"), (["module", "noise", "--out", "x", "--set", "sed=1"], "seed"), (["--hlep"], None),
                            (["runs", "--serch", "x"], "--search")):
            result = self.refused(*words, codes=(2,))
            if near:
                self.assertIn(f"did you mean {near}?", result.err)

    def test_names_that_other_programs_have(self):
        """ComfyUI, diffusers, the models' own scripts and stable-diffusion.cpp call these options otherwise, and the spelling alone would suggest none or a
        wrong one."""
        for option, here in (("--guidance-scale", "--guidance"), ("--sample_guide_scale", "--guidance"), ("--cfg", "--guidance"), ("--width", "--size"), ("--output", "--out"), ("-o", "--out"),
                             ("--ckpt_dir", "--model"), ("--num-inference-steps", "--steps"), ("--frame_num", "--frames"), ("--scheduler", "--sampler"), ("--base_seed", "--seed"),
                             ("--teacache_thresh", "--cache-threshold"), ("--end_image", "--last-image"), ("--quiet", "--progress none")):
            self.refused("render", option, "1", "--prompt", "x", "--out", "a.mp4", codes=(2,), names=(f"did you mean {here}?",))
        self.refused("trace", "--num_inference_steps", "4", codes=(2,), names=("did you mean --solver-steps?",))
        self.refused("runs", "--quiet", codes=(2,), names=("see denoir-cli runs --help",))
        self.refused("render", "--ar_step", "5", "--prompt", "x", "--out", "a.mp4", codes=(2,), names=('"forcing": {"ar_step": …}',))

    def test_the_command_comes_first(self):
        self.refused("--prompt", "x", "render", codes=(2,), names=("--prompt: stands before the command; begin with denoir-cli render",))
        self.refused("help", "render", codes=(2,), names=("did you mean render --help?",))
        self.refused("--prompt", "x", codes=(2,), names=("is not an option of the program",))

    def test_usage(self):
        for words in ([], ["render"], ["decode"], ["verify"], ["module"], ["tokenize"], ["inspect"], ["convert"], ["convert", "a"], ["nonsense"], ["-x"],
                      ["render", "--steps"], ["render", "--steps", "--seed", "1"], ["render", "--json=1"], ["render", "a.json", "b.json"],
                      ["render", "--seed", "1", "--seed", "2"], ["decode", "run"], ["runs", "extra"], ["tokenize", "a", "b"],
                      ["render", "--prompt", b"\xff\xfe".decode("utf-8", "surrogateescape"), "--out", "a.mp4"]):
            result = self.refused(*words, codes=(2,))
            self.assertEqual(result.out, "")

    def test_refusal_as_json(self):
        error = self.refused("render", "--steps", "0", "--prompt", "x", "--out", "a.mp4", "--json", codes=(2,)).json()["error"]
        self.assertEqual(set(error), {"file", "field", "message", "hint"})
        self.assertEqual(error["field"], "--steps")
        error = self.refused("inspect", "missing\n\x1b[31m", "--json", codes=(1,)).json()["error"]
        self.assertTrue(error["message"])


if __name__ == "__main__":
    main()
