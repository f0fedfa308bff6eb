# SPDX-License-Identifier: Apache-2.0
"""Renders a tiny model: what a run writes, that it can be repeated, resumed and branched, and that it stops when asked."""

import json
import math
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import struct
import time

from program import FIXTURES, MODEL, PACE, PROMPT, Case, latents, main, read_safetensors, sha256, tree, write_safetensors

RUN_FILES = ["conditioning.safetensors", "latents", "metrics.json", "run.json", "solver", "thumbnail.png", "video.mp4"]


def is_watching(pid):
    """Whether the program already handles the signals; while its libraries are being loaded they would simply end it."""
    blocked = next(line for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("SigBlk:"))
    return int(blocked.split()[1], 16) >> (signal.SIGINT - 1) & 1


def processor_seconds(pid):
    """The processor time that a running process has used in all its threads."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Render(Case):
    def render(self, name, *more, **options):
        self.done(*self.render_words(self.work / f"{name}.mp4", "--run-dir", self.work / name, *more, **options))
        return self.work / name

    def goes_on_after_kill(self, render, name, seen, whole):
        """Kills the `render` into the run folder `name` once the file `seen` exists, resumes it, and expects the latents of the run `whole`."""
        run = self.work / name
        process = self.start(*render, run, "--out", f"{name}.mp4")
        while process.poll() is None and not (run / seen).exists():
            time.sleep(0.001)
        process.kill()
        process.communicate()
        self.done("render", "--resume", run)
        self.assertEqual(latents(run), latents(whole), seen)
        self.assertEqual(sha256(run / "video.mp4"), sha256(whole / "video.mp4"), seen)

    def test_a_prompt_of_any_length_is_cut(self):
        """Prompts of several megabytes, and one of which normalisation makes three times as many characters."""
        for i, prompt in enumerate(("a fox " * 600_000, "\U0001d160" * 100_000)):
            request = {"schema": 1, "model": str(MODEL), "prompt": prompt, "width": 32, "height": 32, "frames": 1, "steps": 1, "seed": 7}
            (self.work / "request.json").write_text(json.dumps(request, ensure_ascii=False))
            ran = self.done("render", "request.json", "--out", f"{i}.mp4")
            self.assertRegex(ran.err, "^warning: the prompt is longer than [0-9]+ tokens; the rest is not used")

    def test_what_it_writes(self):
        result = self.done(*self.render_words("out.mp4", "--run-dir", "run", "--json", "--progress", "plain")).json()
        self.assertEqual(set(result), {"out", "run", "seed", "seconds", "stages", "peak_memory_bytes"})
        self.assertEqual(result["seed"], 7)
        self.assertGreater(result["peak_memory_bytes"], 1 << 20)
        self.assertTrue({"text", "denoise", "decode"} <= set(result["stages"]))
        self.assertEqual(sorted(p.name for p in (self.work / "run").iterdir()), RUN_FILES)
        self.assertEqual(list(latents(self.work / "run")), [f"step_{i:03}.safetensors" for i in range(5)])
        record = json.loads((self.work / "run" / "run.json").read_text())
        self.assertEqual(record["state"], "done")
        request = record["request"]
        for key in ("schema", "mode", "family", "model", "prompt", "negative_prompt", "width", "height", "frames", "fps", "steps", "guidance", "shift", "seed", "sampler",
                    "dtype", "precision", "preprocess", "device", "threads", "latents", "noise", "forcing", "start", "image", "last_image", "guidance_low"):
            self.assertIn(key, request)
        self.assertEqual((request["family"], request["mode"], request["sampler"], request["noise"]), ("wan", "t2v", "unipc", {"kind": "torch-cpu"}))
        self.assertEqual([s["sha256"] for s in record["steps"]], list(latents(self.work / "run").values()))
        self.assertTrue(all(f["bytes"] > 0 for f in record["model_files"]))
        self.assertEqual(sha256(self.work / "out.mp4"), sha256(self.work / "run" / "video.mp4"))
        self.assertIn(PROMPT.encode(), (self.work / "out.mp4").read_bytes())
        found = self.done("runs", "--search", "red fox", "--json").json()["runs"]
        self.assertEqual(self.done("runs", "--search", "red fox").out[:24], f"{found[0]['created'][:19]} UTC ")
        self.assertEqual([(r["state"], r["seed"]) for r in found], [("done", 7)])
        self.assertEqual(self.done("runs", "--search", "green fox", "--json").json()["runs"], [])
        self.done("render", "--model", MODEL, "--prompt", 'a sign "OPEN"', "--negative-prompt", "many people", "--size", "80x48", "--frames", 5, "--steps", 1, "--out", "open.mp4")
        self.assertEqual(len(self.done("runs", "--search", '"open"', "--json").json()["runs"]), 1)
        self.assertEqual(self.done("runs", "--search", "people", "--json").json()["runs"], [])  # that word is only in the negative prompt

    def test_run_folder_of_its_own(self):
        result = self.done(*self.render_words("out.mkv", "--no-metadata", "--json", steps=1)).json()
        self.assertTrue(result["run"].startswith(str(self.home)))
        self.assertNotIn(PROMPT.encode(), (self.work / "out.mkv").read_bytes())
        self.assertEqual(tree(self.work), ["out.mkv"])

    def test_a_run_folder_used_again_is_listed_once(self):
        for _ in range(2):
            self.done(*self.render_words("out.mp4", "--run-dir", "run", steps=1))
            (self.work / "out.mp4").unlink()
            self.assertEqual([r["run"] for r in self.done("runs", "--json").json()["runs"]], [str(self.work / "run")])
            shutil.rmtree(self.work / "run")

    def test_frames(self):
        self.done(*self.render_words("frames", steps=1))
        self.assertEqual(len(list((self.work / "frames").glob("*.png"))), 9)

    def test_encoding_a_size_that_does_not_divide(self):
        # Each stage makes n // 2 of an odd size n. diffusers' encoder gives the same to 5e-7 (tests/reference/random_modules.py draws such sizes).
        write_safetensors(self.work / "in.safetensors", {"video": ("F32", [3, 5, 25, 31], bytes(3 * 5 * 25 * 31 * 4))})
        self.done("module", "wan-vae-encode", "--weights", MODEL / "vae", "--inputs", "in.safetensors", "--out", "out.safetensors")
        self.assertEqual({name: t[1][1:] for name, t in read_safetensors(self.work / "out.safetensors").items()}, {"latent": [2, 3, 3], "mean": [2, 3, 3]})

    def test_drawn_seed_repeats(self):
        words = list(self.render_words("a.mp4", "--json", steps=1))
        at = words.index("--seed")
        seed = self.done(*words[:at], *words[at + 2 :]).json()["seed"]
        self.done(*self.render_words("b.mp4", steps=1, seed=seed))
        self.assertEqual(sha256(self.work / "a.mp4"), sha256(self.work / "b.mp4"))

    def test_request_file_and_options(self):
        request = {"schema": 1, "model": "model", "prompt": PROMPT, "width": 80, "height": 48, "frames": 9, "steps": 4, "seed": 3, "dtype": "f32"}
        folder = self.work / "requests"
        shutil.copytree(MODEL, folder / "model")
        (folder / "r.json").write_text(json.dumps(request))
        result = self.done("render", "requests/r.json", "--steps", 2, "--seed", 7, "--out", "out.mp4", "--json").json()
        self.assertEqual(result["seed"], 7)
        self.assertEqual(len(latents(result["run"])), 3)

    def test_same_bytes_for_any_threads(self):
        one, two = self.render("one", "--threads", 1), self.render("two", "--threads", 2)
        self.assertEqual(latents(one), latents(two))
        self.assertEqual(sha256(one / "video.mp4"), sha256(two / "video.mp4"))

    def test_killed_runs_go_on(self):
        whole = self.render("whole", steps=8)
        random.seed(1)
        killed = 0
        for i in range(10):
            run = self.work / f"killed{i}"
            # Kills at moments of the run and not of the clock, which other work on the machine would move: its start, each step, the video.
            seen = [run.parent, run / "run.json", *(run / "latents" / f"step_{n:03}.safetensors" for n in range(8))][i]
            process = self.start(*self.render_words(self.work / f"killed{i}.mp4", "--run-dir", run, steps=8))
            while process.poll() is None and not seen.exists():
                time.sleep(0.001)
            time.sleep(random.random() * (0.05 if i < 9 else 0.2))
            if process.poll() is None:
                process.kill()
                killed += 1
            process.communicate()
            if not (run / "run.json").exists():
                shutil.rmtree(run, ignore_errors=True)  # the run was killed before it had a record, so there is nothing to resume
                continue
            before = json.loads((run / "run.json").read_text())
            self.done("render", "--resume", run)
            after = json.loads((run / "run.json").read_text())
            self.assertEqual(latents(run), latents(whole), i)
            for name in ("video.mp4", "thumbnail.png", "metrics.json", "conditioning.safetensors"):
                self.assertEqual(sha256(run / name), sha256(whole / name), name)
            self.assertEqual(sha256(self.work / f"killed{i}.mp4"), sha256(self.work / "whole.mp4"))
            if before["steps"] and before["conditioning_sha256"] and before["state"] != "done":
                self.assertEqual(after["stages"].get("text"), before["stages"].get("text"), "the encoder ran again")
            self.assertEqual(sorted(p.name for p in run.iterdir()), RUN_FILES)
        self.assertEqual([p for p in tree(self.work) if ".partial-" in p], [])
        self.assertGreaterEqual(killed, 5)

    def test_resume_of_a_finished_run(self):
        run = self.render("run", steps=1)
        before = {p: (sha256(p), p.stat().st_mtime_ns) for p in run.rglob("*") if p.is_file()}
        self.assertEqual(self.done("render", "--resume", run, "--json").json()["seed"], 7)
        self.assertEqual(self.done("render", "--resume", "run", "--json").json()["run"], str(run))
        self.assertEqual({p: (sha256(p), p.stat().st_mtime_ns) for p in run.rglob("*") if p.is_file()}, before)
        self.refused("render", "--resume", run, "--steps", 5, codes=(2,))
        (self.work / "run.mp4").unlink()
        self.assertIn("warning: ", self.done("render", "--resume", run).err)

    def test_interrupt(self):
        for delay, number in ((0.0, signal.SIGINT), (0.3, signal.SIGTERM), (1.0, signal.SIGINT)):
            run = self.work / f"run{delay}"
            process = self.start(*self.render_words("out.mp4", "--run-dir", run, steps=50, size="480x480"))
            self.wait_until(lambda: is_watching(process.pid))
            time.sleep(delay)
            # Counts processor time and not the clock, so that other work on the machine makes no difference.
            before = processor_seconds(process.pid)
            others = resource.getrusage(resource.RUSAGE_CHILDREN)
            process.send_signal(number)
            _, err = process.communicate(timeout=60)
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = used.ru_utime + used.ru_stime - others.ru_utime - others.ru_stime - before
            self.assertEqual(process.returncode, 130, err)
            self.assertLess(seconds, 0.6 * os.cpu_count() * PACE)
            self.assertEqual(len(err.decode().splitlines()), 1, err)
            if (run / "run.json").exists():
                self.assertIn(b"render --resume", err)
            self.assertEqual([p for p in tree(self.work) if ".partial-" in p or p == "out.mp4"], [])

    def test_branch(self):
        run = self.render("run")
        same = self.done("render", "--from", run, "--step", 2, "--run-dir", self.work / "same", "--out", "same.mp4", "--json").json()
        self.assertEqual(latents(same["run"]), latents(run))
        self.assertNotIn("text", same["stages"])
        # Asking for what the run has already must change nothing.
        settings = json.loads((run / "run.json").read_text())["request"]
        for n, field in enumerate(("dtype", "precision")):
            again = self.done("render", "--from", run, "--step", 2, "--" + field, settings[field], "--run-dir", self.work / f"again-{n}", "--out", f"again-{n}.mp4", "--json").json()
            self.assertEqual(latents(again["run"]), latents(run), field)
        other = self.done("render", "--from", run, "--step", 2, "--guidance", 2, "--run-dir", self.work / "other", "--out", "other.mp4", "--json").json()
        a, b = latents(run), latents(other["run"])
        self.assertEqual([name for name in a if a[name] != b[name]], ["step_003.safetensors", "step_004.safetensors"])
        start = json.loads((self.work / "other" / "run.json").read_text())["request"]["start"]
        self.assertEqual((start["run"], start["step"], start["sha256"]), (str(run), 2, a["step_002.safetensors"]))
        # Guidance that has ended is the same as guidance 1.
        ends = [self.done("render", "--from", run, "--step", 2, *words, "--out", "ends.mp4", "--json").json() for words in (("--guidance", 1), ("--guidance-until", 1000))]
        self.assertEqual(latents(ends[0]["run"]), latents(ends[1]["run"]))
        self.assertNotEqual(latents(ends[0]["run"]), a)
        self.assertIn("text", self.done("render", "--from", run, "--step", 1, "--prompt", "A blue boat.", "--out", "prompt.mp4", "--json").json()["stages"])
        self.assertTrue(self.done("verify", other["run"], "--json").json()["identical"])
        # A branch can be a request. What it leaves open comes from the run, and the parts it names belong to the model.
        for n, (fields, expected) in enumerate((({}, run), ({"guidance": 2}, self.work / "other"))):
            request = {"schema": 1, "start": {"run": str(run), "step": 2}, **fields}
            (self.work / "branch.json").write_text(json.dumps(request))
            done = self.done("render", "branch.json", "--run-dir", f"asked-{n}", "--out", f"asked-{n}.mp4")
            self.assertNotIn("warning", done.err)
            self.assertEqual(latents(self.work / f"asked-{n}"), latents(expected))
        self.refused("render", "--from", run, "--step", 2, "--vae", MODEL / "vae", "--out", "refused.mp4", names=("parts", "has none"))
        for more, name in ((["--size", "96x48"], "--size"), (["--steps", 5], "steps"), (["--sampler", "euler"], "sampler"), (["--frames", 13], "frames"), (["--shift", 2], "shift"), (["--dtype", "bf16"], "dtype")):
            self.refused("render", "--from", run, "--step", 2, *more, "--out", "refused.mp4", names=(name,))
        for step in (4, 5, -1, "x"):
            self.refused("render", "--from", run, "--step", step, "--out", "refused.mp4", names=("--step",))
        last = self.render("last", "--latents", "last")
        self.assertEqual(list(latents(last)), ["step_004.safetensors"])
        self.refused("render", "--from", last, "--step", 2, "--out", "refused.mp4")
        none = self.render("none", "--latents", "none")
        self.assertEqual(latents(none), {})
        # The refusal points to the video, which still shows the result of the last step.
        self.assertIn("use the run's video.mp4", self.refused("compare", none, run).err)
        self.done("compare", none / "video.mp4", run / "video.mp4")
        self.assertNotIn("video.mp4", self.refused("decode", none, "--step", 2, "--out", "refused.mkv").err)
        (none / "video.mp4").unlink()
        self.assertNotIn("video.mp4", self.refused("decode", none, "--out", "refused.mkv").err)

    def test_a_branch_that_was_ended_before_it_had_its_start(self):
        run = self.render("run")
        branch = ("render", "--from", run, "--step", 2, "--guidance", 2, "--prompt", "A blue boat.")
        self.done(*branch, "--run-dir", "whole", "--out", "whole.mp4")
        for name, lost in (("none", ["step_000", "step_001", "step_002"]), ("damaged", ["step_002"])):
            self.done(*branch, "--run-dir", name, "--out", f"{name}.mp4")
            folder = self.work / name
            record = json.loads((folder / "run.json").read_text())
            record["state"] = "running"
            record["steps"] = [] if name == "none" else record["steps"][:3]
            (folder / "run.json").write_text(json.dumps(record))
            for step in lost:
                (folder / "latents" / f"{step}.safetensors").unlink()
            self.done("render", "--resume", folder)
            self.assertEqual(latents(folder), latents(self.work / "whole"), name)
            self.assertEqual(sha256(folder / "video.mp4"), sha256(self.work / "whole" / "video.mp4"))
        record["state"], record["steps"] = "running", []
        (folder / "run.json").write_text(json.dumps(record))
        shutil.rmtree(run)
        self.refused("render", "--resume", folder, names=(run,))

    def test_an_interrupted_branch_tells_the_steps_that_it_has(self):
        def interrupted(name, *words):
            """Interrupts the run after it has made a step, or the branch as soon as it has begun."""
            run = self.work / name
            process = self.start(*words, "--run-dir", run)
            self.wait_until(lambda: (run / "run.json").exists() and (name == "branch" or (run / "latents" / "step_003.safetensors").exists()))
            process.send_signal(signal.SIGINT)
            return process.communicate(timeout=60)[1].decode()

        interrupted("run", *self.render_words("run.mp4", steps=50, size="256x256"))
        branch = interrupted("branch", "render", "--from", self.work / "run", "--step", 2, "--guidance", 2, "--out", "branch.mp4")
        self.assertGreaterEqual(int(re.search("cancelled after step ([0-9]+) of 50; resume with", branch)[1]), 2, branch)

    def test_windows(self):
        """Three windows of two steps. Each of the later two gets nine pictures and makes four."""
        request = {"schema": 1, "model": str(FIXTURES / "_models" / "SkyReels-V2-DF-tiny"), "prompt": PROMPT, "width": 64, "height": 48, "frames": 21,
                   "steps": 2, "seed": 7, "dtype": "f32", "forcing": {"base": 13, "overlap": 9}}  # fmt: skip
        (self.work / "long.json").write_text(json.dumps(request))
        render = ("render", "long.json", "--run-dir")
        self.done(*render, "whole", "--out", "whole.mp4")
        whole = self.work / "whole"
        self.assertEqual(list(latents(whole)), [f"step_{i:03}.safetensors" for i in range(7)])
        shapes = [read_safetensors(whole / "latents" / f"step_{i:03}.safetensors")["latent"][1][1] for i in range(7)]
        self.assertEqual(shapes, [4, 4, 4, 4, 4, 4, 4])
        self.assertEqual(json.loads((whole / "run.json").read_text())["request"]["forcing"]["base"], 13)
        self.assertEqual(len(json.loads((whole / "metrics.json").read_text())["frames"]), 21)
        self.assertTrue(self.done("verify", whole, "--json").json()["identical"])
        told = self.done("decode", whole, "--out", "again.mp4", "--progress", "plain").err.splitlines()
        self.assertEqual(sha256(self.work / "again.mp4"), sha256(whole / "video.mp4"))
        # The first picture alone does not tell the pace. Later windows know it from the ones before.
        begin = [line for before, line in zip(told, told[1:]) if before.startswith("load VAE:")]
        self.assertEqual([line.split()[2] for line in begin[:1]], ["1/21"], told)
        self.assertEqual(["ETA" in line for line in begin], [False, True, True], told)
        self.assertEqual([line for line in begin if "/21" not in line], [], told)
        self.assertEqual([line for line in told if "21/21" in line], ["decode: frame 21/21"])
        # The video is made of the latents. In bf16 the estimate after a window's last step is nearly, but not exactly, the same.
        self.done(*render, "bf16", "--dtype", "bf16", "--out", "bf16.mp4")
        self.done("decode", "bf16", "--out", "again.mp4")
        self.assertEqual(sha256(self.work / "again.mp4"), sha256(self.work / "bf16" / "video.mp4"))
        # With another number of steps the same windows are compared.
        self.done(*render, "four", "--steps", 4, "--out", "four.mp4")
        steps = self.done("compare", whole, "four", "--json").json()["steps"]
        self.assertEqual([s["b"] for s in steps], [0, 2, 4, 6, 8, 10, 12])
        # Decoding between two windows does not count in the seconds of a step.
        record = json.loads((whole / "run.json").read_text())
        self.assertLess(sum(s["seconds"] for s in record["steps"]), record["stages"]["denoise"] + 0.1 * record["stages"]["decode"])
        # The change of the estimate is measured within a window.
        changes = [s["x0_change"] for s in json.loads((whole / "metrics.json").read_text())["steps"]]
        self.assertEqual([step for step, change in enumerate(changes) if change], [2, 4, 6])
        # A draft shows the windows before its step and ends with the step's own.
        for step, frames in ((1, 13), (2, 13), (3, 17), (5, 21)):
            self.done("decode", whole, "--step", step, "--out", f"draft{step}")
            self.assertEqual(len(list((self.work / f"draft{step}").iterdir())), frames)
        first = lambda folder: [sha256(p) for p in sorted((self.work / folder).iterdir())][:13]
        self.assertEqual(first("draft3"), first("draft2"))
        # The run can be resumed whichever window it was killed in.
        for i, seen in enumerate(whole.rglob("step_00[0-5].safetensors") if PACE == 1 else []):
            self.goes_on_after_kill(render, f"killed{i}", seen.relative_to(whole), whole)
        # A branch in the second window keeps the first one.
        self.done("render", "--from", whole, "--step", 3, "--guidance", 2, "--run-dir", "branch", "--out", "branch.mp4")
        a, b = latents(whole), latents(self.work / "branch")
        self.assertEqual([name for name in a if a[name] != b[name]], [f"step_00{i}.safetensors" for i in (4, 5, 6)])
        self.assertTrue(self.done("verify", "branch", "--json").json()["identical"])
        # A branch at the end of a window begins with a new solver, so it can be verified without the parent's.
        shutil.copytree(whole, self.work / "bare")
        (self.work / "bare" / "solver" / "step_002.safetensors").unlink()
        for name, parent in (("short", whole), ("shorter", "bare")):
            self.done("render", "--from", parent, "--step", 2, "--guidance", 2, "--latents", "last", "--run-dir", name, "--out", f"{name}.mp4")
            self.assertTrue(self.done("verify", name, "--json").json()["identical"])
        # If the last latent of an earlier window is damaged, it and all that follows is computed again.
        shutil.copytree(whole, self.work / "damaged")
        self.stop_after("damaged", 5)
        with (self.work / "damaged" / "latents" / "step_002.safetensors").open("ab") as file:
            file.write(b"x")
        self.assertIn("after step 1 is missing or was changed", self.done("render", "--resume", "damaged").err)
        self.assertEqual(latents(self.work / "damaged"), a)
        # The clip is made of the last latent of each window.
        self.done(*render, "last", "--out", "last.mp4", "--latents", "last")
        self.assertEqual(list(latents(self.work / "last")), [f"step_00{i}.safetensors" for i in (2, 4, 6)])
        self.done("decode", "last", "--out", "of-last.mp4")
        self.assertEqual(sha256(self.work / "of-last.mp4"), sha256(self.work / "last" / "video.mp4"))
        # A latent that was changed or is missing is named.
        changed = self.work / "last" / "latents" / "step_004.safetensors"
        changed.write_bytes(changed.read_bytes()[:-8] + bytes(8))
        self.refused("decode", "last", "--out", "changed.mp4", names=("step_004",))
        changed.unlink()
        self.refused("decode", "last", "--out", "changed.mp4", names=("step_004",))
        self.refused("trace", "long.json", "--out", "trace.safetensors", names=("forcing.base",))

    def test_one_window_stays_one(self):
        """A clip longer than usual stays in one window if a file gives its noise, or if its run is older than windows."""
        model = self.work / "model"
        shutil.copytree(FIXTURES / "_models" / "SkyReels-V2-DF-tiny", model)
        config = json.loads((model / "config.json").read_text()) | {"defaults": {"frames": 9}}
        (model / "config.json").write_text(json.dumps(config))
        values = b"".join(struct.pack("<f", math.sin(i * i)) for i in range(16 * 5 * 6 * 8))
        write_safetensors(self.work / "noise.safetensors", {"noise": ("F32", [16, 5, 6, 8], values)})
        request = {"schema": 1, "model": str(model), "prompt": PROMPT, "width": 64, "height": 48, "frames": 17, "steps": 3, "seed": 7, "dtype": "f32",
                   "forcing": {"overlap": 5}}  # fmt: skip
        (self.work / "windows.json").write_text(json.dumps(request))
        (self.work / "one.json").write_text(json.dumps(request | {"noise": {"file": "noise.safetensors"}}))
        self.done("render", "windows.json", "--run-dir", "windows", "--out", "windows.mp4")
        record = lambda run: json.loads((self.work / run / "run.json").read_text())
        self.assertEqual((record("windows")["request"]["forcing"]["base"], record("windows")["total_steps"]), (9, 9))
        self.done("render", "one.json", "--run-dir", "one", "--out", "one.mp4")
        stored = record("one")
        self.assertEqual(("base" in stored["request"]["forcing"], stored["total_steps"]), (False, 3))
        stored["request"]["noise"] = {"kind": "torch-cpu"}
        (self.work / "one" / "run.json").write_text(json.dumps(stored))
        self.done("render", "--from", "one", "--step", 1, "--guidance", 3, "--run-dir", "branch", "--out", "branch.mp4")
        self.assertEqual(record("branch")["total_steps"], 3)
        self.done("verify", "branch")
        whole = latents(self.work / "one")
        self.stop_after("one", 1)
        self.done("render", "--resume", "one")
        self.assertEqual(latents(self.work / "one"), whole)
        # A branch of a clip in windows has the same windows, whether its request names them or not.
        (self.work / "branch.json").write_text(json.dumps({k: v for k, v in request.items() if k != "forcing"}
                                                          | {"start": {"run": "windows", "step": 4}, "guidance": 3}))  # fmt: skip
        self.done("render", "branch.json", "--run-dir", "second", "--out", "second.mp4")
        self.assertEqual(record("second")["request"]["forcing"]["base"], 9)

    def stop_after(self, run, step):
        """Leaves the run as if it had been stopped after this step."""
        record = json.loads((self.work / run / "run.json").read_text())
        for later in record["steps"][step + 1 :]:
            for part in ("latents", "solver"):
                (self.work / run / part / f"step_{later['step']:03}.safetensors").unlink(missing_ok=True)
        record["state"], record["steps"] = "cancelled", record["steps"][: step + 1]
        (self.work / run / "run.json").write_text(json.dumps(record))

    def test_noise_of_a_later_window(self):
        """The noise file is read again when a later window begins, so a resumed run must say at once that it is gone."""
        values = b"".join(struct.pack("<f", math.sin(i * i)) for i in range(16 * 6 * 4 * 4))
        write_safetensors(self.work / "noise.safetensors", {"noise": ("F32", [16, 6, 4, 4], values)})
        request = {"schema": 1, "model": str(FIXTURES / "_models" / "SkyReels-V2-DF-tiny"), "prompt": PROMPT, "width": 32, "height": 32, "frames": 13,
                   "steps": 2, "dtype": "f32", "noise": {"file": "./noise.safetensors"}, "forcing": {"base": 9, "overlap": 5}}  # fmt: skip
        (self.work / "long.json").write_text(json.dumps(request))
        self.done("render", "long.json", "--run-dir", "run", "--out", "out.mp4")
        whole = latents(self.work / "run")
        self.stop_after("run", 1)
        (self.work / "noise.safetensors").rename(self.work / "elsewhere")
        self.refused("render", "--resume", "run", names=("noise.safetensors",))
        (self.work / "elsewhere").rename(self.work / "noise.safetensors")
        self.done("render", "--resume", "run")
        # Another file with that name would mix two noises in one clip. The message says which file it was made of.
        self.stop_after("run", 1)
        other = {"noise": ("F32", [16, 6, 4, 4], values[4:] + values[:4])}
        for tensors, said in ((other, "changed since this run began"), ({"other": ("F32", [1], bytes(4))}, "holds no tensor `noise`")):
            write_safetensors(self.work / "noise.safetensors", tensors)
            self.refused("render", "--resume", "run", codes=(1,), names=("noise.safetensors", said))
            self.assertIn(said if "other" in tensors else "noise.safetensors", self.refused("verify", "run", codes=(1,)).err)
        write_safetensors(self.work / "noise.safetensors", {"noise": ("F32", [16, 6, 4, 4], values)})
        self.done("render", "--resume", "run")
        self.done("render", "--from", "run", "--step", 3, "--guidance", 2, "--run-dir", "branch", "--out", "branch.mp4")
        # Once the last window's noise was drawn the file may hold anything.
        self.stop_after("run", 3)
        write_safetensors(self.work / "noise.safetensors", other)
        self.done("render", "--resume", "run")
        (self.work / "noise.safetensors").unlink()
        self.assertEqual(latents(self.work / "run"), whole)
        self.assertTrue(self.done("verify", "branch", "--json").json()["identical"])

    def test_loras(self):
        lora = FIXTURES / "_inputs" / "style-kohya.safetensors"
        render = ("render", "--model", FIXTURES / "_models" / "Wan2.1-T2V-tiny", "--prompt", PROMPT, "--size", "80x48", "--frames", 5, "--steps", 3, "--seed", 7)
        last = "latents/step_003.safetensors"
        for name, more in {"plain": (), "none": ("--lora", lora, "--lora-strength", 0), "half": ("--lora", lora, "--lora-strength", 0.5)}.items():
            self.done(*render, *more, "--out", f"{name}.mkv", "--run-dir", name)
        self.assertEqual(sha256(self.work / "plain" / last), sha256(self.work / "none" / last))
        self.assertNotEqual(sha256(self.work / "plain" / last), sha256(self.work / "half" / last))
        stored = json.loads((self.work / "half" / "run.json").read_text())
        self.assertEqual(stored["request"]["loras"], [{"file": str(lora), "strength": 0.5}])
        self.done("verify", "half")
        self.done("render", "--from", "half", "--step", 2, "--lora", lora, "--lora-strength", 1.5, "--out", "branch.mkv", "--run-dir", "branch")
        self.assertNotEqual(sha256(self.work / "branch" / last), sha256(self.work / "half" / last))
        self.done("verify", "branch")
        # Of a request that names its LoRAs the strengths alone can be changed.
        for name, words in {"anew": ("half.mkv",), "branch-anew": ("--from", "half", "--step", 2)}.items():
            self.done("render", *words, "--lora-strength", 1.5, "--out", f"{name}.mkv", "--run-dir", name)
            stored = json.loads((self.work / name / "run.json").read_text())
            self.assertEqual(stored["request"]["loras"], [{"file": str(lora), "strength": 1.5}])
        self.assertEqual(sha256(self.work / "branch-anew" / last), sha256(self.work / "branch" / last))
        self.refused("render", "half.mkv", "--lora-strength", 1, "--lora-strength", 2, "--out", "o.mkv", codes=(2,), names=("--lora-strength", "2 times for 1 files"))
        self.refused("render", "plain.mkv", "--lora-strength", 1, "--out", "o.mkv", codes=(2,), names=("has no effect without --lora",))
        # peft writes alpha into a file beside the LoRA; here it is twice the rank of 4.
        plain, folder = FIXTURES / "_inputs" / "steps-peft.safetensors", self.work / "adapter"
        folder.mkdir()
        shutil.copy(plain, folder / "adapter_model.safetensors")
        (folder / "adapter_config.json").write_text('{"peft_type": "LORA", "r": 4, "lora_alpha": 8}')
        self.done(*render, "--lora", plain, "--lora-strength", 2, "--out", "twice.mkv", "--run-dir", "twice")
        self.done(*render, "--lora", folder / "adapter_model.safetensors", "--out", "peft.mkv", "--run-dir", "peft")
        self.assertEqual(sha256(self.work / "twice" / last), sha256(self.work / "peft" / last))
        self.assertIn(str(folder / "adapter_config.json"), [file["path"] for file in json.loads((self.work / "peft" / "run.json").read_text())["model_files"]])

    def test_cache(self):
        """A run with a cache must go on, branch and verify with the same bytes, although what it reuses is not stored."""
        request = {"schema": 1, "model": str(FIXTURES / "_models" / "SkyReels-V2-DF-tiny"), "prompt": PROMPT, "width": 48, "height": 48, "frames": 5, "steps": 6, "seed": 7,
                   "dtype": "f32", "cache": {"threshold": 10, "coefficients": [1, 0]}}  # fmt: skip
        (self.work / "cached.json").write_text(json.dumps(request))
        render = ("render", "cached.json", "--run-dir")
        result = self.done(*render, "whole", "--out", "whole.mp4", "--json").json()
        self.assertEqual(result["cache"], {"forwards": 12, "reused": 8})  # half-way the cache counts anew, so two steps are computed
        whole = self.work / "whole"
        record = json.loads((whole / "run.json").read_text())
        self.assertEqual(record["request"]["cache"], {"threshold": 10, "ret_steps": False, "coefficients": [1, 0]})
        self.assertEqual([step.get("reused") for step in record["steps"]], [None, 0, 2, 2, 0, 2, 2])
        self.assertTrue(self.done("verify", whole, "--json").json()["identical"])
        plain = self.done(*render, "plain", "--out", "plain.mp4", "--cache-threshold", 0, "--json").json()
        self.assertNotIn("cache", plain)
        self.assertNotIn("cache", json.loads((self.work / "plain" / "run.json").read_text())["request"])
        self.assertNotEqual(latents(self.work / "plain"), latents(whole))
        for step in (1, 2, 3, 5):
            name = f"same{step}"
            same = self.done("render", "--from", whole, "--step", step, "--run-dir", name, "--out", f"{name}.mp4", "--latents", "last", "--json").json()
            self.assertEqual(list(latents(same["run"]).items()), list(latents(whole).items())[-1:], step)
            self.assertTrue(self.done("verify", name, "--json").json()["identical"])
        # A branch may change the settings of the cache, and also anything else.
        self.done("render", "--from", "plain", "--step", 2, "--cache-threshold", 10, "--cache-ret-steps", "--run-dir", "more", "--out", "more.mp4")
        self.done("render", "--from", whole, "--step", 2, "--guidance", 2, "--run-dir", "other", "--out", "other.mp4")
        for name in ("more", "other"):
            self.assertTrue(self.done("verify", name, "--json").json()["identical"])
        self.assertNotEqual(latents(self.work / "other"), latents(whole))
        for i in (2, 3) if PACE == 1 else []:
            self.goes_on_after_kill(render, f"killed{i}", f"latents/step_00{i}.safetensors", whole)
            steps = json.loads((self.work / f"killed{i}" / "run.json").read_text())["steps"]
            self.assertEqual(sum(s.get("forwards", 0) for s in steps), 12)

    def test_drafts(self):
        run = self.render("run")
        self.done("decode", run, "--out", "final.mp4")
        self.assertEqual(sha256(self.work / "final.mp4"), sha256(run / "video.mp4"))
        for step in (0, 1, 3):
            self.done("decode", run, "--step", step, "--out", f"draft{step}.mp4")
        self.assertNotEqual(sha256(self.work / "draft1.mp4"), sha256(self.work / "draft3.mp4"))
        self.refused("decode", run, "--step", 5, "--out", "x.mp4")
        self.refused("decode", run, "--out", run / "video.mp4")

    def test_verify(self):
        run = self.render("run")
        found = self.done("verify", run, "--json").json()
        self.assertEqual((found["identical"], found["steps"], found["first_difference"]), (True, 5, None))
        record = json.loads((run / "run.json").read_text())
        record["steps"][2]["sha256"] = "0" * 64
        (run / "run.json").write_text(json.dumps(record))
        result = self.run_cli("verify", run, "--json")
        self.assertEqual((result.code, result.json()["first_difference"]), (1, 2))
        self.assertIn("step 2", result.err)

    def test_runs_by_name(self):
        """A run of the history goes by its folder's name, and the newest one by `last`. A folder of that name in the current one comes first."""
        self.refused("verify", "last", codes=(1,), names=("last", "no such folder"))
        self.done(*self.render_words("older.mp4", steps=1))
        older = json.loads(self.done("runs", "--json").out)["runs"][0]["run"]
        self.done(*self.render_words("newer.mp4", steps=1, seed=8))
        newer = json.loads(self.done("runs", "--json").out)["runs"][0]["run"]
        self.assertNotEqual(newer, older)
        name = pathlib.Path(older).name
        self.assertEqual(self.done("verify", name, "--json").json()["run"], older)
        self.assertEqual(self.done("verify", "last", "--json").json()["run"], newer)
        self.assertEqual(self.done("decode", "last", "--step", 0, "--out", "draft.mp4", "--json").json()["run"], newer)
        self.assertEqual(self.done("compare", name, "last", "--json").json()["b"]["path"], newer)
        self.assertEqual(self.done("render", "--resume", name, "--json").json()["run"], older)
        branch = self.done("render", "--from", "last", "--step", 0, "--guidance", 3, "--out", "branch.mp4", "--run-dir", "branch")
        self.assertEqual(json.loads((self.work / "branch" / "run.json").read_text())["request"]["start"]["run"], newer)
        self.assertEqual(branch.err, "")
        for word in ("..", ".", f"../runs/{name}", "lastly"):
            self.refused("verify", word, codes=(1,))
        shutil.copytree(older, self.work / "last")
        self.assertEqual(self.done("verify", "last", "--json").json()["run"], "last")

    def test_damaged_run_folders(self):
        run = self.render("run", steps=1)
        good = (run / "run.json").read_text()
        for text in ("", "{}", good[: len(good) // 2], good.replace('"steps"', '"stesp"'), good.replace('"total_steps": 1', '"total_steps": 100'),
                     good.replace('"width": 80', '"width": 8000'), good.replace('"state": "done"', '"state": 5'), good.replace('"schema": 1', '"schema": 9')):
            (run / "run.json").write_text(text)
            self.refused("decode", run, "--out", "x.mp4")
        (run / "run.json").write_text(good)
        step = run / "latents" / "step_001.safetensors"
        step.write_bytes(step.read_bytes()[:-4])
        self.refused("decode", run, "--out", "x.mp4", names=("step_001",))


if __name__ == "__main__":
    main()
