# SPDX-License-Identifier: Apache-2.0
"""Tests trace, compare-traces and compare-precision: against PyTorch's traces, and what they refuse."""

import json
import math
import os
import re
import shutil
import signal
import struct
import time

from program import FIXTURES, PROMPT, Case, main, tree

MODEL = FIXTURES / "_models" / "Wan2.1-T2V-tiny"
PATIENCE = 10
SMALL = ["--prompt", PROMPT, "--model", MODEL, "--size", "32x32", "--frames", "5", "--solver-steps", "3", "--seed", "3", "--dtype", "f32"]


def read(path):
    """Returns {name: (dtype, shape, bytes)} in the order of the data, and the metadata."""
    raw = path.read_bytes()
    length = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8 : 8 + length])
    metadata = header.pop("__metadata__", {})
    entries = sorted(header.items(), key=lambda item: item[1]["data_offsets"])
    data = raw[8 + length :]
    return {k: (e["dtype"], e["shape"], data[slice(*e["data_offsets"])]) for k, e in entries}, metadata


def write(path, tensors, metadata=None, cut=0, header=None):
    """Writes such a file; `cut` bytes are missing at its end, and `header` replaces parts of its entries."""
    table, data = {}, b""
    if metadata:
        table["__metadata__"] = metadata
    for name, (dtype, shape, raw) in tensors.items():
        table[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]} | (header or {}).get(name, {})
        data += raw
    text = json.dumps(table).encode()
    text += b" " * (-len(text) % 8)
    whole = struct.pack("<Q", len(text)) + text + data
    path.write_bytes(whole[: len(whole) - cut])
    return path


def floats(values):
    return ("F32", [len(values)], struct.pack(f"<{len(values)}f", *values))


class Hostile(Case):
    def test_blocks_that_no_model_has(self):
        for block in (5000, 2000000000):
            trace = write(self.work / "t.safetensors", {f"transformer/step_001/cond/{name}": floats([1, 2]) for name in (f"blocks.{block}.norm1", "head.norm")})
            self.assertEqual(len(self.done("compare-traces", trace, trace, "--json").json()["layers"]), 2)


class BesidePyTorch(Case):
    def test_every_layer_is_matched(self):
        for folder in sorted(FIXTURES.glob("trace-*")):
            case = json.loads((folder / "trace.json").read_text())
            layers = ["--layers", case["layers"]] if case["layers"] else []
            self.done("trace", folder / "request.json", "--out", f"{folder.name}.safetensors", *layers)
            found = self.done("compare-traces", f"{folder.name}.safetensors", folder / "theirs.safetensors", "--json").json()
            theirs, _ = read(folder / "theirs.safetensors")
            self.assertEqual(found["only_b"], [], folder.name)
            self.assertEqual(found["shapes"], [], folder.name)
            self.assertEqual({l["key"] for l in found["layers"]}, set(theirs), folder.name)
            self.assertIsNone(found["first"], found["verdict"])
            self.assertTrue(found["agree"])
            self.assertFalse(found["identical"])
            worst = max(found["layers"], key=lambda l: l["normalised"])
            self.assertLessEqual(worst["normalised"], case["max_error"], f"{folder.name}: {worst['key']}")
            self.assertEqual(worst["key"], found["worst"]["key"])

    def test_a_planted_error_is_named(self):
        """The values of one layer are moved in PyTorch's file. It is the last layer of a step, since any other would leave a second error behind it."""
        folder = FIXTURES / "trace-t2v"
        self.done("trace", folder / "request.json", "--out", "ours.safetensors")
        theirs, metadata = read(folder / "theirs.safetensors")
        name = "transformer/step_002/uncond/head"
        dtype, shape, raw = theirs[name]
        values = struct.unpack(f"<{len(raw) // 4}f", raw)
        theirs[name] = (dtype, shape, struct.pack(f"<{len(values)}f", *(v + 1e-2 for v in values)))
        write(self.work / "planted.safetensors", theirs, metadata)
        found = self.done("compare-traces", "ours.safetensors", "planted.safetensors", "--json").json()
        self.assertEqual(found["first"]["key"], name)
        self.assertFalse(found["agree"])
        self.assertIn("head of transformer (step 2 uncond)", found["verdict"])


