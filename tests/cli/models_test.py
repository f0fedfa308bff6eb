# SPDX-License-Identifier: Apache-2.0
"""Renders with several models: which one a request means, what it consists of, and which modes it has."""

import json
import pathlib
import shutil

from program import FIXTURES, MODEL, PROMPT, Case, latents, main, write_safetensors


class Models(Case):
    def test_a_model_made_for_few_steps(self):
        shutil.copytree(MODEL, self.work / "wan-lightx2v-4steps")
        words = ("render", "--model", "wan-lightx2v-4steps", "--prompt", PROMPT, "--size", "32x32", "--frames", 1, "--seed", 7, "--out")
        expected = "wan-lightx2v-4steps is made for few steps: use --steps 4 --guidance 1 --shift 5"
        left_open = self.done(*words, "a.mp4", "--steps", 1, "--run-dir", "run")
        self.assertIn(f"warning: {expected}\n", left_open.err)
        record = json.loads((self.work / "run" / "run.json").read_text())
        self.assertEqual((record["warnings"], record["request"]["guidance"]), ([expected], 5.0))
        self.assertNotIn("few steps", self.done(*words, "b.mp4", "--steps", 1, "--guidance", 1).err)

    def test_parts_of_a_model_that_lie_elsewhere(self):
        """The parts give the same latents as a folder that holds them all. They are stored with the run and used to decode it."""
        for folder, part in (("alone", "transformer"), ("files", "vae"), ("files", "text_encoder"), ("files", "tokenizer")):
            shutil.copytree(MODEL / part, self.work / folder / part)
        common = ("--family", "wan", "--prompt", PROMPT, "--size", "32x32", "--frames", 5, "--steps", 2, "--seed", 7, "--out")
        self.done("render", "--model", MODEL, *common, "whole.mp4", "--run-dir", "whole")
        words = ("render", "--model", "alone", *common)
        self.assertIn("the text encoder is missing", self.refused(*words, "none.mp4").err)
        named = {"vae": "files/vae", "text_encoder": "files/text_encoder", "tokenizer": "files/tokenizer"}
        options = [w for part, place in named.items() for w in (f"--{part.replace('_', '-')}", place)]
        self.done(*words, "out.mp4", "--run-dir", "run", *options)
        self.assertEqual(latents(self.work / "run"), latents(self.work / "whole"))
        stored = json.loads((self.work / "run" / "run.json").read_text())["request"]["parts"]
        self.assertEqual(stored, {part: str(self.work / place) for part, place in named.items()})
        self.done("decode", "run", "--out", "again.mkv")
        self.done("decode", "whole", "--out", "whole.mkv")
        self.done("compare", "again.mkv", "whole.mkv", "--json")
        wrong = self.refused(*words, "none.mp4", *options[2:], "--vae", "alone/transformer")
        self.assertIn("alone/transformer: holds no VAE (found: transformer)", wrong.err)
        self.assertIn("the VAE is missing; put Wan2.1_VAE.pth or vae/ beside", self.refused(*words, "none.mp4", *options[2:]).err)
        shutil.copytree(MODEL / "tokenizer", self.work / "alone/vae")
        self.assertIn("the VAE is missing; vae is there, but holds no weights", self.refused(*words, "none.mp4", *options[2:]).err)
        write_safetensors(self.work / "alone/vae/other.safetensors", {"x": ("F32", [1], bytes(4))})
        self.assertIn("the VAE is missing; vae is there, but is none", self.refused(*words, "none.mp4", *options[2:]).err)
        self.assertIn("nosuch: no such file or folder", self.refused(*words, "none.mp4", *options[:4], "--tokenizer", "nosuch").err)

    def test_a_model_beside_the_request_is_not_one_where_we_are(self):
        (self.work / "jobs").mkdir()
        (self.work / "jobs" / "r.json").write_text(json.dumps({"schema": 1, "model": "mine", "prompt": "p", "width": 80, "height": 48, "frames": 5, "steps": 1, "dtype": "f32"}))
        (self.work / "mine").symlink_to(MODEL)
        self.refused("render", "jobs/r.json", "--out", "refused.mp4", names=("mine",))
        (self.home / "data" / "models").mkdir(parents=True)
        (self.home / "data" / "models" / "mine").symlink_to(MODEL)
        run = self.done("render", "jobs/r.json", "--out", "out.mp4", "--json").json()["run"]
        self.assertEqual(json.loads((pathlib.Path(run) / "run.json").read_text())["request"]["model"], str(self.home / "data" / "models" / "mine"))

    def test_a_model_of_the_data_folder_goes_by_its_name(self):
        models = self.home / "data" / "models"
        models.mkdir(parents=True)
        (models / "Wan2.1-T2V").symlink_to(FIXTURES / "_models" / "Wan2.1-T2V-tiny")
        self.assertEqual(self.done("inspect", "Wan2.1-T2V", "--json").json()["variant"], "t2v")
        for name in ("wan2.1-t2v", "Wan2.1-T2W"):
            for words in (("render", "--prompt", "x", "--out", "o.mp4"), ("tokenize", "x")):
                self.refused(*words, "--model", name, codes=(1,), names=(name, "did you mean Wan2.1-T2V?"))
        self.refused("render", "--prompt", "x", "--out", "o.mp4", "--model", "other", codes=(1,), names=("other", "check the name, or give a path"))
        (self.work / "Wan2.1-T2V").write_text("what lies here comes first")
        self.refused("inspect", "Wan2.1-T2V", codes=(1,), names=("not a checkpoint",))

    def test_modes_of_other_models(self):
        picture = self.work / "start.ppm"
        picture.write_bytes(b"P6\n96 64\n255\n" + bytes(i % 251 for i in range(96 * 64 * 3)))
        for name, more in (("SkyReels-V2-DF-tiny", ()), ("SkyReels-V2-DF-tiny", ("--image", picture)), ("SkyReels-V2-DF-tiny", ("--image", picture, "--last-image", picture)),
                           ("SkyReels-V2-I2V-tiny", ("--image", picture)), ("Wan2.1-FLF2V-tiny", ("--image", picture, "--last-image", picture)), ("Wan2.1-T2V-tiny", ())):
            for dtype in ("f32", "bf16"):
                run = self.work / f"{name}-{len(more)}-{dtype}"
                self.done("render", "--model", FIXTURES / "_models" / name, "--prompt", PROMPT, *more, "--size", "80x48", "--frames", 9, "--steps", 2, "--seed", 1, "--dtype", dtype,
                          "--run-dir", run, "--out", f"{run}.mp4")
                self.assertTrue(self.done("verify", run, "--json").json()["identical"], (name, dtype))

    def test_a_mode_that_the_images_contradict(self):
        picture = self.work / "start.ppm"
        picture.write_bytes(b"P6\n96 64\n255\n" + bytes(96 * 64 * 3))
        (self.work / "forcing.json").write_text(json.dumps({"schema": 1, "forcing": {"ar_step": 1}}))
        words = ("render", "--model", FIXTURES / "_models" / "SkyReels-V2-DF-tiny", "--prompt", PROMPT, "--size", "80x48", "--frames", 5, "--steps", 1, "--out", "o.mp4")
        self.refused(*words, "--mode", "i2v", codes=(1, 2), names=("image",))
        self.refused(*words, "--mode", "t2v", "--image", picture, codes=(1, 2), names=("image",))
        self.refused(*words, "forcing.json", "--mode", "i2v", "--image", picture, codes=(1, 2), names=("mode",))
        self.done(*words, "--mode", "i2v", "--image", picture)


if __name__ == "__main__":
    main()
