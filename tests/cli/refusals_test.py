# SPDX-License-Identifier: Apache-2.0
"""Bad input of every kind is refused with one line that names it and exit code 1 or 2, soon, with nothing left behind or overwritten."""

import json
import math
import os
import pathlib
import shutil
import struct
import unittest

from program import FIXTURES, HAS_BENCH, MODEL, PROMPT, Case, main, read_safetensors, sha256, tree, write_safetensors

# Other tests running on the machine can make a refusal take longer than the two seconds that are allowed.
PATIENCE = 10


def copy_model(name, folder, leave=()):
    """Copies a model folder whose files a test may change."""
    shutil.copytree(FIXTURES / "_models" / name, folder, ignore=shutil.ignore_patterns(*leave))
    return folder


def image(path):
    """Writes a grey 32x32 picture as binary PGM."""
    pathlib.Path(path).write_bytes(b"P5\n32 32\n255\n" + bytes(1024))
    return path


class Requests(Case):
    def test_an_empty_value_comes_first(self):
        self.refused("render", "--steps=", codes=(2,), names=("--steps",), timeout=PATIENCE)

    def check(self, text, *more):
        (self.work / "request.json").write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
        return self.refused("render", "request.json", "--out", "out.mp4", *more, timeout=PATIENCE)

    def test_values(self):
        good = {"schema": 1, "model": str(MODEL), "prompt": PROMPT, "width": 80, "height": 48, "frames": 9, "steps": 2, "seed": 1, "dtype": "f32"}
        for key, values in {
            "width": [0, -16, 17, 90, 1 << 40, "80", None, True, [], {}, 80.5], "height": [8, 100000], "frames": [0, 2, 8, -1, 1 << 31, "9"],
            "steps": [0, -1, 1001, 2.5], "guidance": [-1, 101, "5"], "shift": [0, -2, 1e9], "seed": [-1, 1 << 64, 1.5, "7"], "sampler": ["unknown", "", 1],
            "dtype": ["f16", "float32"], "precision": ["wan", "fast"], "device": ["gpu", "cuda:x", "cpu:1"], "threads": [-1, 2000], "latents": ["some"],
            "mode": ["i2v", "flf2v", "forcing", "video"], "family": ["sora"], "schema": [0, 2, "1", None], "model": ["", "missing", "/dev/null", 5],
            "image": ["missing.png", ""], "last_image": ["missing.png"], "noise": [{"file": "missing"}, {"kind": "x"}, {}, 3], "forcing": [{}, {"block": 0}],
            "start": [{"run": "missing", "step": 1}], "preprocess": ["none"], "guidance_low": [3], "guidance_until": [-1, 1001, None, "500"], "unknown": [1], "stesp": [4], "fps": [0, -24, 1e9],
        }.items():
            for value in values:
                result = self.check({**good, key: value})
                if key not in ("mode", "model") and "missing" not in str(value):  # other refusals name what the value does not fit, or the file
                    self.assertIn("steps" if key == "stesp" else key.split("_")[0], result.err)

    def test_numbers_beyond_64_bits(self):
        for number in ("18446744073709551616", "123456789012345678901"):
            for key in ("seed", "steps", "guidance"):
                self.assertIn("a number beyond 64 bits is out of range", self.check(f'{{"schema": 1, "{key}": {number}}}').err)
                self.refused("render", "--prompt", "x", f"--{key}", number, "--out", "o.mp4", codes=(2,), names=(key, f'not "{number}"'), timeout=PATIENCE)
        self.refused("render", "--prompt", "x", "--seed", "-1", "--out", "o.mp4", codes=(2,), names=("leave it out for one that is drawn",))
        number = "9" * 100
        self.refused("render", "--prompt", "x", "--seed", number, "--out", "o.mp4", codes=(2,), names=('not "99999999999999999999', "…"), timeout=PATIENCE)
        size = f"{'9' * 20}x16"
        self.refused("render", "--prompt", "x", "--size", size, "--out", "o.mp4", codes=(2,), names=(f"{size} is out of range; use up to 8192",), timeout=PATIENCE)

    def test_loras_that_are_none(self):
        t2v = FIXTURES / "_models" / "Wan2.1-T2V-tiny"
        inputs = FIXTURES / "_inputs"
        good = (inputs / "style-kohya.safetensors").read_bytes()
        for name, content in {"cut": good[: len(good) // 2], "empty": b"", "text": b"no tensors"}.items():
            (self.work / f"{name}.safetensors").write_bytes(content)
        words = ["render", "--prompt", PROMPT, "--size", "80x48", "--frames", 9, "--steps", 1, "--out", "out.mp4"]
        for file in ("cut.safetensors", "empty.safetensors", "text.safetensors", "missing.safetensors", t2v / "diffusion_pytorch_model.safetensors",
                     t2v / "Wan2.1_VAE.pth", t2v, "/dev/null"):
            self.refused(*words, "--model", t2v, "--lora", file, codes=(1, 2), names=(str(pathlib.Path(file).name),), timeout=PATIENCE)
        self.refused(*words, "--model", FIXTURES / "_models" / "Wan2.1-FLF2V-tiny", "--image", inputs / "landscape.png", "--last-image", inputs / "second.png",
                     "--lora", inputs / "style-kohya.safetensors", codes=(1,), names=("another size",), timeout=PATIENCE)
        self.refused(*words, "--model", t2v, "--lora-strength", 1, names=("--lora-strength",), timeout=PATIENCE)
        self.refused(*words, "--model", t2v, "--lora-expert", "low", names=("--lora-expert",), timeout=PATIENCE)
        for expert in ("x", "", "none"):
            self.refused(*words, "--model", t2v, "--lora", inputs / "style-kohya.safetensors", "--lora-expert", expert, names=("--lora-expert",), timeout=PATIENCE)
        for strength in ("x", "101", "nan", "1e999", ""):
            self.refused(*words, "--model", t2v, "--lora", inputs / "style-kohya.safetensors", "--lora-strength", strength, names=("--lora-strength",), timeout=PATIENCE)
        self.refused(*words, "--model", t2v, "--lora", "a", "--lora", "b", "--lora", "c", "--lora-strength", 1, "--lora-strength", 2, names=("--lora-strength",),
                     timeout=PATIENCE)

    def test_weights_in_place_of_a_request(self):
        t2v = FIXTURES / "_models" / "Wan2.1-T2V-tiny"
        self.done("convert", t2v / "diffusion_pytorch_model.safetensors", "t2v.gguf", "--quantize", "q8_0")
        for command in (("render", "--out", "o.mp4"), ("sweep", "--axis", "steps=1,2", "--out", "s"), ("trace", "--out", "t.safetensors")):
            for file in (t2v / "diffusion_pytorch_model.safetensors", t2v / "Wan2.1_VAE.pth", "t2v.gguf"):
                self.refused(command[0], file, *command[1:], "--prompt", "x", codes=(1,), names=(pathlib.Path(file).name, "--model", "--lora"), timeout=PATIENCE)
            self.refused(command[0], t2v, *command[1:], "--prompt", "x", codes=(1,), names=(t2v.name, "--model"), timeout=PATIENCE)

    def test_a_prompt_in_place_of_a_request(self):
        self.refused("render", "A red fox.", "--out", "o.mp4", codes=(1,), names=("A red fox.", "--prompt"))
        self.refused("render", "--prompt", "A", "fox.", "--out", "o.mp4", codes=(1,), names=("fox.", "in quotes"))

    def test_nothing_but_an_output_is_no_request(self):
        for command in ("render", "trace"):
            for words in ((), ("--out", "o"), ("--progress", "none", "--out", "o")):
                self.refused(command, *words, codes=(2,), names=(f"nothing to {command}", "--prompt"))
            self.refused(command, "--size", "0x0", "--out", "o.mp4", codes=(2,), names=("--size",))

    def test_options_without_a_prompt_are_a_request(self):
        words = ("--model", MODEL, "--size", "32x32", "--frames", 1, "--steps", 1, "--seed", 7, "--no-metadata")
        self.assertRegex(self.done("render", *words, "--out", "a.mkv").err, "^warning: no prompt is given[^\n]*--prompt TEXT[^\n]*\n$")
        self.assertEqual(self.done("render", *words, "--prompt", "", "--out", "b.mkv").err, "")
        self.assertEqual(*((self.work / name).read_bytes() for name in ("a.mkv", "b.mkv")))

    def test_caches_that_are_none(self):
        words = ["render", "--prompt", PROMPT, "--size", "80x48", "--frames", 9, "--steps", 1, "--out", "out.mp4", "--model", FIXTURES / "_models" / "Wan2.1-T2V-tiny"]
        for threshold in ("x", "10.5", "-1", "nan", "1e999", ""):
            self.refused(*words, "--cache-threshold", threshold, names=("--cache-threshold",), timeout=PATIENCE)
        self.refused(*words, "--cache-ret-steps", names=("--cache-ret-steps", "--cache-threshold"), timeout=PATIENCE)

    def test_more_than_the_disk_holds(self):
        # Four times the free space, in a file that takes none. ThreadSanitizer cannot map terabytes.
        elements = min(shutil.disk_usage(self.work).free // 1024 * 1024, 1 << 41)
        header = json.dumps({"w": {"dtype": "F32", "shape": [elements // 1024, 1024], "data_offsets": [0, 4 * elements]}}).encode()
        header += b" " * (-len(header) % 8)  # the safetensors library also pads it; tensors that are not aligned would be copied
        with open(self.work / "sparse.safetensors", "wb") as file:
            file.write(struct.pack("<Q", len(header)) + header)
            file.truncate(8 + len(header) + 4 * elements)
        for more in ((), ("--dtype", "bf16")):
            self.refused("convert", "sparse.safetensors", "o.safetensors", *more, codes=(1,), names=("o.safetensors", "disk"), timeout=PATIENCE)

    def test_names_as_they_were_written(self):
        # Each refusal uses the user's own words: the option, or the file and its field.
        good = {"schema": 1, "model": str(MODEL), "prompt": PROMPT, "width": 80, "height": 48, "frames": 9, "steps": 2, "seed": 1, "dtype": "f32"}
        for wrong, field in (({"guidance_low": 3}, "guidance_low"), ({"precision": "wan"}, "precision"), ({"mode": "flf2v"}, "image")):
            self.assertIn(f"denoir-cli: request.json: {field}:", self.check(good | wrong).err)
        for words, option in ((("--guidance-low", 3), "--guidance-low"), (("--precision", "wan"), "--precision"), (("--device", "cuda:97"), "--device"),
                              (("--noise", "torch-cuda:x"), "--noise"), (("--steps", "many"), "--steps"), (("--last-image", ""), "--last-image"),
                              (("--cache-threshold", "x"), "--cache-threshold"), (("--lora", "a", "--lora-strength", 101), "--lora-strength")):  # fmt: skip
            result = self.refused("render", "--model", MODEL, "--prompt", PROMPT, "--size", "80x48", "--frames", 9, "--dtype", "f32", "--out", "o.mp4", *words)
            self.assertIn(f"denoir-cli: {option}:", result.err)
            self.assertIn(f"denoir-cli: {option}:", self.check(good, *words).err)

    def test_paths_as_they_were_written(self):
        # This is noticed during the run, whose paths are absolute by then.
        lora = read_safetensors(FIXTURES / "_inputs" / "style-kohya.safetensors")
        name = next(n for n in lora if n.endswith("lora_down.weight"))
        dtype, shape, raw = lora[name]
        write_safetensors(self.work / "nan.safetensors", lora | {name: (dtype, shape, b"\xff" * len(raw))})
        copy_model("Wan2.1-T2V-tiny", self.work / "Wan2.1-T2V-nan")
        weights = self.work / "Wan2.1-T2V-nan" / "diffusion_pytorch_model.safetensors"
        weights.write_bytes(weights.read_bytes()[:-4096] + b"\xff" * 4096)
        words = ("render", "--prompt", PROMPT, "--size", "80x48", "--frames", 9, "--steps", 1, "--out", "o.mp4")
        self.refused(*words, "--model", FIXTURES / "_models" / "Wan2.1-T2V-tiny", "--lora", "nan.safetensors", codes=(1,), names=("denoir-cli: nan.safetensors: lora_unet",))
        self.refused(*words, "--model", "Wan2.1-T2V-nan", codes=(1,), names=("denoir-cli: Wan2.1-T2V-nan/diffusion_pytorch_model.safetensors:", "not finite"))

    def test_windows(self):
        good = {"schema": 1, "model": str(FIXTURES / "_models" / "SkyReels-V2-DF-tiny"), "prompt": PROMPT, "width": 64, "height": 48, "frames": 25, "steps": 2}
        for forcing, field in (
            ({"base": 12}, "forcing.base"), ({"base": 0}, "forcing.base"), ({"base": "13"}, "forcing.base"), ({"base": 1 << 40}, "forcing.base"),
            ({"base": 13}, "forcing.overlap"), ({"base": 13, "overlap": 13}, "forcing.overlap"), ({"base": 13, "overlap": 8}, "forcing.overlap"),
            ({"base": 17, "overlap": 5, "block": 2}, "forcing.base"), ({"base": 13, "overlap": 5, "block": 2}, "frames"),
            ({"base": 13, "overlap": 9, "block": 2}, "forcing.block"), ({"condition_noise": 1000}, "forcing.condition_noise"),
            ({"condition_noise": -1}, "forcing.condition_noise"), ({"condition_noise": 2.5}, "forcing.condition_noise"),
        ):  # fmt: skip
            self.assertIn(field, self.check(good | {"forcing": forcing}).err)
        self.assertIn("frames", self.check(good | {"frames": 16385, "steps": 1000, "forcing": {"base": 5, "overlap": 1}}).err)

    def test_a_video_to_go_on_after(self):
        good = {"schema": 1, "model": str(FIXTURES / "_models" / "SkyReels-V2-DF-tiny"), "prompt": PROMPT, "width": 80, "height": 48, "frames": 13, "steps": 2,
                "seed": 1, "dtype": "f32"}  # fmt: skip
        frames = FIXTURES / "_inputs" / "before"  # a folder of eleven pictures
        os.mkfifo(self.work / "pipe.mp4")
        (self.work / "empty").mkdir()
        (self.work / "text.mp4").write_text("no video")
        cut = (pathlib.Path(__file__).resolve().parents[2] / "resources" / "samples" / "first.mp4").read_bytes()
        (self.work / "cut.mp4").write_bytes(cut[: len(cut) // 2])
        for name in ("missing.mp4", "pipe.mp4", "empty", "text.mp4", "cut.mp4", "http://localhost/a.mp4"):
            result = self.check(good | {"forcing": {"video": name, "overlap": 5}})
            self.assertIn(name, result.err)
            self.assertFalse((self.work / "out.mp4").exists())
        for forcing, field in (
            ({"overlap": 13}, "forcing.overlap"), ({"overlap": 6}, "forcing.overlap"), ({"overlap": 9, "video_frames": 12}, "forcing.video_frames"),
            ({"overlap": 9, "video_frames": 8}, "forcing.overlap"), ({"overlap": 9, "block": 2}, "forcing.block"), ({"overlap": 9.5}, "forcing.overlap"),
            ({"overlap": 9, "video_frames": 0}, "forcing.video_frames"), ({"overlap": None}, "forcing.overlap"), ({"overlapp": 9}, "forcing.overlapp"),
        ):  # fmt: skip
            self.assertIn(field, self.check(good | {"forcing": {"video": str(frames)} | forcing}).err)
        self.assertIn("forcing.video_frames", self.check(good | {"forcing": {"video_frames": 9}}).err)
        self.assertIn("forcing.video", self.check(good | {"image": str(frames / "frame_1.png"), "forcing": {"video": str(frames), "overlap": 9}}).err)
        # The video that the clip goes on after is an input and must not be overwritten.
        shutil.copy(pathlib.Path(__file__).resolve().parents[2] / "resources" / "samples" / "first.mp4", self.work / "out.mp4")
        before = sha256(self.work / "out.mp4")
        self.check(good | {"forcing": {"video": "out.mp4", "overlap": 5}})
        self.assertEqual(sha256(self.work / "out.mp4"), before)
        (self.work / "request.json").write_text(json.dumps(good | {"forcing": {"video": "out.mp4", "overlap": 5}}))
        self.refused("trace", "request.json", "--layers", "latent", "--out", "out.mp4", timeout=PATIENCE)
        self.assertEqual(sha256(self.work / "out.mp4"), before)
        # In a folder only its pictures are inputs.
        shutil.copytree(frames, self.work / "frames")
        picture = sha256(self.work / "frames" / "frame_3.png")
        (self.work / "request.json").write_text(json.dumps(good | {"forcing": {"video": "frames", "overlap": 5}}))
        self.refused("trace", "request.json", "--layers", "latent", "--out", "frames/frame_3.png", timeout=PATIENCE)
        self.assertEqual(sha256(self.work / "frames" / "frame_3.png"), picture)
        shutil.copy(FIXTURES / "_inputs" / "landscape.png", self.work / "frames" / "frame_2.png")
        self.assertIn("90x60", self.check(good | {"forcing": {"video": "frames", "overlap": 9, "video_frames": 9}}).err)

    def test_texts(self):
        for text in ("", "{", "[]", "nul", '{"schema": 1, "steps": 1, "steps": 2}', '{"schema": 1, "guidance": NaN}', '{"schema": 1, "guidance": 1e400}',
                     '{"schema": 1} x', '{"schema": 1, "prompt": "\\u0000"}', "[" * 100000, '{"schema": 1, "prompt": "\\ud800"}'):
            self.check(text)
        (self.work / "request.json").write_bytes(b'{"schema": 1, "prompt": "\xff"}')
        self.refused("render", "request.json", "--out", "out.mp4", timeout=PATIENCE)

    def test_noise_that_is_none(self):
        count = 16 * 3 * 6 * 10
        numbers = struct.pack("<f", 0.5) * (count - 1)
        for dtype, raw in (("I32", bytes(4 * count)), ("BOOL", bytes(count)), ("F32", numbers + struct.pack("<f", math.nan)), ("F32", numbers + struct.pack("<f", math.inf))):
            write_safetensors(self.work / "noise.safetensors", {"noise": (dtype, [16, 3, 6, 10], raw)})
            self.refused("render", "--model", MODEL, "--prompt", "x", "--size", "80x48", "--frames", 9, "--steps", 1, "--noise", "noise.safetensors", "--out", "out.mp4",
                         names=("noise.safetensors", "noise"), timeout=PATIENCE)  # fmt: skip
        # Huge numbers are valid numbers, so what they lead to is not blamed on the weights alone.
        write_safetensors(self.work / "noise.safetensors", {"noise": ("F32", [16, 3, 6, 10], numbers + struct.pack("<f", 3e38))})
        result = self.run_cli("render", "--model", MODEL, "--prompt", "x", "--size", "80x48", "--frames", 9, "--steps", 1, "--noise", "noise.safetensors", "--out", "out.mp4",
                              "--run-dir", "run", timeout=PATIENCE)  # fmt: skip
        self.assertEqual(result.code, 1)
        self.assertIn("render without noise.safetensors; else", result.err)

    def test_defaults_of_a_model(self):
        for defaults in ({"steps": 1e300}, {"steps": 2.5}, {"steps": "x"}, {"guidance": -1}, {"width": 0}, {"frames": None, "fps": 0}, {"negative_prompt": 3}, 5, []):
            model = copy_model("Wan2.1-T2V-tiny-Diffusers", self.work / "model")
            config = model / "transformer" / "config.json"
            config.write_text(json.dumps(json.loads(config.read_text()) | {"defaults": defaults}))
            self.refused("render", "--model", "model", "--prompt", "x", "--out", "out.mp4", names=("config.json", "defaults"), codes=(1,), timeout=PATIENCE)
            shutil.rmtree(model)

    @unittest.skipUnless(HAS_BENCH, "built without benchmarks")
    def test_benchmarks(self):
        for words in (["--model", "nope"], ["--model", MODEL, "--size", "17x17"], ["--model", MODEL, "--frames", "6"], ["--model", MODEL, "--dtype", "f16"],
                      ["--model", MODEL, "--image", "nope"], ["--list", "--threads", "-1"], ["--list", "--device", "tpu"], ["--size", "64x48"], ["--only", ""]):
            self.refused("bench", *words, timeout=PATIENCE)

    def test_where_a_syntax_error_is(self):
        self.assertIn("byte order mark", self.check("\ufeff" + '{"schema": 1}').err)
        self.assertIn('request.json: "": is not a key', self.check('{"schema": 1, "": 5}').err)
        self.assertIn("use denoir-cli sweep", self.check({"schema": 1, "request": {"prompt": "x"}, "axes": {"steps": [1, 2]}}).err)
        self.assertRegex(self.check('{"schema": 1,\n "steps": }').err, "line 2, column")

    def test_no_regular_file(self):
        os.mkfifo(self.work / "pipe")
        (self.work / "folder").mkdir()
        (self.work / "bom.json").write_bytes(b"\xef\xbb\xbf{}")
        for name in ("pipe", "folder", "missing", "/dev/zero", "http://localhost/request.json", "bom.json", "no\u200bfile", "no\u3000file", "no\ue000file", "no\U000e0001file"):
            self.refused("render", name, "--out", "out.mp4", timeout=PATIENCE)


class Outputs(Case):
    def refuse_out(self, out, *more, names=()):
        return self.refused(*self.render_words(out, *more, steps=1), timeout=PATIENCE, names=names)

    def test_places(self):
        (self.work / "folder.mp4").mkdir()
        (self.work / "full").mkdir()
        (self.work / "full" / "file").write_text("x")
        os.mkfifo(self.work / "pipe.mp4")
        for out in ("folder.mp4", "full", "pipe.mp4", "missing/out.mp4", "/dev/null", "", "out.avi", "out.gif", "full/file/out.mp4", "n" * 300 + ".mp4"):
            self.refuse_out(out)

    def test_what_a_codec_does_not_write(self):
        """Refused before the first step and not after the last."""
        self.refused("render", "--prompt", "x", "--size", "8192x2048", "--frames", 1, "--steps", 1, "--out", "out.mkv", codes=(2,), names=("8192x2048", "FFV1"), timeout=PATIENCE)

    def test_inputs(self):
        picture = image(self.work / "start.mp4")
        before = sha256(picture)
        os.symlink(picture, self.work / "link.mp4")
        os.link(picture, self.work / "hard.mp4")
        model = FIXTURES / "_models" / "SkyReels-V2-I2V-tiny"
        for out in ("start.mp4", "./start.mp4", "link.mp4", "hard.mp4", "../work/start.mp4"):
            self.refused("render", "--model", model, "--prompt", "x", "--image", picture, "--size", "80x48", "--frames", 5, "--steps", 1, "--out", out, timeout=PATIENCE)
        self.assertEqual(sha256(picture), before)
        weights = copy_model("Wan2.1-T2V-tiny-Diffusers", self.work / "model")
        target = weights / "vae" / "diffusion_pytorch_model.safetensors"
        os.link(target, self.work / "out.mp4")
        self.refused("render", "--model", "model", "--prompt", "x", "--size", "80x48", "--frames", 5, "--steps", 1, "--dtype", "f32", "--out", "out.mp4", timeout=PATIENCE)

    def test_inputs_that_were_not_named(self):
        model = copy_model("Wan2.1-T2V-tiny", self.work / "model")
        one = ("--family", "wan", "--prompt", "x", "--size", "80x48", "--frames", 5, "--steps", 1, "--seed", 1, "--guidance", 1)
        weights = model / "diffusion_pytorch_model.safetensors"
        self.done("render", "--model", weights, *one, "--out", "out.mp4", "--run-dir", "run")
        (model / "Wan2.1_VAE.pth").rename(self.work / "vae.mp4")
        (model / "Wan2.1_VAE.pth").symlink_to(self.work / "vae.mp4")
        before = {p: sha256(self.work / p) for p in tree(self.work) if (self.work / p).is_file()}
        parts = sorted(p for p in model.iterdir() if p.is_file() and p != weights)
        self.assertGreaterEqual(len(parts), 3)
        write_safetensors(self.folder / "in.safetensors", {"ids": ("I32", [2], bytes(8))})
        for part in parts:
            self.refused("trace", "--model", weights, *one, "--layers", "patch_embedding", "--out", part, names=(part.name,), timeout=PATIENCE)
            for command in (("compare-precision", "--model", "model", *one), ("compare", "run", "run")):
                self.refused(*command, "--csv", part, names=(part.name,), timeout=PATIENCE)
        self.refused("decode", "run", "--out", "vae.mp4", names=("vae.mp4",), timeout=PATIENCE)
        self.refused("render", "--model", weights, *one, "--out", "vae.mp4", names=("vae.mp4",), timeout=PATIENCE)
        self.refused("convert", weights, model / "config.json", names=("config.json",), timeout=PATIENCE)
        self.refused("module", "wan-transformer", "--weights", weights, "--inputs", self.folder / "in.safetensors", "--out", model / "config.json",
                     names=("config.json",), timeout=PATIENCE)  # fmt: skip
        self.assertEqual({p: sha256(self.work / p) for p in before}, before)

    def test_what_is_made_in_a_folder_that_is_read(self):
        model = copy_model("Wan2.1-T2V-tiny-Diffusers", self.work / "model")
        one = ("--model", ".", "--prompt", "x", "--size", "80x48", "--frames", 5, "--steps", 1, "--seed", 1, "--dtype", "f32")
        self.done("render", *one, "--out", "frames", "--run-dir", "run", cwd=model)
        for _ in range(2):  # the second time the output exists already
            self.done("render", *one, "--out", "out.mp4", cwd=model)
            self.done("decode", "run", "--step", 0, "--out", "run/draft.mp4", cwd=model)
            self.done("compare", "run", "run", "--csv", "t.csv", "--report", "run/r.html", cwd=model)
        self.refused("decode", "run", "--out", "run/video.mp4", cwd=model, names=("video.mp4",), timeout=PATIENCE)
        self.refused("trace", *one[:8], "--solver-steps", 1, "--out", "transformer/diffusion_pytorch_model.safetensors", cwd=model, timeout=PATIENCE)

    def test_places_that_cannot_hold_the_result(self):
        (self.work / "d.mp4").mkdir()
        (self.work / "frames").mkdir()
        (self.work / "run").mkdir()
        (self.work / "link").symlink_to("nowhere")
        for out in ("d.mp4/", "n.mp4/", "n.mkv/", "n.avi/", "link"):
            self.refuse_out(out)
        self.refuse_out("./new", "--run-dir", "new")
        self.refuse_out(self.work / "new", "--run-dir", "new/")
        self.refuse_out("frames", "--run-dir", "frames/run")
        self.refuse_out("run/latents", "--run-dir", "run")
        self.refuse_out("/proc/out.mp4")

    def test_run_folder(self):
        (self.work / "run").mkdir()
        (self.work / "run" / "file").write_text("x")
        self.refuse_out("out.mp4", "--run-dir", "run")
        self.refuse_out("out.mp4", "--run-dir", "missing/run")
        self.refuse_out("same", "--run-dir", "same")
        for command in (["decode", "run", "--out", "o.mp4"], ["verify", "run"], ["render", "--resume", "run"], ["render", "--from", "run", "--step", "1", "--out", "o.mp4"]):
            self.refused(*command, timeout=PATIENCE)

    def test_no_space(self):
        # A limit on the size of files stands in for a full disk: the first write beyond it fails.
        import resource

        self.refused("module", "noise", "--set", "seed=1", "--set", "shape=64,64,64", "--out", "noise.safetensors", codes=(1,),
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)), timeout=PATIENCE)

    def test_full_disk(self):
        import subprocess

        disk = self.work / "disk"
        disk.mkdir()
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "none", str(disk)], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("needs to mount a small tmpfs")
        try:
            # The run is on another disk, and only its frames do not fit.
            self.refused("render", "--model", MODEL, "--prompt", "x", "--size", "480x480", "--frames", 5, "--steps", 1, "--seed", 1, "--dtype", "f32", "--guidance", 1,
                         "--run-dir", self.folder / "run", "--out", "disk/frames", codes=(1,), names=("denoir-cli: disk/frames/frame_",))
            # Here the run itself does not fit.
            self.refused(*self.render_words("out.mp4", "--run-dir", "disk/run", steps=1), codes=(1,), timeout=PATIENCE, names=("denoir-cli: disk/run:",))
            self.refused("sweep", "--model", MODEL, "--prompt", "x", "--size", "80x48", "--frames", 9, "--axis", "steps=1,2", "--out", "disk/sweep", codes=(1,),
                         timeout=PATIENCE, names=("denoir-cli: disk/sweep:",))
        finally:
            subprocess.run(["umount", str(disk)], check=False)


class Models(Case):
    def refuse_model(self, model, *more, names=()):
        return self.refused("render", "--model", model, "--prompt", "x", "--size", "80x48", "--frames", 5, "--steps", 1, "--dtype", "f32", "--out", "out.mp4", *more,
                            timeout=PATIENCE, names=names)

    def test_inspect_says_of_several_models_what_render_says(self):
        models = self.work / "ComfyUI" / "models" / "diffusion_models"
        models.mkdir(parents=True)
        for name in "ab":
            shutil.copy(MODEL / "transformer" / "diffusion_pytorch_model.safetensors", models / f"{name}.safetensors")
        expected = "ComfyUI: several transformers are there (a.safetensors, b.safetensors)"
        self.refuse_model("ComfyUI", names=(expected,))
        self.refused("inspect", "ComfyUI", codes=(1,), names=(expected,))

    def test_missing_parts(self):
        for part in ("transformer", "vae", "text_encoder", "tokenizer"):
            model = copy_model("Wan2.1-T2V-tiny-Diffusers", self.work / f"no-{part}", (part,))
            self.refuse_model(model)

    def test_a_low_noise_expert_of_a_model_of_one_transformer(self):
        for model in (MODEL, FIXTURES / "_models" / "Wan2.1-T2V-tiny", FIXTURES / "_models" / "Wan2.2-TI2V-tiny"):
            low = model / "transformer" if model == MODEL else model / "diffusion_pytorch_model.safetensors"
            self.refused("render", "--model", model, "--prompt", PROMPT, "--size", "64x64", "--frames", 5, "--steps", 1, "--out", "o.mp4", "--low-noise", low, codes=(2,), names=("denoir-cli: --low-noise: only Wan 2.2 A14B has a low-noise expert; leave it out",))

    def test_damaged_parts(self):
        for part in ("transformer/diffusion_pytorch_model.safetensors", "vae/diffusion_pytorch_model.safetensors", "text_encoder/model.safetensors",
                     "transformer/config.json", "tokenizer/tokenizer.json"):
            for kind in ("short", "empty", "noise", "pipe"):
                model = copy_model("Wan2.1-T2V-tiny-Diffusers", self.work / "model")
                file = model / part
                data = file.read_bytes()
                file.unlink()
                if kind == "pipe":
                    os.mkfifo(file)
                else:
                    file.write_bytes({"short": data[: len(data) // 2], "empty": b"", "noise": bytes(range(256)) * 40}[kind])
                self.refuse_model(model)
                shutil.rmtree(model)

    def test_a_tokenizer_that_nobody_can_look_for(self):
        (self.work / "folder").mkdir()
        self.refused("tokenize", "--model", "folder", "x", codes=(1,), names=("holds no tokenizer.json",))
        (self.work / "folder" / "tokenizer.json").symlink_to("tokenizer.json")  # a link in a circle cannot be read, even by root
        self.refused("tokenize", "--model", "folder", "x", codes=(1,), names=("cannot be looked for",))

    def test_what_cannot_be_looked_at_is_not_called_absent(self):
        loop = self.work / "loop"
        loop.symlink_to("loop")  # stands in for a folder that a user may not read, since root may
        words = ("render", "--prompt", "x", "--out", "o.mp4")
        for words in ((*words, "--model", loop), (*words, "--vae", loop), (*words, "--tokenizer", loop), (*words, "--lora", loop), ("verify", loop), ("decode", loop, "--out", "o.mp4"),
                      ("render", "--resume", loop), ("tokenize", "--model", loop, "x")):  # fmt: skip
            self.refused(*words, codes=(1,), names=("symbolic links lead in a circle; name the file itself",))

    @unittest.skipUnless(os.geteuid() == 0, "needs to become somebody else")
    def test_a_lora_that_is_not_ours_to_read(self):
        (self.work / "a.safetensors").write_bytes(b"{}")
        (self.work / "a.safetensors").chmod(0)
        for place in (self.folder, self.work):
            place.chmod(0o777)
        try:
            self.refused("render", "--prompt", "x", "--lora", "a.safetensors", "--out", "o.mp4", codes=(1,), names=("a.safetensors: permission denied; change the permissions",),
                         preexec_fn=lambda: os.setuid(54321))  # fmt: skip
        except PermissionError:
            self.skipTest("the program lies where other users may not go")

    def test_a_tokenizer_that_a_model_leads_to(self):
        model = copy_model("Wan2.1-T2V-tiny", self.work / "model")
        (model / "google" / "umt5-xxl" / "tokenizer.json").write_text("{")
        self.refused("tokenize", "--model", "model", "x", codes=(1,), names=("denoir-cli: model/google/umt5-xxl/tokenizer.json: ",), timeout=PATIENCE)

    def test_weights_that_are_no_numbers(self):
        """In any part of the network: attention must not hide them either."""
        parts = {"transformer/diffusion_pytorch_model.safetensors": ("proj_out.bias", "blocks.0.attn1.to_q.weight", "blocks.1.attn2.to_k.bias", "blocks.0.attn1.to_v.weight"),
                 "text_encoder/model.safetensors": ("encoder.block.0.layer.0.SelfAttention.k.weight", "encoder.final_layer_norm.weight"),
                 "vae/diffusion_pytorch_model.safetensors": ("decoder.conv_out.bias", "decoder.mid_block.attentions.0.to_qkv.bias")}
        for part, names in parts.items():
            for name in names:
                model = copy_model("Wan2.1-T2V-tiny-Diffusers", self.work / "model")
                tensors = read_safetensors(model / part)
                dtype, shape, raw = tensors[name]
                number = {"F32": b"\0\0\xc0\x7f", "BF16": b"\xc0\x7f", "F16": b"\0\x7e"}[dtype]
                (model / part).unlink()
                write_safetensors(model / part, tensors | {name: (dtype, shape, number * (len(raw) // len(number)))})
                result = self.refuse_model(model, names=(part, "not finite"))
                self.assertEqual(result.code, 1)
                shutil.rmtree(model)

    def test_weights_that_are_whole_numbers(self):
        model = copy_model("Wan2.1-T2V-tiny-Diffusers", self.work / "model")
        file = model / "text_encoder" / "model.safetensors"
        tensors = read_safetensors(file)
        file.unlink()
        for name in ("shared.weight", "encoder.embed_tokens.weight"):
            if name in tensors:
                shape = tensors[name][1]
                write_safetensors(file, tensors | {name: ("U8", shape, bytes(math.prod(shape)))})
                self.refuse_model(model, names=("text_encoder", "is of type u8"))

    def test_what_a_config_says(self):
        """The refusal names config.json, and the key under the name that it has there."""
        for part, key, value in (("transformer", "in_channels", 12), ("transformer", "num_attention_heads", 7), ("transformer", "qk_norm", "none"),
                                 ("transformer", "eps", 0), ("vae", "temperal_downsample", []), ("vae", "latents_mean", [0]), ("text_encoder", "d_ff", 3)):  # fmt: skip
            model = copy_model("Wan2.1-T2V-tiny-Diffusers", self.work / "model")
            file = model / part / "config.json"
            config = json.loads(file.read_text()) if file.exists() else {}
            file.unlink(missing_ok=True)
            file.write_text(json.dumps(config | {key: value}))
            result = self.refused("render", "--model", "model", "--prompt", "x", "--frames", 5, "--size", "32x32", "--out", "out.mp4", codes=(1,), timeout=PATIENCE)
            self.assertIn(f"denoir-cli: model/{part}/config.json: {key}: ", result.err)
            shutil.rmtree(model)

    def test_a_vocabulary_that_is_too_small(self):
        model = copy_model("Wan2.1-T2V-tiny-Diffusers", self.work / "model")
        file, config = model / "text_encoder" / "model.safetensors", model / "text_encoder" / "config.json"
        tensors = read_safetensors(file)
        file.unlink()
        config.unlink(missing_ok=True)
        for name in {"shared.weight", "encoder.embed_tokens.weight"} & set(tensors):
            dtype, shape, raw = tensors[name]
            tensors[name] = (dtype, [2, shape[1]], raw[: len(raw) // shape[0] * 2])
        write_safetensors(file, tensors)
        result = self.run_cli("render", "--model", "model", "--prompt", "x", "--frames", 5, "--size", "32x32", "--out", "out.mp4", "--run-dir", "run", timeout=PATIENCE)
        self.assertEqual(result.code, 1)
        self.assertRegex(result.err, "denoir-cli: model/tokenizer[^:]*: tokens: .* is not in the vocabulary of 2")

    def test_a_lora_of_huge_numbers(self):
        t2v = FIXTURES / "_models" / "Wan2.1-T2V-tiny"
        lora = read_safetensors(FIXTURES / "_inputs" / "style-kohya.safetensors")
        huge = {"F32": struct.pack("<f", 3e38), "BF16": b"\x7f\x7f", "F16": b"\xff\x7b"}
        write_safetensors(self.work / "huge.safetensors", {n: (t, s, raw if n.endswith("alpha") else huge[t] * (len(raw) // len(huge[t]))) for n, (t, s, raw) in lora.items()})
        result = self.run_cli("render", "--model", t2v, "--prompt", "x", "--frames", 5, "--size", "32x32", "--steps", 1, "--lora", "huge.safetensors",
                              "--out", "out.mp4", "--run-dir", "run", timeout=PATIENCE)  # fmt: skip
        self.assertEqual(result.code, 1)
        self.assertIn("render without huge.safetensors", result.err)

    def test_a_clip_that_is_no_whole_number_of_causal_blocks(self):
        model = copy_model("Wan2.1-T2V-tiny-Diffusers", self.work / "model")
        config = json.loads((model / "transformer" / "config.json").read_text())
        (model / "transformer" / "config.json").unlink()
        (model / "transformer" / "config.json").write_text(json.dumps(config | {"num_frame_per_block": 3}))
        self.refuse_model(model, "--run-dir", "run", names=("num_frame_per_block", "2 latent frames", "choose 9 frames"))

    def test_images(self):
        model = FIXTURES / "_models" / "SkyReels-V2-I2V-tiny"
        picture = image(self.work / "start.pgm")
        short = self.work / "short.pgm"
        short.write_bytes(picture.read_bytes()[:500])
        (self.work / "text.png").write_text("no picture")
        os.mkfifo(self.work / "pipe.png")
        for name in ("short.pgm", "text.png", "pipe.png", "missing.png", ".", "/dev/zero", "file:start.pgm", "start_%03d.pgm"):
            self.refuse_model(model, "--image", name)
        self.refuse_model(model)  # an image-to-video model without an image
        self.refuse_model(MODEL, "--image", picture)  # and an image for a text-to-video model


if __name__ == "__main__":
    main()
