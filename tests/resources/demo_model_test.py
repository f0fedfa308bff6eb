# SPDX-License-Identifier: Apache-2.0
"""The bundled model through denoir-cli: it is found without --model and has its own sizes, defaults and tokenizer."""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
from program import Case, main, sha256, tree  # noqa: E402

RESOURCES = HERE.parents[1] / "resources"
MODEL = RESOURCES / "demo-model"
TINY = ("--size", "64x48", "--frames", "5", "--steps", "2", "--seed", "3", "--json")


class DemoModel(Case):
    def setUp(self):
        super().setUp()
        self.environment["DENOIR_RESOURCES"] = str(RESOURCES)

    def test_fits_its_room(self):
        self.assertLessEqual(sum(p.stat().st_size for p in MODEL.glob("*.safetensors")), 24 << 20)

    def test_the_studios_colours_are_of_this_vae(self):
        """tests/reference/fit_preview_factors.py must be run again for each new decoder."""
        entries = json.loads((RESOURCES / "preview_factors.json").read_text())["entries"]
        self.assertIn(sha256(MODEL / "Wan2.1_VAE.safetensors"), [e.get("sha256") for e in entries])

    def test_inspect_finds_every_part(self):
        about = self.done("inspect", MODEL, "--json").json()
        self.assertEqual(about["family"], "skyreels-df")
        self.assertEqual(about["missing"], [])
        self.assertEqual(about["dtype"], "bf16")

    def test_renders_without_naming_a_model(self):
        self.done("render", "--prompt", "a red ball", *TINY, "--run-dir", "run", "--out", "out.mp4")
        request = json.loads((self.work / "run" / "run.json").read_text())["request"]
        self.assertEqual((request["mode"], request["negative_prompt"], request["fps"]), ("forcing", "", 16))
        self.assertEqual(pathlib.Path(request["model"]).name, "demo-model")

    def test_the_prompt_and_the_guidance_matter(self):
        def latents(name, *more):
            self.done("render", *TINY, "--run-dir", name, "--out", f"{name}.mp4", *more)
            return (self.work / name / "latents" / "step_002.safetensors").read_bytes()

        red = latents("a", "--prompt", "a red ball")
        self.assertEqual(red, latents("b", "--prompt", "a red ball"))
        self.assertNotEqual(red, latents("c", "--prompt", "a blue star"))
        self.assertNotEqual(red, latents("d", "--prompt", "a red ball", "--guidance", "1"))

    def test_takes_a_start_image(self):
        image = RESOURCES / "samples" / "balloon-meadow.png"
        self.done("render", "--prompt", "a red balloon rises", "--image", image, *TINY, "--out", "frames")
        self.assertEqual(len(tree(self.work / "frames")), 5)

    def test_tokens_are_those_of_the_sentencepiece_library(self):
        for text, ids in json.loads((HERE / "demo_tokens.json").read_text(encoding="utf-8")).items():
            self.assertEqual(self.done("tokenize", "--model", MODEL, "--json", text).json()["ids"], ids, text)

    def test_sample_prompts_are_short_enough(self):
        prompts = json.loads((RESOURCES / "prompts.json").read_text(encoding="utf-8"))
        for text in prompts["text"] + [p["prompt"] for p in prompts["image"]]:
            self.assertLessEqual(len(self.done("tokenize", "--model", MODEL, "--json", text).json()["ids"]), 64)
        for entry in prompts["image"]:
            self.assertTrue((RESOURCES / entry["image"]).is_file())


if __name__ == "__main__":
    main()
