# SPDX-License-Identifier: Apache-2.0
"""Tests the files that a run was made from: which of them its record holds, and what is said when they have changed or are gone."""

import json
import shutil
import struct
from pathlib import Path

from program import FIXTURES, MODEL, PROMPT, Case, main, read_safetensors, sha256, write_safetensors

PATIENCE = 20


def protobuf(raw):
    """Yields (field, number or bytes) for each field of a message."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            value, shift, at = value | (raw[at] & 127) << shift, shift + 7, at + 1
            if raw[at - 1] < 128:
                return value

    while at < len(raw):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
            continue
        size = varint() if key & 7 == 2 else 4
        yield key >> 3, raw[at : at + size]
        at += size


def gguf_text(text):
    return struct.pack("<Q", len(text)) + text


def gguf_tokenizer(spiece, scores=None):
    """Returns the metadata that a spiece.model becomes, {key: (type, bytes)}; `scores` keeps only the first of them."""
    pieces = [{2: bytes(4), 3: 1} | dict(protobuf(value)) for field, value in protobuf(spiece) if field == 1]
    trainer, normalizer = ([dict(protobuf(value)) for field, value in protobuf(spiece) if field == n][0] for n in (2, 3))
    array = lambda kind, items: (9, struct.pack("<IQ", kind, len(items)) + b"".join(items))
    number = lambda value: (4, struct.pack("<I", value))
    values = {
        "model": (8, gguf_text(b"t5")),
        "tokens": array(8, [gguf_text(p[1]) for p in pieces] + [gguf_text(b"[PAD%d]" % i) for i in range(50)]),
        "scores": array(6, ([p[2] for p in pieces] + [struct.pack("<f", -10000)] * 50)[:scores]),
        "token_type": array(5, [struct.pack("<i", p[3]) for p in pieces] + [struct.pack("<i", 5)] * 50),
        "eos_token_id": number(1),
        "padding_token_id": number(0),
        "unknown_token_id": number(trainer.get(40, 0)),
        "add_space_prefix": (7, b"\1"),
        "remove_extra_whitespaces": (7, b"\1"),
    }
    if normalizer.get(2):
        values["precompiled_charsmap"] = array(0, [bytes([b]) for b in normalizer[2]])
    return {"tokenizer.ggml." + key: value for key, value in values.items()}


def write_gguf(path, tensors, metadata):
    """Writes {name: (dtype, shape, bytes)} as a GGUF file."""
    head, data = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(metadata)), b""
    for key, (kind, raw) in metadata.items():
        head += gguf_text(key.encode()) + struct.pack("<I", kind) + raw
    for name, (dtype, shape, raw) in tensors.items():
        head += gguf_text(name.encode()) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape[::-1], {"F32": 0, "F16": 1, "BF16": 30}[dtype], len(data))
        data += raw + bytes(-len(raw) % 32)
    path.write_bytes(head + bytes(-len(head) % 32) + data)


class RunInputs(Case):
    def test_verify_names_the_file_of_the_model_that_changed(self):
        shutil.copytree(MODEL, self.work / "model")
        (self.work / "model" / "tokenizer" / "special_tokens_map.json").write_text('{"bos_token": "<s>"}')
        words = [w if w != MODEL else "model" for w in self.render_words("o.mp4", "--run-dir", "r", steps=1)]
        self.done(*words)
        names = {Path(f["path"]).name for f in json.loads((self.work / "r" / "run.json").read_text())["model_files"]}
        self.assertTrue({"config.json", "spiece.model", "special_tokens_map.json"} <= names, names)
        weights = next((self.work / "model").glob("diffusion*.safetensors"), None) or next((self.work / "model" / "transformer").glob("*.safetensors"))
        stored = read_safetensors(weights)
        name = "head.head.bias" if "head.head.bias" in stored else "proj_out.bias"
        dtype, shape, raw = stored[name]
        write_safetensors(weights, stored | {name: (dtype, shape, raw[2:] + raw[:2])})
        result = self.run_cli("verify", "r", "--json", timeout=PATIENCE)
        self.assertEqual((result.code, result.json()["first_difference"], result.json()["changed_files"]), (1, 1, [str(weights)]), result.err)
        self.assertIn(weights.name, result.err)

    def test_verify_names_the_picture_that_changed(self):
        start, inputs = self.work / "start.png", FIXTURES / "_inputs"
        shutil.copy(inputs / "portrait.png", start)
        words = ("--model", FIXTURES / "_models" / "SkyReels-V2-DF-tiny", "--prompt", PROMPT, "--image", "start.png", "--size", "48x48", "--frames", 9, "--steps", 2, "--seed", 1)
        self.done("render", *words, "--out", "o.mp4", "--run-dir", "r")
        shutil.copy(inputs / "portrait.png", start)  # the same picture with a new time
        self.assertIn("identical", self.done("verify", "r").out)
        # If the steps differ for another reason, a picture that still gives the same result is not blamed.
        shutil.copytree(self.work / "r", self.work / "other")
        record = json.loads((self.work / "other" / "run.json").read_text())
        record["steps"][1]["sha256"] = "0" * 64
        (self.work / "other" / "run.json").write_text(json.dumps(record))
        (self.work / "other" / "latents" / "step_001.safetensors").unlink()
        self.assertEqual(self.refused("verify", "other", "--json", codes=(1,), names=("machine",), timeout=PATIENCE).json()["changed_files"], [])
        shutil.copy(inputs / "second.png", start)
        report = self.refused("verify", "r", "--json", codes=(1,), names=("start.png is not what it was then",), timeout=PATIENCE).json()
        self.assertEqual(report["changed_files"], [str(start)])
        # A branch warns of the changed picture only if it encodes it again.
        branch = ("render", "--from", "r", "--step", 1, "--out", "b.mkv")
        self.assertEqual(self.done(*branch, "--guidance", 3).err, "")
        self.assertIn(f"warning: {start} was written after the run it starts from had read it", self.done(*branch, "--prompt", "another").err)

    def test_a_tokenizer_that_nothing_reads(self):
        # Of the two tokenizers in a folder tokenizer.json counts. Both are recorded, since the other would count without it.
        shutil.copytree(MODEL, self.work / "model")
        words = ["model" if word == MODEL else word for word in self.render_words("out.mp4", "--run-dir", "run", steps=1)]
        self.done(*words)
        tokenizer = self.work / "model" / "tokenizer"
        for change in (lambda: (tokenizer / "spiece.model").write_bytes(b"another"), (tokenizer / "spiece.model").unlink):
            change()
            self.assertEqual(self.done("verify", "run", "--json").json()["changed_files"], [])
        self.done(*[{"run": "other", "out.mp4": "other.mp4"}.get(word, word) for word in words])
        shutil.copy(MODEL / "tokenizer" / "spiece.model", tokenizer)
        (tokenizer / "tokenizer.json").unlink()
        result = self.run_cli("verify", "other", "--json")
        self.assertEqual((result.code, result.json()["changed_files"]), (1, [str(tokenizer / "tokenizer.json")]))
        self.assertIn(str(tokenizer / "tokenizer.json"), self.run_cli("verify", "run", "--json").json()["changed_files"])

    def test_a_clip_that_nothing_reads_is_no_file_of_a_run(self):
        shutil.copytree(MODEL, self.work / "model")
        clip = self.work / "model" / "clip.pth"
        shutil.copy(next((FIXTURES / "_models" / "SkyReels-V2-I2V-tiny").glob("models_clip*.pth")), clip)
        self.done(*[w if w != MODEL else "model" for w in self.render_words("o.mp4", "--run-dir", "r", steps=1)])
        record = json.loads((self.work / "r" / "run.json").read_text())
        self.assertNotIn(str(clip), [f["path"] for f in record["model_files"]])
        # Earlier versions recorded it.
        record["model_files"].append({"path": str(clip), "bytes": clip.stat().st_size, "modified_ns": clip.stat().st_mtime_ns, "sha256": sha256(clip)})
        (self.work / "r" / "run.json").write_text(json.dumps(record))
        self.assertIn("identical", self.done("verify", "r").out)

    def stopped_run_of_a_copy(self):
        """Stops a run of a copied model after two of its three steps. Returns the path of its run.json."""
        shutil.copytree(MODEL, self.work / "model")
        self.done(*[w if w != MODEL else "model" for w in self.render_words("o.mp4", "--run-dir", "r", steps=3)])
        record = json.loads((self.work / "r" / "run.json").read_text())
        for file in record["model_files"]:  # on a busy machine some checksums may not be ready
            file["sha256"] = sha256(file["path"])
        (self.work / "r" / "run.json").write_text(json.dumps(record | {"state": "failed", "steps": record["steps"][:3]}))
        return record

    def test_a_run_goes_on_with_the_model_that_it_began_with(self):
        record = self.stopped_run_of_a_copy()
        weights = next((self.work / "model" / "transformer").glob("*.safetensors"))
        sums = {f["path"]: f["sha256"] for f in record["model_files"]}
        old = weights.read_bytes()
        weights.write_bytes(old[:-1] + bytes([old[-1] ^ 1]))
        self.refused("render", "--resume", "r", "--json", codes=(1,), names=(weights.name, "changed since this run began", "put the old file back"), timeout=PATIENCE)
        branch = self.done("render", "--from", "r", "--step", 1, "--guidance", 3, "--out", "b.mp4", "--run-dir", "b")
        self.assertIn(f"warning: {weights} is not the file", branch.err)
        self.assertIn(str(weights), json.loads((self.work / "b" / "run.json").read_text())["warnings"][0])
        weights.write_bytes(old)
        self.assertEqual(self.done("render", "--resume", "r").err, "")
        again = json.loads((self.work / "r" / "run.json").read_text())
        self.assertEqual({f["path"]: f["sha256"] for f in again["model_files"]}, sums)
        self.assertEqual(again["steps"][-1]["sha256"], record["steps"][-1]["sha256"])

    def test_a_run_without_sums_goes_on_with_a_warning(self):
        record = self.stopped_run_of_a_copy()
        files = [f | {"sha256": None} for f in record["model_files"]]
        (self.work / "r" / "run.json").write_text(json.dumps(record | {"state": "failed", "steps": record["steps"][:3], "model_files": files}))
        weights = next((self.work / "model" / "transformer").glob("*.safetensors"))
        old = weights.read_bytes()
        weights.write_bytes(old[:-1] + bytes([old[-1] ^ 1]))
        self.assertIn(f"warning: {weights} is not the file this run began with", self.done("render", "--resume", "r").err)
        again = json.loads((self.work / "r" / "run.json").read_text())
        self.assertEqual(len(again["warnings"]), 1)
        self.assertEqual([f["sha256"] for f in again["model_files"] if f["path"] == str(weights)], [None])

    def test_verify_names_a_file_that_no_latent_tells_of(self):
        self.stopped_run_of_a_copy()
        self.done("render", "--resume", "r")
        vae = next((self.work / "model" / "vae").glob("*.safetensors"))
        old = vae.read_bytes()
        vae.write_bytes(old[:-1] + bytes([old[-1] ^ 1]))
        report = self.refused("verify", "r", "--json", codes=(1,), names=(vae.name,), timeout=PATIENCE).json()
        self.assertEqual((report["first_difference"], report["changed_files"]), (None, [str(vae)]))

    def test_tokenizer_inside_the_text_encoder(self):
        """ComfyUI's files hold the tokenizer as a tensor."""
        shutil.copytree(MODEL, self.work / "model")
        shutil.rmtree(self.work / "model" / "tokenizer")
        spiece, encoder = MODEL / "tokenizer" / "spiece.model", self.work / "model" / "text_encoder" / "model.safetensors"
        raw = spiece.read_bytes()
        write_safetensors(encoder, read_safetensors(encoder) | {"spiece_model": ("U8", [len(raw)], raw)})
        words = [w if w != MODEL else "model" for w in self.render_words("o.mp4", "--run-dir", "r", steps=1)]
        self.done(*words)
        ids = [self.done("tokenize", "--model", model, "--json", PROMPT).json()["ids"] for model in ("model", encoder, spiece)]
        self.assertEqual(ids, [ids[0]] * 3)

    def test_tokenizer_in_the_metadata_of_a_gguf_text_encoder(self):
        """llama.cpp's converter writes the vocabulary into the metadata, and nothing else holds a tokenizer."""
        shutil.copytree(MODEL, self.work / "model")
        shutil.rmtree(self.work / "model" / "tokenizer")
        spiece, encoder = MODEL / "tokenizer" / "spiece.model", self.work / "model" / "text_encoder" / "encoder.gguf"
        weights = encoder.with_name("model.safetensors")
        write_gguf(encoder, read_safetensors(weights), gguf_tokenizer(spiece.read_bytes()))
        weights.unlink()
        words = [w if w != MODEL else "model" for w in self.render_words("o.mp4", "--run-dir", "r", steps=3)]
        self.done(*words)
        self.done(*self.render_words("whole.mp4", "--run-dir", "good", steps=3))
        good, record = (json.loads((self.work / run / "run.json").read_text())["steps"] for run in ("good", "r"))
        self.assertEqual([s["sha256"] for s in record], [s["sha256"] for s in good])
        for text in (PROMPT, "a\u200f", "the <extra_id_5>", "<s> fox</s>!"):
            ids = [self.done("tokenize", "--model", model, "--json", text).json()["ids"] for model in ("model", encoder, spiece)]
            self.assertEqual(ids, [ids[0]] * 3, text)
        write_gguf(encoder, {"token_embd.weight": ("F32", [1, 2], bytes(8))}, gguf_tokenizer(spiece.read_bytes(), scores=-1))
        self.refused("tokenize", "--model", encoder, PROMPT, names=("encoder.gguf", "tokenizer.ggml.scores"))

    def test_model_named_from_elsewhere(self):
        shutil.copytree(MODEL, self.work / "model")
        words = [w if w != MODEL else "model" for w in self.render_words("o.mp4", "--run-dir", "r", steps=1)]
        self.done(*words)
        record = json.loads((self.work / "r" / "run.json").read_text())
        for file in record["model_files"]:
            self.assertTrue(file["path"].startswith(str(self.work)), file)
        (self.work / "r" / "run.json").write_text(json.dumps(record | {"state": "failed", "steps": record["steps"][:1]}))
        (self.work / "below").mkdir()
        self.assertEqual(self.done("render", "--resume", "../r", cwd=self.work / "below").err, "")


if __name__ == "__main__":
    main()
