# SPDX-License-Identifier: Apache-2.0
"""Tests run folders that somebody changed: a file that cannot belong to the run's request and model is named, and nothing is touched."""

import hashlib
import json
import resource
import shutil
import signal
import struct

from program import FIXTURES, MODEL, PACE, PROMPT, Case, main, read_safetensors, sha256, tree, write_safetensors

PATIENCE = 20


class StoredRuns(Case):
    def setUp(self):
        super().setUp()
        self.done(*self.render_words("out.mp4", "--run-dir", self.work / "good", steps=3))

    def changed(self, tensors=None, request=None, steps=None, out=None):
        """Copies the run with changed tensors ({file: function of them}) and fitting checksums, another request, or fewer steps."""
        run = self.work / "run"
        shutil.rmtree(run, ignore_errors=True)
        shutil.copytree(self.work / "good", run)
        record = json.loads((run / "run.json").read_text())
        record["request"] |= request or {}
        for key in [k for k, v in (request or {}).items() if v is ...]:
            del record["request"][key]
        if steps is not None:
            record["state"], record["steps"] = "failed", record["steps"][: steps + 1]
        if out is not None:
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
        """Expects refusals to decode, resume and branch a run that stopped after two of its three steps."""
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

    def test_a_branch_of_another_size(self):
        for size in ("64x48", "80x64"):
            self.refused("render", "--from", "good", "--step", 1, "--size", size, "--out", "b.mp4", "--run-dir", "b",
                         names=("--size: a branch keeps the size of 80x48",), timeout=PATIENCE)  # fmt: skip

    def test_windows(self):
        """A clip of three windows is made of the last latent of each, and one that does not fit is named."""
        shutil.rmtree(self.work / "good")
        request = {"schema": 1, "model": str(FIXTURES / "_models" / "SkyReels-V2-DF-tiny"), "prompt": PROMPT, "width": 32, "height": 32, "frames": 17,
                   "steps": 1, "seed": 7, "dtype": "f32", "forcing": {"base": 9, "overlap": 5}}  # fmt: skip
        (self.work / "q.json").write_text(json.dumps(request))
        self.done("render", "q.json", "--run-dir", "good", "--out", "q.mp4")

        def half(stored):
            for name, (dtype, shape, raw) in stored.items():
                stored[name] = dtype, [shape[0], 1, *shape[2:]], raw[: len(raw) // shape[1]]

        self.refuse_all("latents/step_001.safetensors", "latent", tensors={"latents/step_001.safetensors": half})
        for change in ({"overlap": 1}, {"overlap": 9}, {"base": 13}, {"ar_step": 1}):
            changed = {"ar_step": 0, "block": 1, "causal_attention": False} | request["forcing"] | change
            self.refuse_all("run.json", request={"forcing": changed}, commands=("decode", "resume"))

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
            # A state as before the first step is valid in itself, but not for the run's second step.
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
        for out in ("", "clip.avi"):
            self.changed(steps=2, out=out)
            self.refused("render", "--resume", "run", codes=(1,), names=("denoir-cli: run/run.json: out: ",), timeout=PATIENCE)
        self.assertEqual(sha256(weights), before)

    def test_frames_that_were_being_put_in_their_place(self):
        # The run is killed after its frames arrived and before its record says so.
        self.done(*self.render_words("frames", "--run-dir", "r", steps=2))
        frames, record = self.work / "frames", json.loads((self.work / "r" / "run.json").read_text())
        sums = {p.name: sha256(p) for p in frames.iterdir()}

        def killed():
            (self.work / "r" / "run.json").write_text(json.dumps(record | {"state": "running"}))

        for missing in ((), ("frame_00001.png",), ("frame_00003.png", "frame_00009.png")):
            for name in missing:
                (frames / name).unlink()
            killed()
            self.done("render", "--resume", "r")
            self.assertEqual({p.name: sha256(p) for p in frames.iterdir()}, sums)
        (frames / "frame_00002.png").write_bytes(b"somebody's own")
        killed()
        result = self.run_cli("render", "--resume", "r")
        self.assertEqual(result.code, 1)
        self.assertIn("not empty", result.err)
        self.assertEqual((frames / "frame_00002.png").read_bytes(), b"somebody's own")
        self.assertEqual({p.name for p in frames.iterdir()}, set(sums))
        (frames / "notes.txt").write_text("mine")
        killed()
        self.refused("render", "--resume", "r", codes=(1,), names=("frames: is not empty; move away what is there, or decode the run into another place",))
        self.done("decode", "r", "--out", "elsewhere")
        self.assertEqual({p.name: sha256(p) for p in (self.work / "elsewhere").iterdir()}, sums)
        frames.rename(self.work / "away")
        self.done("render", "--resume", "r")
        self.assertEqual({p.name: sha256(p) for p in frames.iterdir()}, sums)

    def test_frames_whose_folder_was_filled_meanwhile(self):
        process = self.start(*self.render_words("frames", "--run-dir", "r", steps=50))
        self.wait_until(lambda: (self.work / "r" / "solver" / "step_001.safetensors").exists())
        process.send_signal(signal.SIGSTOP)
        (self.work / "frames").mkdir()
        (self.work / "frames" / "notes.txt").write_text("mine")
        self.assertFalse((self.work / "r" / "latents" / "step_050.safetensors").exists())
        process.send_signal(signal.SIGCONT)
        err = process.communicate(timeout=60 * PACE)[1].decode()
        self.assertEqual((process.returncode, len(err.splitlines())), (1, 1), err)
        self.assertIn("frames: is not empty; move away what is there, or decode the run into another place (resume with: ", err)
        self.done("decode", "r", "--out", "elsewhere")
        (self.work / "frames").rename(self.work / "away")
        self.done("render", "--resume", "r")
        self.assertEqual(tree(self.work / "frames"), tree(self.work / "elsewhere"))

    def test_files_longer_than_any_run_makes(self):
        # Sparse files take no time to make and hours to sum. They must be recognised as changed at once.
        terabyte = 1 << 40

        def sparse(name, table=None, **how):
            run = self.changed(**how)
            with open(run / name, "r+b") as file:
                if table:
                    text = json.dumps(table).encode()
                    file.write(struct.pack("<Q", len(text)) + text)
                    file.truncate(8 + len(text) + terabyte)
                else:
                    file.truncate(terabyte)

        latents = {"latent": {"dtype": "F32", "shape": [16, 1, 1 << 17, 1 << 17], "data_offsets": [0, terabyte]}}
        branch = ("--guidance", 3, "--out", "branch.mp4", "--run-dir", "branch")
        sparse("latents/step_002.safetensors", latents, steps=2)
        self.refused("verify", "run", codes=(1,), names=("checksum", "step_002"), timeout=PATIENCE)
        self.refused("decode", "run", "--step", 2, "--out", "draft.mp4", codes=(1,), names=("step_002",), timeout=PATIENCE)
        self.refused("render", "--from", "run", "--step", 2, *branch, codes=(1,), names=("step_002",), timeout=PATIENCE)
        self.done("render", "--resume", "run", timeout=PATIENCE)
        sparse("latents/step_002.safetensors", latents)
        notes = self.done("compare", "run", "good", "--json", timeout=PATIENCE).json()["notes"]
        self.assertTrue(any("step_002" in note for note in notes), notes)
        sparse("conditioning.safetensors", steps=2)
        self.refused("verify", "run", codes=(1,), names=("checksum", "conditioning"), timeout=PATIENCE)
        self.done("render", "--resume", "run", timeout=PATIENCE)
        sparse("solver/step_001.safetensors", steps=1)
        self.refused("render", "--from", "run", "--step", 1, *branch, codes=(1,), names=("solver", "step_001"), timeout=PATIENCE)
        self.done("render", "--resume", "run", timeout=PATIENCE)
        sparse("video.mp4")
        self.refused("verify", "run", codes=(1,), names=("checksum", "video.mp4"), timeout=PATIENCE)

    def test_a_size_that_was_never_rendered(self):
        # Finding out must neither draw a gigabyte of noise nor decode anything.
        for request in ({"width": 8192, "height": 8192, "frames": 61}, {"width": 4096, "height": 4096, "frames": 5}):
            self.changed(request=request)
            result = self.refused("verify", "run", codes=(1,), timeout=PATIENCE)
            self.assertTrue("step 0 is the first" in result.err or "GiB" in result.err, result.err)
            self.assertLess(result.seconds, 3 * PACE)
        self.changed(request={"width": 8192, "height": 8192, "frames": 16385})
        self.refused("verify", "run", codes=(1,), names=("run.json", "too large"), timeout=PATIENCE)

    def test_terminal_escapes(self):
        # Text in a run from elsewhere is shown as plain text, and C1 controls in JSON as escapes.
        evil = "a\x1b]0;x\x07\u009b31m\x7f"
        run = self.home / "data" / "runs" / "evil"
        shutil.copytree(self.work / "good", run)
        record = json.loads((run / "run.json").read_text())
        record |= {"created": evil, "out": "/tmp/" + evil, "stages": {evil: 1.0}}
        (run / "run.json").write_text(json.dumps(record))
        shutil.copytree(self.work / "good", self.work / "N\x1b[31mx")
        for words in (("render", "--resume", run), ("runs",), ("runs", "--json"), ("render", "--resume", run, "--json"), ("verify", "N\x1b[31mx")):
            result = self.run_cli(*words)
            for line in (result.out + result.err).splitlines():
                self.assertTrue(line.isprintable(), (words, line))
            self.assertEqual(result.code, 0, result.err)
        self.assertIn(evil, [r["created"] for r in self.done("runs", "--json").json()["runs"]])

    def test_branch_that_keeps_no_latents(self):
        for keep in ("none", "last"):
            self.done("render", "--from", "good", "--step", 2, "--prompt", "a dog", "--latents", keep, "--out", f"{keep}.mp4", "--run-dir", keep)
            self.done("verify", keep)
        shutil.rmtree(self.work / "good" / "latents")
        self.refused("verify", "none", codes=(1,), names=("step_002", "missing"))

    def test_a_step_that_is_not_there_is_told_as_it_was_asked_for(self):
        self.refused("decode", "good", "--step", 99, "--out", "d.mp4", codes=(2,), names=("--step: 99",))
        self.refused("render", "--from", "good", "--step", 99, "--out", "d.mp4", codes=(2,), names=("--step: cannot start from step 99",))
        start, says = {"start": {"run": "good", "step": 99}}, "start.step: cannot start from step 99"
        (self.work / "branch.json").write_text(json.dumps({"schema": 1} | start))
        self.refused("render", "branch.json", "--out", "d.mp4", codes=(2,), names=("good: " + says,))
        (self.work / "sweep.json").write_text(json.dumps({"schema": 1, "request": start, "axes": {"guidance": [1, 2]}}))
        self.refused("sweep", "sweep.json", "--out", "s", codes=(2,), names=("sweep.json: request." + says,))

    def test_a_file_in_the_place_of_a_folder(self):
        for part in ("latents", "solver"):
            folder, aside = self.work / "good" / part, self.work / "aside"
            folder.rename(aside)
            folder.write_bytes(b"")
            self.refused("render", "--resume", "good", codes=(1,), names=(f"good/{part}: is not a folder; remove it",))
            folder.unlink()
            folder.symlink_to("nowhere")
            self.refused("render", "--resume", "good", codes=(1,), names=(f"good/{part}: is not a folder; remove it",))
            folder.unlink()
            aside.rename(folder)
        self.done("render", "--resume", "good")

    def test_branch_of_a_branch_before_its_start(self):
        self.done("render", "--from", "good", "--step", 2, "--prompt", "a dog", "--out", "b.mp4", "--run-dir", "b")
        for parent in ("good", "b"):
            self.done("render", "--from", parent, "--step", 1, "--prompt", "a cat", "--out", f"{parent}-1.mp4", "--run-dir", f"{parent}-1")
        self.assertEqual(sha256(self.work / "good-1" / "latents" / "step_003.safetensors"),
                         sha256(self.work / "b-1" / "latents" / "step_003.safetensors"))  # fmt: skip
        record = json.loads((self.work / "b" / "run.json").read_text())
        record["steps"][1]["solver_sha256"] = ""  # as on another disk, where the solver's state was not copied
        (self.work / "b" / "run.json").write_text(json.dumps(record))
        self.refused("render", "--from", "b", "--step", 1, "--out", "c.mp4", "--run-dir", "c", codes=(2,), names=("step", "began from"))

    def test_verify_says_in_json_what_it_refuses(self):
        record = json.loads((self.work / "good" / "run.json").read_text())
        record["steps"][2]["sha256"] = "0" * 64
        (self.work / "good" / "run.json").write_text(json.dumps(record))
        result = self.run_cli("verify", "good", "--json", timeout=PATIENCE)
        self.assertEqual((result.code, result.json()["identical"]), (1, False))
        self.assertTrue(all(result.json()["error"][part] for part in ("file", "field", "message", "hint")))

    def test_a_branch_whose_earlier_steps_are_gone_leaves_nothing(self):
        (self.work / "good" / "latents" / "step_001.safetensors").unlink()
        self.refused("render", "--from", "good", "--step", 2, "--guidance", 3, "--out", "b.mp4", "--run-dir", "br", codes=(1,), names=("step_001", "missing"))

    def test_a_run_without_its_model(self):
        self.changed(request={"model": ...})
        for words in (("decode", "run", "--out", "d.mp4"), ("verify", "run")):
            self.refused(*words, codes=(1,), names=("run.json", "request.model", "missing"))

    def test_resuming_sees_beforehand_where_it_cannot_write(self):
        for name in ("video.mp4", "thumbnail.png", "metrics.json", "latents/step_003.safetensors", "solver/step_002.safetensors"):
            run = self.changed(steps=1)
            (run / name).unlink(missing_ok=True)
            (run / name).mkdir()
            before = (run / "run.json").read_bytes()
            self.refused("render", "--resume", "run", codes=(1,), names=(name, "is not a file"))
            self.assertEqual((run / "run.json").read_bytes(), before)

    def test_what_cannot_be_read_may_be_whole(self):
        run = self.changed(steps=2)
        step, aside = run / "latents" / "step_002.safetensors", self.folder / "aside"
        step.rename(aside)
        step.symlink_to(step.name)  # a link in a circle cannot be read, even by root
        before = (run / "run.json").read_bytes()
        self.refused("render", "--resume", "run", codes=(1,), names=("step_002", "circle"))
        self.refused("render", "--from", "run", "--step", 2, "--run-dir", "branch", "--out", "b.mp4", codes=(1,), names=("step_002", "circle"))
        self.refused("verify", "run", codes=(1,), names=("step_002", "circle"))
        self.assertEqual((run / "run.json").read_bytes(), before)
        step.unlink()
        aside.rename(step)
        self.assertNotIn("computed again", self.done("render", "--resume", "run").err)

    def test_steps_that_are_gone_are_told(self):
        run = self.changed(steps=2)
        for step in (1, 2):
            (run / "latents" / f"step_{step:03}.safetensors").unlink()
        err = self.done("render", "--resume", "run").err
        self.assertIn("run: what was stored after step 0 is missing or was changed: computed again", err)

    def test_run_folder_that_a_full_disk_left(self):
        limit = dict(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        self.refused(*self.render_words("o.mp4", "--run-dir", "r", steps=1), codes=(1,), **limit)
        (self.work / "r").mkdir()
        self.refused(*self.render_words("o.mp4", "--run-dir", "r", steps=1), codes=(1,), **limit)
        self.done(*self.render_words("o.mp4", "--run-dir", "r", steps=1))

    def test_no_gpu(self):
        result = self.run_cli(*self.render_words("o.mp4", "--run-dir", "gpu", "--device", "cuda:99", steps=1), timeout=PATIENCE)
        self.assertEqual(result.code, 1, result.err)
        self.assertFalse((self.work / "gpu").exists() or (self.work / "o.mp4").exists())

    def test_forcing_without_a_second_branch(self):
        # SkyReels' forcing loop uses no negative prompt at guidance 1 and below, so a lower guidance changes nothing.
        model = FIXTURES / "_models" / "SkyReels-V2-DF-tiny"
        sums = set()
        for guidance in (0, 0.5, 1):
            self.done("render", "--model", model, "--prompt", PROMPT, "--size", "80x48", "--frames", 9, "--steps", 2, "--seed", 7, "--dtype", "f32",
                      "--guidance", guidance, "--out", f"g{guidance}.mp4", "--run-dir", f"g{guidance}")  # fmt: skip
            sums.add(json.loads((self.work / f"g{guidance}" / "run.json").read_text())["steps"][-1]["sha256"])
        self.assertEqual(len(sums), 1)

    def test_a_clip_that_goes_on_after_a_video(self):
        shutil.copytree(FIXTURES / "_inputs" / "before", self.work / "before")
        request = {"schema": 1, "model": str(FIXTURES / "_models" / "SkyReels-V2-DF-tiny"), "prompt": PROMPT, "width": 80, "height": 48, "frames": 17, "steps": 3,
                   "seed": 7, "dtype": "f32", "forcing": {"video": "before", "overlap": 9, "ar_step": 1}}  # fmt: skip
        (self.work / "q.json").write_text(json.dumps(request))
        self.done("render", "q.json", "--out", "a.mp4", "--run-dir", "a")
        run = json.loads((self.work / "a" / "run.json").read_text())
        self.assertEqual(run["total_steps"], 4)  # two new latent frames, the second one step later
        self.assertEqual(run["request"]["forcing"]["video"], str(self.work / "before"))
        self.assertIn("identical", self.done("verify", "a").out)
        # The run stores what the video gave, so it goes on without it.
        for name in ("latents/step_003.safetensors", "latents/step_004.safetensors", "video.mp4"):
            (self.work / "a" / name).unlink()
        run["state"], run["steps"] = "cancelled", run["steps"][:3]
        (self.work / "a" / "run.json").write_text(json.dumps(run))
        shutil.move(self.work / "before", self.work / "gone")
        before = sha256(self.work / "a.mp4")
        (self.work / "a.mp4").unlink()
        self.done("render", "--resume", "a")
        self.assertEqual(sha256(self.work / "a.mp4"), before)
        self.done("render", "--from", "a", "--step", 2, "--guidance", 3, "--out", "b.mp4", "--run-dir", "b")
        self.done("decode", "b", "--step", 3, "--out", "c.mp4")
        self.assertIn("before", self.refused("verify", "a", timeout=PATIENCE).err)


if __name__ == "__main__":
    main()