class Tracing(Case):
    def test_names_order_and_metadata(self):
        listed = self.done("trace", *SMALL, "--list", "--json").json()["layers"]
        told = self.done("trace", *SMALL, "--out", "t.safetensors", "--json").json()
        tensors, metadata = read(self.work / "t.safetensors")
        self.assertEqual(told["tensors"], len(tensors))
        self.assertEqual(told["steps_computed"], 3)
        rows = {f"{k.split('/')[0]}/{k.rsplit('/', 1)[1]}" for k in tensors}
        self.assertEqual(rows, {f"{l['component']}/{l['layer']}" for l in listed})
        self.assertLessEqual(len(tensors), sum(l["tensors"] for l in listed))
        keys = list(tensors)
        self.assertLess(keys.index("text_encoder/uncond/norm"), keys.index("transformer/cond/text_embedding.0"))
        self.assertLess(keys.index("transformer/step_001/cond/head"), keys.index("transformer/step_001/uncond/patch_embedding"))
        self.assertLess(keys.index("sampler/step_003/latent"), keys.index("vae_decoder/frame_000/conv2"))
        self.assertEqual(metadata["order"], "execution")
        self.assertEqual(json.loads(metadata["request"])["seed"], 3)
        self.assertEqual(tree(self.work), ["t.safetensors"])
        self.assertEqual(list((self.home).rglob("run.json")), [])

    def test_it_traces_what_render_computes(self):
        self.done("trace", *SMALL, "--out", "t.safetensors", "--layers", "sampler/latent")
        tensors, _ = read(self.work / "t.safetensors")
        self.assertEqual(sorted(tensors), [f"sampler/step_{i:03}/latent" for i in range(4)])
        words = [w if w != "--solver-steps" else "--steps" for w in SMALL]
        self.done("render", *words, "--out", "r.mp4", "--run-dir", "run")
        for i in range(4):
            stored, _ = read(self.work / "run" / "latents" / f"step_{i:03}.safetensors")
            self.assertEqual(stored["latent"][2], tensors[f"sampler/step_{i:03}/latent"][2], i)

    def test_layers_and_steps(self):
        result = self.done("trace", *SMALL, "--out", "t.safetensors", "--layers", "*.self_attn.norm_?,head", "--steps", "2", "--json").json()
        self.assertEqual(result["steps_computed"], 2)
        tensors, _ = read(self.work / "t.safetensors")
        self.assertEqual({k.split("/")[1] for k in tensors}, {"step_002"})
        self.assertEqual({k.rsplit("/", 1)[1] for k in tensors},
                         {"head"} | {f"blocks.{b}.self_attn.norm_{x}" for b in (0, 1) for x in "qk"})
        self.done("trace", *SMALL, "--out", "text.safetensors", "--layers", "text_encoder/*", "--steps", "last", "--json")
        self.assertEqual({k.split("/")[0] for k in read(self.work / "text.safetensors")[0]}, {"text_encoder"})
        # A layer of a step has the same values whatever else is traced.
        self.done("trace", *SMALL, "--out", "all.safetensors")
        whole, _ = read(self.work / "all.safetensors")
        for key, value in tensors.items():
            self.assertEqual(whole[key], value, key)
        self.assertFalse(any(k.startswith("vae_decoder") for k in tensors))
        self.done("trace", *SMALL, "--out", "latents.safetensors", "--layers", "latent", "--steps", "2")
        self.assertEqual(list(read(self.work / "latents.safetensors")[0]), ["sampler/step_002/latent"])  # the noise belongs to the first step

    def test_forwards_are_counted_where_guidance_ends(self):
        words = [*SMALL, "--shift", "1", "--sampler", "euler", "--guidance-until", "500", "--layers", "velocity"]  # the times are 999, 666 and 333
        listed = self.done("trace", *words, "--list", "--json").json()["layers"]
        self.assertEqual({l["component"]: l["tensors"] for l in listed}, {"transformer": 5, "sampler": 3})
        self.done("trace", *words, "--out", "t.safetensors")
        self.assertEqual(sum("transformer/" in k for k in read(self.work / "t.safetensors")[0]), 5)
        listed = self.done("trace", *words, "--steps", "2-3", "--list", "--json").json()["layers"]
        self.assertEqual(listed[0]["tensors"], 3)

    def test_guidance_off_has_one_branch(self):
        self.done("trace", *SMALL, "--guidance", "1", "--out", "t.safetensors", "--steps", "1")
        self.assertFalse(any("uncond" in k for k in read(self.work / "t.safetensors")[0]))

    def test_dtypes_are_those_computed(self):
        words = [w if w != "f32" else "bf16" for w in SMALL]
        self.done("trace", *words, "--precision", "wan", "--out", "t.safetensors", "--layers", "*.ffn.1,blocks.1,head,velocity", "--steps", "1")
        dtypes = {k.rsplit("/", 1)[1]: v[0] for k, v in read(self.work / "t.safetensors")[0].items()}
        self.assertEqual(dtypes, {"blocks.0.ffn.1": "BF16", "blocks.1.ffn.1": "BF16", "blocks.1": "F32", "head": "F32", "velocity": "F32"})

    def test_refusals(self):
        for words in (["--layers", "self_attn*"], ["--layers", "a,,b"], ["--layers", "nothing/*"], ["--layers", "+(+(+(b)))*+(*)*+(*)x"],
                      ["--layers", "+(*)*x"], ["--layers", "*(b|*)*x"], ["--layers", "+([)]|?|??|???)Z"], ["--layers", "*(?)*(?)*(?)*(?)Z"], ["--layers", "@(a*|b*)@(a*|b*)@(a*|b*)@(a*|b*)@(a*|b*)x"], ["--steps", "0"], ["--steps", "4"], ["--steps", "3-1"],
                      ["--steps", "1,x"], ["--steps", ""], ["--layers", "picture", "--steps", "1"], ["--frames", "4"]):
            result = self.refused("trace", *SMALL, *words, "--out", "t.safetensors", timeout=PATIENCE)
            self.assertIn(words[0], result.err)
        self.refused("trace", *SMALL, "--layers", ",".join(["*"] * 257), "--list", codes=(2,), names=("--layers", "257 patterns"), timeout=PATIENCE)
        self.refused("trace", *SMALL, "--layers", "a" * 1025, "--list", codes=(2,), names=("--layers", "too long"), timeout=PATIENCE)
        for steps in ("1-", "1-0", "last-1", "1,2-x"):
            part = steps.split(",")[-1]
            self.refused("trace", *SMALL, "--steps", steps, "--out", "t.safetensors", codes=(2,), names=(f"'{part}'",), timeout=PATIENCE)
        self.refused("trace", *SMALL, timeout=PATIENCE)
        self.refused("trace", timeout=PATIENCE)
        self.refused("trace", *SMALL, "--out", "missing/t.safetensors", timeout=PATIENCE)
        (self.work / "request.json").write_text(json.dumps({"schema": 1, "model": str(MODEL), "prompt": "x"}))
        self.refused("trace", "request.json", "--out", "request.json", timeout=PATIENCE)
        self.assertEqual(tree(self.work), ["request.json"])

    def test_ctrl_c_leaves_nothing(self):
        large = ["256x256" if w == "32x32" else "33" if w == "5" else "50" if w == "3" else w for w in SMALL]
        process = self.start("trace", *large, "--out", "t.safetensors")
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(tree(self.work), [])

    def test_a_full_disk(self):
        def little():
            import resource
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        result = self.refused("trace", *SMALL, "--out", "t.safetensors", preexec_fn=little)
        self.assertIn("t.safetensors", result.err)
        self.assertEqual(tree(self.work), [])


