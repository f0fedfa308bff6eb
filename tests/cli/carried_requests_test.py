# SPDX-License-Identifier: Apache-2.0
"""A result may stand where a request is meant: a video, a PNG frame, a folder of frames, a run. `inspect` shows the request in it."""

import json
import shutil
import struct
import zlib

from program import FIXTURES, MODEL, PROMPT, Case, main, sha256, tree


def png_with_comment(text):
    """A picture of one pixel with the text chunk that PNG writers use."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    comment = b"Comment\0\0\0\0\0" + text.encode()
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)) + chunk(b"iTXt", comment) + \
        chunk(b"IDAT", zlib.compress(bytes(4))) + chunk(b"IEND", b"")


class Carried(Case):
    def setUp(self):
        super().setUp()
        self.done(*self.render_words("first.mp4", "--run-dir", "run", steps=1))
        self.request = json.loads((self.work / "run" / "run.json").read_text())["request"]

    def test_the_same_clip_from_each(self):
        self.done("decode", "run", "--out", "decoded")
        self.done(*self.render_words("frames", steps=1))
        self.done(*self.render_words("first.mkv", steps=1))
        expected = sha256(self.work / "first.mp4")
        for i, source in enumerate(("first.mp4", "first.mkv", "frames", "frames/frame_00001.png", "decoded", "run", "run/video.mp4", "last")):
            self.done("render", source, "--out", f"{i}.mp4", "--run-dir", f"again{i}")
            self.assertEqual(sha256(self.work / f"{i}.mp4"), expected, source)
        self.assertEqual(tree(self.work / "again0" / "latents"), ["step_000.safetensors", "step_001.safetensors"])

    def test_options_win(self):
        result = self.done("render", "first.mp4", "--seed", 8, "--prompt", "x", "--steps", 2, "--out", "b.mp4", "--run-dir", "b", "--json").json()
        self.assertEqual(result["seed"], 8)
        made = json.loads((self.work / "b" / "run.json").read_text())["request"]
        self.assertEqual(made, {**self.request, "seed": 8, "prompt": "x", "steps": 2})

    def test_what_follows_from_the_model_follows_again(self):
        """Mode, family and precision are stored, but if another model, image or type is given, they follow from that."""
        self.done("render", "run", "--dtype", "bf16", "--out", "b.mp4", "--run-dir", "b")
        made = json.loads((self.work / "b" / "run.json").read_text())["request"]
        self.assertEqual((made["dtype"], made["precision"]), ("bf16", "wan"))
        models = FIXTURES / "_models"
        (self.work / "start.pgm").write_bytes(b"P5\n32 32\n255\n" + bytes(1024))
        for name, model, more, expected in (("i", "SkyReels-V2-I2V-tiny", ("--image", "start.pgm"), ("i2v", "skyreels")),
                                            ("d", "SkyReels-V2-DF-tiny", (), ("forcing", "skyreels-df"))):
            self.done("render", "first.mp4", "--model", models / model, *more, "--out", f"{name}.mp4", "--run-dir", name)
            made = json.loads((self.work / name / "run.json").read_text())["request"]
            self.assertEqual((made["mode"], made["family"]), expected)
        # The other way, settings that only models of the first kind have are dropped.
        self.done("render", "d", "--model", models / "Wan2.1-T2V-tiny", "--out", "t.mp4", "--run-dir", "t")
        two = models / "Wan2.2-T2V-A14B-tiny"
        self.done("render", "--model", two, "--prompt", "x", "--size", "32x32", "--frames", 5, "--steps", 2, "--seed", 1, "--out", "two.mp4", "--run-dir", "two")
        self.assertIsNotNone(json.loads((self.work / "two" / "run.json").read_text())["request"]["guidance_low"])
        self.done("render", "two.mp4", "--model", models / "Wan2.1-T2V-tiny", "--out", "one.mp4", "--run-dir", "one")
        (self.work / "two.json").write_text(self.done("inspect", "two.mp4").out)
        self.done("render", "two.json", "--dtype", "bf16", "--out", "b2.mp4", "--run-dir", "b2")
        self.done("render", "two.mp4", "--out", "same.mp4", "--run-dir", "same")
        self.assertEqual(sha256(self.work / "same.mp4"), sha256(self.work / "two.mp4"))
        self.done("render", "--model", two, "--prompt", "x", "--size", "32x32", "--frames", 5, "--steps", 2, "--seed", 1, "--guidance-low", 2, "--out", "own.mp4", "--run-dir", "own")
        self.done("render", "own.mp4", "--out", "own2.mp4", "--run-dir", "own2")
        self.assertEqual(sha256(self.work / "own2.mp4"), sha256(self.work / "own.mp4"))

    def test_paths_are_relative_to_its_folder(self):
        (self.work / "sub").mkdir()
        (self.work / "sub" / "start.pgm").write_bytes(b"P5\n32 32\n255\n" + bytes(1024))
        model = str(FIXTURES / "_models" / "SkyReels-V2-I2V-tiny")
        request = {"schema": 1, "model": model, "prompt": "x", "image": "start.pgm", "width": 32, "height": 32, "frames": 5, "steps": 1, "seed": 1}
        (self.work / "sub" / "carries.png").write_bytes(png_with_comment(json.dumps(request)))
        self.done("render", "sub/carries.png", "--out", "i.mp4", "--run-dir", "i")
        made = json.loads((self.work / "i" / "run.json").read_text())["request"]
        self.assertEqual(made["image"], str(self.work / "sub" / "start.pgm"))

    def test_one_window_stays_one(self):
        """A stored clip in one window stays so, although a new one of its length would be made in several."""
        model = FIXTURES / "_models" / "SkyReels-V2-DF-tiny"
        self.done("render", "--model", model, "--prompt", "x", "--size", "32x32", "--frames", 9, "--steps", 1, "--seed", 1, "--out", "short.mp4", "--run-dir", "short")
        record = json.loads((self.work / "short" / "run.json").read_text())
        self.assertIsNone(record["request"]["forcing"].get("base"))
        record["request"]["frames"] = 101  # like a run that is older than windows
        (self.work / "short" / "run.json").write_text(json.dumps(record))
        self.done("render", "short", "--out", "long.mp4", "--run-dir", "long")
        made = json.loads((self.work / "long" / "run.json").read_text())["request"]
        self.assertEqual((made["frames"], made["forcing"]["base"]), (101, 101))
        # A branch has the windows of the run that it starts from, and this one tells of none.
        record["request"]["start"] = {"run": str(self.work / "short"), "step": 0, "sha256": record["steps"][0]["sha256"]}
        (self.work / "long" / "run.json").write_text(json.dumps(record))
        refusal = self.refused("render", "long", "--out", "branch.mp4").err  # because the latents have fewer frames
        self.assertNotIn("forcing", refusal)

    def test_wherever_a_request_is_meant(self):
        cells = self.done("sweep", "first.mp4", "--axis", "steps=1,2", "--list", "--json").json()["cells"]
        self.assertEqual([(c["request"]["prompt"], c["request"]["steps"]) for c in cells], [(PROMPT, 1), (PROMPT, 2)])
        self.done("trace", "run", "--out", "t.safetensors", "--layers", "velocity")
        self.assertIn("identical", self.done("compare-precision", "last", "--a", "f32", "--b", "f32").out)
        (self.work / "sweep.json").write_text(json.dumps({"schema": 1, "request": "first.mp4", "axes": {"seed": [1, 2]}}))
        self.assertEqual(len(self.done("sweep", "sweep.json", "--list", "--json").json()["cells"]), 2)

    def test_inspect(self):
        for source in ("first.mp4", "run", "last"):
            written = json.loads(self.done("inspect", source).out)
            self.assertEqual({key: value for key, value in written.items() if self.request.get(key) != value}, {"guidance_until": 0}, source)
            self.assertLess({"prompt", "seed", "steps", "guidance"}, set(written))
            self.assertNotIn("precision", written)  # it follows from the type
            self.assertEqual(self.done("inspect", source, "--json").json(), {"request": self.request}, source)
        (self.work / "request.json").write_text(self.done("inspect", "first.mp4").out)
        self.done("render", "request.json", "--out", "again.mp4")
        self.assertEqual(sha256(self.work / "again.mp4"), sha256(self.work / "first.mp4"))
        self.refused("inspect", "first.mp4", "--tensors", codes=(2,), names=("--tensors",))
        self.assertEqual(self.done("inspect", MODEL, "--json").json()["family"], "wan")

    def test_a_model_with_pictures_beside_it(self):
        """Many a model's folder has covers and samples in it. Only its checkpoints say what it is."""
        shutil.copytree(MODEL, self.work / "model")
        for content in (self.png(), b"\x89PNG\r\n\x1a\n cut short"):
            (self.work / "model" / "frame_00001.png").write_bytes(content)
            self.assertEqual(self.done("inspect", "model", "--json").json()["family"], "wan")
        (self.work / "pictures").mkdir()
        (self.work / "pictures" / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n cut short")
        self.refused("inspect", "pictures", codes=(1,), names=("no model is there",))

    def png(self):
        return png_with_comment(json.dumps(self.request))

    def test_what_carries_none(self):
        self.done(*self.render_words("bare.mp4", "--no-metadata", steps=1))
        (self.work / "other.png").write_bytes(png_with_comment('{"prompt": {"3": {"class_type": "KSampler"}}, "workflow": {}}'))
        (self.work / "text.png").write_bytes(png_with_comment("made by hand"))
        (self.work / "hostile.png").write_bytes(png_with_comment('{"schema": 1, "nonsense": ' + "[" * 2000))
        (self.work / "unknown.png").write_bytes(png_with_comment('{"schema": 1, "nonsense\\u001b": 1}'))
        for name in ("bare.mp4", "other.png", "text.png", "hostile.png"):
            for words in (("render", name, "--out", "out.mp4"), ("sweep", name, "--axis", "steps=1,2"), ("inspect", name)):
                self.refused(*words, codes=(1,), names=(name, "carries no request of Denoir's"))
        self.refused("render", "unknown.png", "--out", "out.mp4", codes=(1,), names=("unknown.png", "is not a key of a request"))
        whole = (self.work / "first.mp4").read_bytes()
        for i in (9, 40, len(whole) // 2, len(whole) - 40):
            (self.work / "cut.mp4").write_bytes(whole[:i])
            self.refused("render", "cut.mp4", "--out", "out.mp4", codes=(1,), names=("cut.mp4",))

    def test_it_is_not_written_over(self):
        before = sha256(self.work / "first.mp4")
        self.refused("render", "first.mp4", "--out", "first.mp4", names=("is also an input",))
        self.refused("render", "run", "--out", "run/video.mp4")
        self.refused("render", "last", "--out", "run/video.mp4")
        self.assertEqual(sha256(self.work / "first.mp4"), before)

    def test_a_word_that_names_nothing(self):
        """Most often it is the second word of a prompt without quotes."""
        for words in (("render", "--prompt", "A", "ball", "--out", "a.mp4"), ("sweep", "ball", "--axis", "steps=1,2"), ("trace", "ball", "--out", "t.safetensors")):
            self.refused(*words, codes=(1,), names=("ball: no such file or folder", "in quotes"))
        self.refused("render", "--prompt", "A", "red", "ball", "--out", "a.mp4", codes=(2,), names=("in quotes",))
        self.refused("tokenize", "red", "ball", codes=(2,), names=("in quotes",))


if __name__ == "__main__":
    main()
