# SPDX-License-Identifier: Apache-2.0
"""Run folders that somebody changed: what their request and model would not have made is refused by file, and nothing is touched."""

import hashlib
import json
import shutil
import struct

from program import FIXTURES, MODEL, PROMPT, Case, main, sha256, tree, write_safetensors

PATIENCE = 20


def read_safetensors(path):
    """{name: (dtype, shape, bytes)}"""
    raw = path.read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8 : 8 + size])
    header.pop("__metadata__", None)
    return {n: (t["dtype"], t["shape"], raw[8 + size + t["data_offsets"][0] : 8 + size + t["data_offsets"][1]]) for n, t in header.items()}


class StoredRuns(Case):
    def setUp(self):
        super().setUp()
        self.done(*self.render_words("out.mp4", "--run-dir", self.work / "good", steps=3))

    def changed(self, tensors=None, request=None, steps=None, out=None):
        """A copy of the run with other tensors (file: function of them) whose checksums fit, another request, fewer steps."""
        run = self.work / "run"
        shutil.rmtree(run, ignore_errors=True)
        shutil.copytree(self.work / "good", run)
        record = json.loads((run / "run.json").read_text())
        record["request"] |= request or {}
        for key in [k for k, v in (request or {}).items() if v is ...]:
            del record["request"][key]
        if steps is not None:
            record["state"], record["steps"] = "failed", record["steps"][: steps + 1]
        if out:
            record["out"] = str(out)
        for name, change in (tensors or {}).items():
            stored = read_safetensors(run / name)
            change(stored)
            write_safetensors(run / name, stored)
            digest = hashlib.sha256((run / name).read_bytes()).hexdigest()
            folder, _, step = name.partition("/step_")
            if step:
                for s in record["steps"]:
                    if s["step"] == int(step[:3]):
                        s["sha256" if folder == "latents" else "solver_sha256"] = digest
            else:
                record["conditioning_sha256"] = digest
        (run / "run.json").write_text(json.dumps(record))
        return run

    def refuse_all(self, *names, step=None, commands=("decode", "resume", "from"), **change):
        """A run that stopped after two of its three steps: seen, gone on with, branched from."""
        self.changed(steps=2, **change)
        words = {"decode": ("decode", "run", "--step", 2, "--out", "draft.mp4"), "resume": ("render", "--resume", "run"),
                 "from": ("render", "--from", "run", "--step", 2, "--guidance", 3, "--out", "branch.mp4", "--run-dir", "branch")}  # fmt: skip
        for command in commands:
            before = {p: sha256(self.work / "run" / p) for p in tree(self.work / "run") if (self.work / "run" / p).is_file()}
            self.refused(*words[command], codes=(1,), names=names, timeout=PATIENCE)
            self.assertEqual({p: sha256(self.work / "run" / p) for p in before}, before, command)

    def test_request_of_other_sizes(self):
        for request in ({"frames": 13}, {"frames": 4001}, {"frames": 5}, {"width": 96}, {"height": 480}):
            self.refuse_all("step_002.safetensors", request=request)

    def test_request_that_lacks_something(self):
        for key in ("mode", "width", "frames", "steps", "guidance", "sampler", "dtype", "device"):
            self.refuse_all("run.json", key, request={key: ...})

    def test_latents(self):
        def with_latent(value):
            def change(stored):
                for name in ("latent", "x0"):
                    stored[name] = value(*stored[name])

            return {"latents/step_002.safetensors": change}

        nan, inf = struct.pack("<f", float("nan")), struct.pack("<f", float("inf"))
        for value in (
            lambda dtype, shape, raw: (dtype, [shape[0], shape[1], shape[3], shape[2]], raw),
            lambda dtype, shape, raw: (dtype, [shape[0], 1, *shape[2:]], raw[: len(raw) // shape[1]]),
            lambda dtype, shape, raw: (dtype, [shape[0], 0, 128, 128], b""),
            lambda dtype, shape, raw: (dtype, [shape[0], shape[1], 100, 60], bytes(4 * shape[0] * shape[1] * 6000)),
            lambda dtype, shape, raw: ("I32", shape, raw),
            lambda dtype, shape, raw: (dtype, shape, nan + raw[4:]),
            lambda dtype, shape, raw: (dtype, shape, raw[:-4] + inf),
        ):
            self.refuse_all("step_002.safetensors", tensors=with_latent(value))

    def test_solver(self):
        def only(change):
            return {"solver/step_002.safetensors": change}

        def typed(stored):
            for name, (_, shape, raw) in stored.items():
                stored[name] = ("I32", shape, raw)

        def shorter(stored):
            name = next(n for n in stored if n.endswith(".m"))
            stored[name] = ("F32", [1], bytes(4))

        def unwritten(stored):
            # As before the first step: fits itself, not the run's second.
            for name in [n for n in stored if not n.endswith(".counters")]:
                del stored[name]
            for name, (dtype, shape, raw) in stored.items():
                stored[name] = (dtype, shape, bytes(len(raw)))

        for change in (dict.clear, typed, shorter, unwritten, lambda stored: stored.pop(next(n for n in stored if n.endswith(".m")))):
            self.refuse_all("step_002.safetensors", "solver", tensors=only(change), commands=("resume", "from"))
        for sampler in ("euler", "dpmpp"):
            self.refuse_all("step_002.safetensors", "solver", request={"sampler": sampler}, commands=("resume", "from"))

    def test_conditioning(self):
        def text(value):
            def change(stored):
                stored["text"] = value(*stored["text"])

            return {"conditioning.safetensors": change}

        nan = struct.pack("<f", float("nan"))
        for value in (lambda dtype, shape, raw: (dtype, shape, nan + raw[4:]), lambda dtype, shape, raw: ("U32", shape, raw),
                      lambda dtype, shape, raw: (dtype, [shape[1], shape[0]], raw)):  # fmt: skip
            self.refuse_all("conditioning.safetensors", "text", tensors=text(value), commands=("resume",))
        self.refuse_all("conditioning.safetensors", "negative_text", tensors={"conditioning.safetensors": lambda stored: stored.pop("negative_text")}, commands=("resume",))

    def test_output_that_is_an_input(self):
        model = self.work / "model"
        shutil.copytree(MODEL, model)
        weights = model / "vae" / "diffusion_pytorch_model.safetensors"
        (model / "out.mp4").symlink_to(weights)
        before = sha256(weights)
        self.changed(steps=2, request={"model": str(model)}, out=model / "out.mp4")
        self.refused("render", "--resume", "run", codes=(1,), names=("out.mp4", "input"), timeout=PATIENCE)
        self.assertEqual(sha256(weights), before)

    def test_no_gpu(self):
        result = self.run_cli(*self.render_words("o.mp4", "--run-dir", "gpu", "--device", "cuda:99", steps=1), timeout=PATIENCE)
        self.assertEqual(result.code, 1, result.err)
        self.assertFalse((self.work / "gpu").exists() or (self.work / "o.mp4").exists())

    def test_forcing_without_a_second_branch(self):
        # SkyReels' forcing loop leaves the negative prompt out up to guidance 1: below it nothing changes.
        model = FIXTURES / "_models" / "SkyReels-V2-DF-tiny"
        sums = set()
        for guidance in (0, 0.5, 1):
            self.done("render", "--model", model, "--prompt", PROMPT, "--size", "80x48", "--frames", 9, "--steps", 2, "--seed", 7, "--dtype", "f32",
                      "--guidance", guidance, "--out", f"g{guidance}.mp4", "--run-dir", f"g{guidance}")  # fmt: skip
            sums.add(json.loads((self.work / f"g{guidance}" / "run.json").read_text())["steps"][-1]["sha256"])
        self.assertEqual(len(sums), 1)


if __name__ == "__main__":
    main()