class Comparing(Case):
    def setUp(self):
        super().setUp()
        self.a = write(self.work / "a.safetensors", {"x": floats([1, 2, 3, 4]), "y": floats([1, -1])})

    def compare(self, b, **more):
        write(self.work / "b.safetensors", b, **more)
        return self.done("compare-traces", "a.safetensors", "b.safetensors", "--json").json()

    def test_equal(self):
        found = self.compare({"x": floats([1, 2, 3, 4]), "y": floats([1, -1])})
        self.assertTrue(found["identical"] and found["agree"])
        self.assertIsNone(found["first"])

    def test_what_is_not_identical(self):
        """Values that f32 cannot tell apart, other dtypes, and tensors on one side alone are all not identical."""
        same = {"x": floats([1, 2, 3, 4]), "y": floats([1, -1])}
        found = self.compare(same | {"z": floats([1])})
        self.assertFalse(found["identical"])
        self.assertIn("All 2 tensors are equal to the bit. Not compared: 0 in A alone, 1 in B alone.", found["verdict"])
        found = self.compare(same | {"y": ("BF16", [2], struct.pack("<2H", 0x3F80, 0xBF80))})
        self.assertFalse(found["identical"])
        self.assertTrue(found["agree"])
        self.assertIn("equal in value. Dtypes part first at y: f32 in A, bf16 in B.", found["verdict"])
        for dtype, pack, one, other in (("F64", "<d", 1.0, 1 + 1e-12), ("I64", "<q", 2**40, 2**40 + 1), ("F32", "<f", 0.0, -0.0)):
            write(self.work / "a.safetensors", {"x": (dtype, [1], struct.pack(pack, one))})
            self.assertTrue(self.compare({"x": (dtype, [1], struct.pack(pack, one))})["identical"], dtype)
            found = self.compare({"x": (dtype, [1], struct.pack(pack, other))})
            self.assertFalse(found["identical"], dtype)
            self.assertIn("The only tensor is equal in value as f32; what is stored differs in x", found["verdict"])

    def test_figures(self):
        found = self.compare({"x": floats([1, 2, 3, 2]), "y": floats([1, -1])})
        x = next(l for l in found["layers"] if l["key"] == "x")
        self.assertAlmostEqual(x["max_abs"], 2)
        self.assertAlmostEqual(x["normalised"], 1)
        self.assertAlmostEqual(x["relative"], 2 / math.sqrt(18))
        self.assertAlmostEqual(x["cosine"], 22 / math.sqrt(30 * 18))
        self.assertEqual(found["first"]["key"], "x")

    def test_missing_layers_and_other_shapes_are_notes(self):
        found = self.compare({"x": floats([1, 2, 3]), "y": floats([1, -1]), "z": floats([1])})
        self.assertEqual(found["only_b"], ["z"])
        self.assertEqual(found["shapes"], [{"key": "x", "a": [4], "b": [3]}])
        self.assertFalse(found["agree"])
        text = self.done("compare-traces", "a.safetensors", "b.safetensors").out
        self.assertIn("x has shape [4] in A and [3] in B", text)
        self.assertIn("Missing in A: z.", text)

    def test_not_finite(self):
        found = self.compare({"x": floats([1, math.nan, 3, 4]), "y": floats([1, -1])})
        self.assertEqual(found["first"]["key"], "x")
        self.assertIsNone(found["first"]["relative"])
        self.assertIn("NaN", found["verdict"])

    def test_not_finite_in_both(self):
        write(self.work / "a.safetensors", {"x": floats([1, math.nan, -math.inf]), "y": floats([1, -1])})
        found = self.compare({"x": floats([1, math.nan, -math.inf]), "y": floats([1, -1])})
        self.assertTrue(found["identical"])
        self.assertIn("In 1 of 2 tensors values are NaN or infinite in both, first in x: 2 of 3.", found["verdict"])
        self.assertEqual([layer["both_not_finite"] for layer in found["layers"]], [2, 0])
        text = self.done("compare-traces", "a.safetensors", "b.safetensors").out
        self.assertIn("x: 2 of 3 values are NaN or infinite in both", text)

    def test_nothing_in_common(self):
        write(self.work / "b.safetensors", {"other": floats([1])})
        self.assertIn("no tensor name in common", self.refused("compare-traces", "a.safetensors", "b.safetensors").err)

    def test_a_sparse_terabyte_can_be_left(self):
        text = json.dumps({"x": {"dtype": "F32", "shape": [1 << 38], "data_offsets": [0, 1 << 40]}}).encode()
        with open(self.work / "b.safetensors", "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text)
            file.truncate(8 + len(text) + (1 << 40))
        process = self.start("compare-traces", "b.safetensors", "b.safetensors", "--report", "r.html")
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(tree(self.work), ["a.safetensors", "b.safetensors"])

    def test_hostile_files(self):
        good = {"x": floats([1, 2, 3, 4]), "y": floats([1, -1])}
        hostile = {
            "cut": dict(tensors=good, cut=4),
            "overlap": dict(tensors=good, header={"y": {"data_offsets": [8, 16]}}),
            "huge": dict(tensors=good, header={"x": {"shape": [1 << 62, 8]}}),
            "negative": dict(tensors=good, header={"x": {"shape": [-4]}}),
            "dtype": dict(tensors=good, header={"x": {"dtype": "F7"}}),
            "outside": dict(tensors=good, header={"y": {"data_offsets": [16, 1 << 50]}}),
        }
        for name, how in hostile.items():
            write(self.work / "b.safetensors", **how)
            self.refused("compare-traces", "a.safetensors", "b.safetensors", timeout=PATIENCE)
            self.refused("compare-traces", "b.safetensors", "a.safetensors", timeout=PATIENCE)
        for raw in (b"", b"\xff" * 64, struct.pack("<Q", 1 << 60) + b"{}", b"plain text, no container"):
            (self.work / "b.safetensors").write_bytes(raw)
            self.refused("compare-traces", "a.safetensors", "b.safetensors", timeout=PATIENCE)
        os.mkfifo(self.work / "pipe")
        for b in ("missing.safetensors", "pipe", ".", "/dev/zero"):
            self.refused("compare-traces", "a.safetensors", b, timeout=PATIENCE)

    def test_strange_names_stay_text(self):
        odd = {"x": floats([1, 2, 3, 5]), "<script>alert(1)</script>/step_001/\"'&": floats([1, 2])}
        write(self.work / "a.safetensors", odd)
        odd["<script>alert(1)</script>/step_001/\"'&"] = floats([1, 3])
        write(self.work / "b.safetensors", odd, metadata={"source": "<img src=x onerror=alert(2)>"})
        self.done("compare-traces", "a.safetensors", "b.safetensors", "--report", "r.html", "--csv", "r.csv")
        page = (self.work / "r.html").read_text()
        self.assertNotIn("<script>alert", page)
        self.assertNotIn("<img src=x", page)

    def test_outputs(self):
        write(self.work / "b.safetensors", {"x": floats([1, 2, 3, 4.5]), "y": floats([1, -1])})
        self.done("compare-traces", "a.safetensors", "b.safetensors", "--report", "r.html", "--csv", "r.csv")
        page = (self.work / "r.html").read_text()
        self.assertEqual(re.findall(r"(?:src|href)=\"(?!data:)[^\"]*|https?://(?!www\.w3\.org)[^\s\"<]*", page), [])
        self.assertEqual(len((self.work / "r.csv").read_text().splitlines()), 3)
        # x differs and y is equal. An equal layer must be visible on a page of any colour and be named equal, and a logarithmic scale must say where it ends.
        self.assertEqual(page.count("fill:transparent;stroke:var(--faint)"), 1)
        self.assertIn("Hollow: equal to the bit.", page)
        self.assertIn(">≤1e-8</text>", page)
        (self.work / "folder").mkdir()
        (self.work / "link").symlink_to("folder")
        for words in (["--report", "a.safetensors"], ["--csv", "b.safetensors"], ["--report", "x.html", "--csv", "./x.html"], ["--report", "folder/x", "--csv", "link/x"],
                      ["--report", "missing/r.html"], ["--max-error", "x"], ["--max-error", "-1"]):
            self.refused("compare-traces", "a.safetensors", "b.safetensors", *words, timeout=PATIENCE)
        self.refused("compare-traces", "", "b.safetensors", codes=(2,), names=("A:",))
        self.refused("compare-traces", "a.safetensors", "", codes=(2,), names=("B:",))

    def test_each_layer_is_told_once(self):
        keys = [f"transformer/step_{i:03}/cond/time_embedding.input" for i in range(1, 31)] + ["transformer/step_001/cond/\x1b[31mred"]
        for name, value in (("a", 1), ("b", 2)):
            write(self.work / f"{name}.safetensors", {k: floats([3, value]) for k in keys})
        text = self.done("compare-traces", "a.safetensors", "b.safetensors").out
        self.assertEqual([line.split()[-1] for line in text.splitlines() if "transformer/step_001/cond/time_embedding.input " in line], ["+29", "0.96476382"])
        self.assertNotIn("step_002", text)
        self.assertNotIn("\x1b", text)

    def test_products_pass_on_what_their_factors_make(self):
        """fc1 differs little except where the gate is large, which explains the product. A product that its factors do not explain is an error all the same."""
        names = [f"text_encoder/cond/blocks.0.ffn.{x}" for x in ("gate.1", "fc1", "fc2.input")]
        gate, fc1, other = [100, 0.01, 0.01, 0.01], [0.002, 10, 20, 30], [0.002001, 10, 20, 30]
        product = lambda x, y: floats([p * q for p, q in zip(x, y)])
        write(self.work / "a.safetensors", dict(zip(names, (floats(gate), floats(fc1), product(gate, fc1)))))
        found = self.compare(dict(zip(names, (floats(gate), floats(other), product(gate, other)))))
        self.assertIsNone(found["first"], found["verdict"])
        found = self.compare(dict(zip(names, (floats(gate), floats(other), floats([0.3, 0.1, 0.2, 0.3])))))
        self.assertEqual(found["first"]["key"], names[2])

    def test_settings_that_differ(self):
        good = {"x": floats([1, 2, 3, 4])}
        write(self.work / "a.safetensors", good, metadata={"request": json.dumps({"seed": 3, "steps": 4})})
        found = self.compare(good, metadata={"request": json.dumps({"seed": 5, "steps": 4})})
        self.assertEqual(found["settings"], [{"key": "seed", "a": "3", "b": "5"}])
        text = self.done("compare-traces", "a.safetensors", "b.safetensors", "--report", "r.html").out
        self.assertIn("note: seed is 3 in A and 5 in B", text)
        self.assertIn("<td>seed</td><td>3</td><td>5</td>", (self.work / "r.html").read_text())
        noise = {"sampler/step_000/latent": floats([1, 2])}
        write(self.work / "a.safetensors", noise)
        write(self.work / "b.safetensors", {"sampler/step_000/latent": floats([2, 1])})
        self.done("compare-traces", "a.safetensors", "b.safetensors", "--report", "r.html")
        self.assertIn("They are given different latent", (self.work / "r.html").read_text())
        write(self.work / "a.safetensors", good, metadata={"request": json.dumps({"seed": 3})})
        for strange in ("{", "[" * 5000, "[3]", '{"seed": 1e999}', "\x1b"):
            self.assertEqual(self.compare(good, metadata={"request": strange})["settings"], [])

    def test_max_error_is_an_exit_code(self):
        write(self.work / "b.safetensors", {"x": floats([1, 2, 3, 4.001]), "y": floats([1, -1])})
        self.done("compare-traces", "a.safetensors", "b.safetensors", "--max-error", "1e-2")
        self.assertEqual(self.run_cli("compare-traces", "a.safetensors", "b.safetensors", "--max-error", "1e-5").code, 1)

    def test_max_error_does_not_pass_what_is_missing(self):
        """In tables of one's own every tensor must be on both sides; in traces, those that both sides were asked for."""
        def limited(code, *words):
            result = self.run_cli("compare-traces", "a.safetensors", "b.safetensors", "--max-error", "1", "--json", *words)
            self.assertEqual(result.code, code, result.err)
            return result

        write(self.work / "b.safetensors", {"x": floats([1, 2, 3, 4])})
        self.assertIn("a.safetensors: missing in B: y; ", limited(1, "--report", "r.html").err)
        self.assertIn("tensors are missing", (self.work / "r.html").read_text())
        write(self.work / "b.safetensors", {"x": floats([1, 2, 3, 4]), "y": floats([1, -1]), "z": floats([1])})
        found = limited(1).json()
        self.assertEqual((found["missing_in_a"], found["missing_in_b"], found["agree"]), (["z"], [], False))
        self.assertIn(" Missing in A: z.", found["verdict"])

        # PyTorch's traces do not say which layers were asked for. There only a gap in the table of steps, branches and layers is missing.
        say = {"denoir_trace": "1"}
        cells = {f"transformer/step_00{s}/{b}/{l}": floats([1]) for s in (1, 2) for b in ("cond", "uncond") for l in ("blocks.0", "head")}
        write(self.work / "a.safetensors", cells, metadata=say)
        for left_out, missing in (("step_002", 0), ("uncond", 0), ("head", 0), ("step_002/cond/head", 1), ("step_001/uncond/blocks.0", 1)):
            write(self.work / "b.safetensors", {k: v for k, v in cells.items() if left_out not in k}, metadata=say)
            self.assertEqual(len(limited(int(missing > 0)).json()["missing_in_b"]), missing, left_out)

        # Two traces that were asked for the same layers miss whatever one of them lacks.
        self.done("trace", *SMALL, "--out", "a.safetensors", "--layers", "blocks.0,head,latent", "--steps", "2")
        tensors, metadata = read(self.work / "a.safetensors")
        self.assertEqual((metadata["layers"], metadata["steps"]), ("blocks.0,head,latent", "2"))
        write(self.work / "b.safetensors", {k: v for k, v in tensors.items() if not k.endswith("latent")}, metadata=metadata)
        self.assertEqual(limited(1).json()["missing_in_b"], ["sampler/step_002/latent"])
        self.done("trace", *SMALL, "--out", "b.safetensors", "--layers", "head", "--steps", "1-2")
        limited(0)
        self.done("trace", *SMALL, "--guidance", "1", "--out", "b.safetensors", "--layers", "blocks.0,head,latent", "--steps", "2")
        self.assertEqual(len(self.run_cli("compare-traces", "a.safetensors", "b.safetensors", "--json").json()["missing_in_b"]), 0)

    def test_many_long_missing_names_are_one_line(self):
        long = {f"{i}{'n' * 300}": floats([1]) for i in range(5)}
        write(self.work / "a.safetensors", {"x": floats([1])} | long)
        write(self.work / "b.safetensors", {"x": floats([1])} | {"b" + k: v for k, v in long.items()})
        self.refused("compare-traces", "a.safetensors", "b.safetensors", "--max-error", "1", codes=(1,), names=("missing in A: ", "… (5); "))


class Precision(Case):
    def test_a_report_of_both_worlds(self):
        words = SMALL[:-2]
        found = self.done("compare-precision", *words, "--a", "f32", "--b", "bf16", "--report", "r.html", "--csv", "r.csv", "--keep", "kept",
                          "--json").json()
        self.assertEqual(len(found["pictures"]["frames"]), 5)
        self.assertGreater(found["pictures"]["mean"]["psnr"], 20)
        self.assertIsNotNone(found["first_dtype"])
        self.assertEqual(found["only_a"] + found["only_b"], [])
        self.assertEqual(tree(self.work), ["kept", "kept/A.safetensors", "kept/B.safetensors", "r.csv", "r.html"])
        page = (self.work / "r.html").read_text()
        self.assertIn("data:image/png;base64,", page)
        self.assertIn("What it means in the picture", page)

    def test_ctrl_c_leaves_nothing(self):
        large = ["256x256" if w == "32x32" else "33" if w == "5" else w for w in SMALL]
        process = self.start("compare-precision", *large, "--layers", "latent", "--keep", "kept")
        self.wait_until(lambda: list(self.work.rglob("*B.safetensors*")))  # by then the trace of A is complete
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        self.assertEqual(process.returncode, 130)
        self.assertEqual([path for path in tree(self.work) if path != "kept"], [])
        self.done("compare-precision", *SMALL, "--keep", "kept")
        self.assertEqual(tree(self.work), ["kept", "kept/A.safetensors", "kept/B.safetensors"])

    def test_the_bundled_model_only_rounds(self):
        for prompt in ("", "A star."):
            found = self.done("compare-precision", "--prompt", prompt, "--size", "32x32", "--frames", "5", "--solver-steps", "1", "--seed", "3", "--json").json()
            self.assertIsNone(found["first"], found["verdict"])
            self.assertFalse(found["a"].startswith("A:"))
            self.assertEqual({s["key"]: (s["a"], s["b"]) for s in found["settings"]}["dtype"], ('"f32"', '"bf16"'))

    def test_the_same_twice_is_identical(self):
        # No seed is given, so one is drawn for both sides.
        found = self.done("compare-precision", *SMALL[:-4], "--a", "f32+cpu", "--b", "f32", "--layers", "head", "--json").json()
        self.assertTrue(found["identical"])
        self.assertNotIn("seed", [setting["key"] for setting in found["settings"]])
        self.assertIsNone(found["pictures"]["mean"]["psnr"])
        self.assertEqual(tree(self.work), [])

    def test_options_that_both_sides_replace(self):
        words = ("compare-precision", *SMALL[:-2], "--layers", "head", "--precision", "wan")
        said = "--{} has no effect: --a {} and --b {} name their own"
        for options, a, b, named in (
            (("--dtype", "bf16"), "f32", "bf16", ["dtype"]),  # bf16 with the request's cast points
            ((), "f32", "wan", ["precision"]),
            (("--dtype", "bf16", "--device", "cpu"), "skyreels+cpu", "cpu+f32", ["dtype", "precision", "device"]),
            (("--dtype", "bf16", "--device", "cpu"), "cpu", "f32", []),
        ):
            err = self.done(*words, *options, "--a", a, "--b", b).err
            warned = [line for line in err.splitlines() if "has no effect" in line]
            self.assertEqual(warned, ["warning: " + said.format(field, a, b) for field in named], err)
        self.assertNotIn("has no effect", self.done("compare-precision", *SMALL[:-2], "--layers", "head").err)

    def test_the_cast_points_of_the_request(self):
        for side in (("--precision", "wan", "--b", "bf16"), ("--b", "wan+bf16"), ("--b", "bf16+wan"), ("--precision", "skyreels", "--b", "wan")):
            found = self.done("compare-precision", *SMALL, "--layers", "head", *side, "--json").json()
            self.assertEqual((found["a"], found["b"]), ("f32, cast points f32, on cpu", "bf16, cast points wan, on cpu"))

    def test_refusals(self):
        for words in (["--a", "f16"], ["--b", ""], ["--b", "bf16+gpu"], ["--keep", ""], ["--report", "missing/r.html"]):
            self.refused("compare-precision", *SMALL, *words, timeout=PATIENCE)
        for one, other in (("f32", "bf16"), ("wan", "skyreels"), ("f32", "wan"), ("cpu", "cuda:0")):
            for words in (f"{one}+{other}", f"{other}+{one}"):
                self.refused("compare-precision", *SMALL, "--a", words, codes=(2,), names=("denoir-cli: --a: ", one, other), timeout=PATIENCE)
        self.refused("compare-precision", timeout=PATIENCE)
        self.refused("compare-precision", *SMALL, "--a", "f32+cuda:x", codes=(2,), names=("denoir-cli: --a: ", "cuda:x"), timeout=PATIENCE)
        self.refused("compare-precision", "--prompt", PROMPT, "--solver-steps", "many", codes=(2,), names=("denoir-cli: --solver-steps: must be a whole number",), timeout=PATIENCE)
        self.refused("compare-precision", *SMALL, "--layers", "nothing", "--keep", "kept", codes=(2,), names=("--layers",), timeout=PATIENCE)
        self.refused("compare-precision", *SMALL, "--report", "x", "--csv", "./x", codes=(2,), names=("--csv",), timeout=PATIENCE)
        (self.work / "file").touch()
        self.refused("compare-precision", *SMALL, "--keep", "file", codes=(1,), names=("file: is a file; name a new or empty folder",), timeout=PATIENCE)
        os.unlink(self.work / "file")
        self.assertEqual(tree(self.work), [])


if __name__ == "__main__":
    main()
