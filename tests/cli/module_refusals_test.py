# SPDX-License-Identifier: Apache-2.0
"""Tests what `module` and `convert` cannot use: one line names the file, tensor or setting, and nothing is left behind."""

import json
import math
import shutil
import struct

from program import FIXTURES, MODEL, Case, main, read_safetensors, sha256, write_safetensors

WEIGHTS = FIXTURES / "_weights"
# Other tests running on the machine can make a refusal take longer than the two seconds that are allowed.
PATIENCE = 10


class Modules(Case):
    def check(self, module, tensors, *more, weights=None, names=()):
        inputs = ()
        if tensors is not None:
            write_safetensors(self.work / "in.safetensors", tensors)
            inputs = ("--inputs", "in.safetensors")
        weights = ("--weights", weights) if weights else ()
        return self.refused("module", module, *weights, *inputs, "--out", "out.safetensors", *more, names=names, timeout=PATIENCE)

    def test_noise(self):
        for more in (["seed=1"], ["shape=4"], ["seed=-1", "shape=4"], ["seed=18446744073709551616", "shape=4"], ["seed=1", "shape=0"], ["seed=1", "shape=4,,4"],
                     ["seed=1", "shape=-4"], ["seed=1", "shape=99999999999,99999999999"], ["seed=1", "shape=4", "kind=torch-cuda:0"], ["seed=1", "shape=4", "kind=x"],
                     ["seed=1", "shape=4", "foo=1"], ["seed=1", "seed=2", "shape=4"], ["seed", "shape=4"], ["=1"], ["seed=1x", "shape=4"], ["seed=1", "shape=" + "1," * 9 + "1"]):
            self.refused("module", "noise", *[w for m in more for w in ("--set", m)], "--out", "out.safetensors", timeout=PATIENCE)

    def test_plans(self):
        for more in ([], ["frames=6"], ["frames=6", "steps=0"], ["frames=0", "steps=4"], ["frames=6", "steps=4", "block=4"], ["frames=6", "steps=4", "ready=7"],
                     ["frames=6", "steps=4", "base=2", "ar_step=1"], ["frames=6", "steps=4", "shift=0"], ["frames=6", "steps=4", "shift=nan"]):
            self.refused("module", "timestep-matrix", *[w for m in more for w in ("--set", m)], "--out", "out.safetensors", timeout=PATIENCE)

    def test_scheduler(self):
        x = ("F32", [2], struct.pack("<2f", 1, 2))
        self.check("scheduler", {"latent": x}, "--set", "steps=1", names=("in.safetensors", "velocity_0", "one step needs"))
        self.check("scheduler", {"latent": x, "velocity_0": ("F32", [1], struct.pack("<f", 1))}, "--set", "steps=1", names=("velocity_0",))
        self.check("scheduler", {"latent": x, "velocity_0": ("I64", [1], bytes(8))}, "--set", "steps=1", names=("velocity_0",))
        self.check("scheduler", {"latent": x, "velocity_0": x}, "--set", "steps=1", "--set", "sampler=ddim")
        self.check("scheduler", {"latent": x, "velocity_0": x}, "--set", "steps=1", "--set", "sigmas=Z")

    def test_networks(self):
        weights = MODEL / "transformer"
        f32 = lambda *shape: ("F32", list(shape), bytes(4 * math.prod(shape)))
        good = {"latent": f32(16, 1, 4, 4), "timestep": f32(), "text": f32(512, 24)}
        for name, tensor in (("latent", f32(16, 1, 4)), ("latent", f32(16, 1, 3, 4)), ("latent", f32(15, 1, 4, 4)), ("latent", ("I64", [16, 1, 4, 4], bytes(8 * 256))),
                             ("timestep", f32(3)), ("timestep", ("F32", [], struct.pack("<f", 1001))), ("timestep", ("F32", [], struct.pack("<f", float("nan")))),
                             ("text", f32(512, 33)), ("text", f32(100, 24)), ("clip", f32(257, 20)), ("condition", f32(20, 1, 4, 4)), ("fps", f32())):
            self.check("wan-transformer", {**good, name: tensor}, weights=weights, names=("in.safetensors", name))
        for text, hint in ((f32(512, 33), "this model's text encoder"), (f32(100, 24), "pad the prompt's rows"), (f32(513, 24), "leave out the rows past them")):
            self.check("wan-transformer", {**good, "text": text}, weights=weights, names=("text", hint))
        for latent, hint in ((f32(1, 16, 1, 4, 4), "without a batch axis"), (f32(16, 0, 4, 4), "at least one value along each axis"), (f32(16, 1, 4), "store it in that shape"),
                             (f32(2, 16, 1, 4, 4), "store it in that shape")):  # fmt: skip
            self.check("wan-transformer", {**good, "latent": latent}, weights=weights, names=("latent", hint))
        for name in good:
            self.check("wan-transformer", {k: v for k, v in good.items() if k != name}, weights=weights, names=("in.safetensors", name))
        self.check("wan-transformer", good, "--set", "haeds=2", weights=weights, names=("heads",))
        self.check("wan-transformer", good, "--set", "heads=7", weights=WEIGHTS)
        self.check("wan-transformer", good, "--precision", "wan", weights=weights, names=("--precision",))
        self.check("wan-transformer", good, "--device", "cuda:97", weights=weights, names=("denoir-cli: --device:",))
        self.check("wan-transformer", good, names=("--weights",))
        self.check("wan-transformer", None, weights=weights, names=("--inputs",))
        self.check("wan-transformer", good, weights=MODEL / "vae")
        self.check("wan-transformer", good, weights=self.work / "missing")
        self.check("wan-vae-decode", {"latent": f32(15, 1, 2, 2)}, weights=MODEL / "vae", names=("in.safetensors", "latent"))
        self.check("wan-vae-encode", {"video": f32(3, 1, 7, 16)}, weights=MODEL / "vae", names=("in.safetensors", "video", "16x7 pixels are fewer than 8x8"))
        self.check("umt5", {"tokens": ("I64", [0], b"")}, weights=MODEL / "text_encoder", names=("tokens",))
        self.check("umt5", {"tokens": ("I64", [1], struct.pack("<q", 1 << 40))}, weights=MODEL / "text_encoder", names=("tokens",))
        self.check("umt5", {"tokens": ("I64", [513], bytes(8 * 513))}, weights=MODEL / "text_encoder", names=("tokens",))
        self.check("umt5", {"tokens": ("I64", [600], bytes(4800))}, weights=MODEL / "text_encoder", names=("tokens",))

    def test_a_tensor_that_no_one_asked_for_is_told(self):
        f32 = lambda *shape: ("F32", list(shape), bytes(4 * math.prod(shape)))
        transformer = {"latent": f32(16, 1, 4, 4), "timestep": f32(), "text": f32(512, 24)}
        for module, weights, good in (
            ("wan-transformer", MODEL / "transformer", transformer),
            ("wan-vae-decode", MODEL / "vae", {"latent": f32(16, 1, 2, 2)}),
            ("wan-vae-encode", MODEL / "vae", {"video": f32(3, 1, 16, 16)}),
            ("umt5", MODEL / "text_encoder", {"tokens": ("I64", [2], struct.pack("<2q", 3, 1))}),
            ("clip-vision", WEIGHTS / "clip-hf", {"image": read_safetensors(FIXTURES / "clip-hf" / "in.safetensors")["image"]}),
            ("scheduler", None, {"latent": f32(2), "velocity_0": f32(2)}),
        ):
            write_safetensors(self.work / "in.safetensors", good | {"odd": f32(1)})
            words = ("--weights", weights) if weights else ("--set", "steps=1")
            ran = self.done("module", module, *words, "--inputs", "in.safetensors", "--out", "out.safetensors")
            self.assertEqual(ran.err, "warning: in.safetensors: odd: this tensor is not used\n", module)

    def test_numbers_that_are_not_finite(self):
        def numbers(value, *shape):
            return ("F32", list(shape), struct.pack("<f", value) + bytes(4 * math.prod(shape) - 4))

        good = {"latent": numbers(0.5, 16, 1, 4, 4), "timestep": numbers(500), "text": numbers(0, 512, 24)}
        picture = read_safetensors(FIXTURES / "clip-hf" / "in.safetensors")["image"][1]
        for value in (math.nan, math.inf, -math.inf):
            for name in good:
                self.check("wan-transformer", {**good, name: numbers(value, *good[name][1])}, weights=MODEL / "transformer", names=("in.safetensors", name))
            self.check("wan-vae-encode", {"video": numbers(value, 3, 1, 16, 16)}, weights=MODEL / "vae", names=("in.safetensors", "video"))
            self.check("wan-vae-decode", {"latent": numbers(value, 16, 1, 2, 2)}, weights=MODEL / "vae", names=("in.safetensors", "latent"))
            self.check("clip-vision", {"image": numbers(value, *picture)}, weights=WEIGHTS / "clip-hf", names=("in.safetensors", "image"))
            self.check("scheduler", {"latent": numbers(1, 2), "velocity_0": numbers(value, 2)}, "--set", "steps=1", names=("in.safetensors", "velocity_0"))
        self.check("scheduler", {"latent": numbers(3e38, 2), "velocity_0": numbers(-3e38, 2)}, "--set", "steps=1", names=("in.safetensors", "velocity_0"))
        # If the weights produce such numbers, their file is named.
        tokens = {"tokens": ("I64", [3], struct.pack("<3q", 5, 9, 1))}
        inputs = {"wan-transformer": good, "wan-vae-encode": {"video": numbers(0, 3, 1, 16, 16)}, "wan-vae-decode": {"latent": numbers(0, 16, 1, 2, 2)}, "umt5": tokens}
        for module, tensors in inputs.items():
            folder = MODEL / {"wan-transformer": "transformer", "umt5": "text_encoder"}.get(module, "vae")
            shutil.copytree(folder, self.work / module)
            file = next((self.work / module).glob("*.safetensors"))
            write_safetensors(file, {k: (t, s, b"\xff" * len(raw) if t in ("F32", "BF16") else raw) for k, (t, s, raw) in read_safetensors(file).items()})
            for dtype in ("f32", "bf16"):
                self.check(module, tensors, "--dtype", dtype, weights=self.work / module, names=(f"denoir-cli: {self.work / module}", "not finite"))

    def test_a_large_file_whose_tensors_are_not_aligned(self):
        """Copying its tensors would take gigabytes, so its header is looked at first."""
        tokens = 1 << 27
        header = json.dumps({"tokens": {"dtype": "I64", "shape": [tokens], "data_offsets": [0, 8 * tokens]}}).encode()
        header += b" " * ((3 - len(header)) % 8)
        with open(self.work / "in.safetensors", "wb") as file:
            file.write(struct.pack("<Q", len(header)) + header)
            file.truncate(8 + len(header) + 8 * tokens)  # takes no space on the disk
        self.check("umt5", None, "--inputs", "in.safetensors", weights=MODEL / "text_encoder", names=("denoir-cli: in.safetensors: ", "not aligned"))

    def test_more_tokens_than_the_model_takes(self):
        """They are cut as a prompt is, and the closing token stays."""
        shutil.copytree(MODEL / "text_encoder", self.work / "te")
        config = self.work / "te" / "config.json"
        said = json.loads(config.read_text()) if config.exists() else {}
        config.unlink(missing_ok=True)
        config.write_text(json.dumps(said | {"text_len": 5}))
        words = ("module", "umt5", "--weights", "te", "--inputs", "in.safetensors", "--out")
        for name, ids, warned in (("long", (5, 6, 7, 8, 9, 4, 1), True), ("cut", (5, 6, 7, 8, 1), False)):
            write_safetensors(self.work / "in.safetensors", {"tokens": ("I64", [len(ids)], struct.pack(f"<{len(ids)}q", *ids))})
            self.assertEqual("warning: tokens: 7 are cut to the 5 of this model" in self.done(*words, name).err, warned)
        self.assertEqual(read_safetensors(self.work / "long"), read_safetensors(self.work / "cut"))

    def test_heads_that_do_not_count(self):
        f32 = lambda *shape: ("F32", list(shape), bytes(4 * math.prod(shape)))
        write_safetensors(self.work / "in.safetensors", {"latent": f32(16, 1, 4, 4), "timestep": f32(), "text": f32(512, 24)})
        for heads, said in ((2, True), (3, False)):
            result = self.done("module", "wan-transformer", "--weights", MODEL / "transformer", "--inputs", "in.safetensors", "--out", "o.safetensors", "--set", f"heads={heads}")
            self.assertEqual("warning: --set heads: 2 has no effect: config.json says 3" in result.err, said, result.err)

    def test_an_embedding_under_both_names(self):
        # The transformers library stores it under both names, perhaps in two shards. The same name twice is refused.
        tensors = read_safetensors(MODEL / "text_encoder" / "model.safetensors")
        name = "shared.weight" if "shared.weight" in tensors else "encoder.embed_tokens.weight"
        other = {"shared.weight": "encoder.embed_tokens.weight"}.get(name, "shared.weight")
        write_safetensors(self.work / "in.safetensors", {"tokens": ("I64", [3], struct.pack("<3q", 5, 9, 1))})
        files = [self.work / "shards" / f"model-{i}.safetensors" for i in (1, 2)]
        files[0].parent.mkdir()
        write_safetensors(files[0], tensors)
        words = ("module", "umt5", "--inputs", "in.safetensors", "--weights")
        self.done(*words, files[0], "--out", "one.safetensors")
        write_safetensors(files[1], {other: tensors[name]})
        for i, weights in enumerate(([files[0].parent], files)):
            self.done(*words, *weights, "--out", f"both-{i}.safetensors")
            self.assertEqual(sha256(self.work / f"both-{i}.safetensors"), sha256(self.work / "one.safetensors"))
        write_safetensors(files[1], {name: tensors[name]})
        self.refused(*words, *files, "--out", "twice.safetensors", codes=(1,), names=(name,), timeout=PATIENCE)

    def test_files(self):
        (self.work / "bad").write_bytes(b"\xff" * 100)
        for command in (["inspect", "bad"], ["inspect", "missing"], ["convert", "bad", "o.safetensors"], ["convert", "missing", "o.safetensors"],
                        ["convert", MODEL / "vae", "missing/o.safetensors"], ["tokenize", "--model", "bad", "x"], ["tokenize", "--model", "missing", "x"],
                        ["module", "umt5", "--weights", "bad", "--inputs", "bad", "--out", "o"]):
            self.refused(*command, timeout=PATIENCE)

    def test_conversions(self):
        weights = MODEL / "transformer"
        for quantize, out in (("q8_0", "o.gguf"), ("fp8_scaled", "o.safetensors")):
            self.refused("convert", weights, out, "--quantize", quantize, "--layout", "diffusers", codes=(2,), names=("--layout",), timeout=PATIENCE)
        self.assertIn("converting: MiB", self.done("convert", weights, "o.safetensors", "--progress", "plain").err)
        for name in ("o.pth", "o.PT", "o.bin"):
            self.refused("convert", weights, name, codes=(2,), names=(name, "another format"), timeout=PATIENCE)

    def test_a_conversion_of_nothing(self):
        write_safetensors(self.work / "empty.safetensors", {})
        self.refused("convert", "empty.safetensors", "o.safetensors", codes=(1,), names=("empty.safetensors", "no tensors"), timeout=PATIENCE)

    def test_a_conversion_of_many_tensors(self):
        """Comparing each name with all others would take minutes."""
        entry = '"tensor.%d.weight":{"dtype":"F32","shape":[1],"data_offsets":[%d,%d]}'
        header = "{" + ",".join(entry % (i, 4 * i, 4 * i + 4) for i in range(60000)) + "}"
        header += " " * (-len(header) % 8)
        (self.work / "many.safetensors").write_bytes(struct.pack("<Q", len(header)) + header.encode() + bytes(4 * 60000))
        self.done("convert", "many.safetensors", "o.safetensors", timeout=2 * PATIENCE)
        self.assertEqual(len(read_safetensors(self.work / "o.safetensors")), 60000)


if __name__ == "__main__":
    main()
