# SPDX-License-Identifier: Apache-2.0
"""Renders sweeps of a tiny model: what they write, that they can be resumed, which runs they take over, and what they refuse."""

import json
import os
import pathlib
import shutil
import signal
import time

from program import FIXTURES, MODEL, PACE, PROMPT, Case, main, sha256, tree

OUTPUTS = ["grid.mp4", "grid.png", "report.html", "runs", "sweep.csv", "sweep.json"]


class Sweep(Case):
    def words(self, *more):
        return ("sweep", "--model", MODEL, "--prompt", PROMPT, "--size", "80x48", "--frames", 9, "--seed", 7, "--dtype", "f32", *more)

    def write(self, text, name="s.json"):
        path = self.work / name
        path.write_text(text if isinstance(text, str) else json.dumps(text))
        return path

    def test_what_it_writes(self):
        result = self.done(*self.words("--axis", "steps=1,3", "--axis", "guidance=1,4", "--out", "s", "--json", "--progress", "plain"))
        report = result.json()
        self.assertIn("cell 4/4", result.err)
        self.assertEqual(sorted(p.name for p in (self.work / "s").iterdir()), OUTPUTS)
        self.assertEqual((report["out"], report["rendered"], report["failed"]), (str(self.work / "s"), 4, 0))
        self.assertEqual([c["values"] for c in report["cells"]], [{"steps": s, "guidance": g} for s in (1, 3) for g in (1, 4)])
        for index, cell in enumerate(report["cells"]):
            self.assertEqual((cell["state"], cell["reused"]), ("done", False))
            self.assertTrue((pathlib.Path(cell["run"]) / "video.mp4").is_file())
            self.assertEqual("figures" in cell, index < 2)  # the cells of one step, measured against those of three
        self.assertEqual([c["figures"]["reference"] for c in report["cells"][:2]], [2, 3])
        # The figures are those that `compare` gives for the runs' latents.
        for cell, reference in ((0, 2), (1, 3)):
            mean = self.done("compare", report["cells"][cell]["run"], report["cells"][reference]["run"], "--json").json()["mean"]
            self.assertAlmostEqual(report["cells"][cell]["figures"]["psnr"], mean["psnr"], 9)
            self.assertAlmostEqual(report["cells"][cell]["figures"]["ssim"], mean["ssim"], 9)
        # A cell has the same bytes as its request rendered alone.
        alone = self.done("render", "--model", MODEL, "--prompt", PROMPT, "--size", "80x48", "--frames", 9, "--seed", 7, "--dtype", "f32",
                          "--steps", 3, "--guidance", 4, "--run-dir", "alone", "--out", "alone.mp4", "--json").json()
        self.assertEqual(sha256(pathlib.Path(alone["run"]) / "video.mp4"), sha256(pathlib.Path(report["cells"][3]["run"]) / "video.mp4"))
        csv = (self.work / "s" / "sweep.csv").read_text().splitlines()
        self.assertEqual(csv[0], "cell,steps,guidance,state,seconds,reference,psnr,ssim,run")
        self.assertEqual(len(csv), 5)
        self.assertEqual(len(self.done("runs", "--json").json()["runs"]), 5)

    def test_figures_without_latents(self):
        report = self.done(*self.words("--axis", "steps=1,3", "--latents", "none", "--out", "s", "--json")).json()
        figures = report["cells"][0]["figures"]
        runs = [pathlib.Path(c["run"]) / "video.mp4" for c in report["cells"]]
        self.assertAlmostEqual(figures["psnr"], self.done("compare", *runs, "--json").json()["mean"]["psnr"], 9)
        self.assertIn("latents", figures["note"])

    def test_a_file(self):
        self.write({"schema": 1, "model": str(MODEL), "prompt": "p", "width": 80, "height": 48, "frames": 5, "steps": 1, "dtype": "f32"}, "base.json")
        sweep = self.write({"schema": 1, "request": "base.json", "axes": {"prompt": ["a fox", "a fox, at night"], "seed": [1, 2]}})
        report = self.done("sweep", sweep, "--out", "s", "--axis", "seed=3..5", "--json").json()  # the option replaces the axis of the file
        self.assertEqual(len(report["cells"]), 6)
        self.assertEqual(report["cells"][5]["values"], {"prompt": "a fox, at night", "seed": 5})
        record = json.loads((pathlib.Path(report["cells"][5]["run"]) / "run.json").read_text())
        self.assertEqual((record["request"]["prompt"], record["request"]["seed"]), ("a fox, at night", 5))
        self.assertTrue(all("figures" not in c for c in report["cells"]))  # no seed is better than another, so nothing is measured

    def test_windows(self):
        # A request need not contain a setting with its usual value, such as no noise or 17 shared frames.
        model = MODEL.parent / "SkyReels-V2-DF-tiny"
        request = {"model": str(model), "prompt": "p", "width": 32, "height": 32, "frames": 25, "steps": 1, "forcing": {"base": 21, "overlap": 5}}
        sweep = self.write({"schema": 1, "request": request, "axes": {"forcing.condition_noise": [0, 20], "forcing.overlap": [5, 17], "forcing.base": [21, None]}})
        listed = self.done("sweep", sweep, "--list", "--json").json()
        self.assertEqual([c["values"]["forcing.condition_noise"] for c in listed["cells"]], [0] * 4 + [20] * 4)
        self.assertEqual([c["request"]["forcing"].get("condition_noise", 0) for c in listed["cells"]], [0] * 4 + [20] * 4)
        self.done("sweep", "--axis", "forcing.overlap=5,17", "--axis", "forcing.condition_noise=0", "--model", model, "--frames", 13, "--list")

    def test_list(self):
        listed = self.done(*self.words("--axis", "steps=1,3", "--axis", "shift=default,3", "--list", "--json")).json()
        self.assertEqual(listed["to_render"], len([c for c in listed["cells"] if c["same_as"] is None]))
        self.assertEqual(sorted(listed["order"]), [0, 1, 2, 3])
        self.assertEqual(listed["order"][0] // 2, 1)  # the cells of three steps come first, since the others are measured against them
        self.assertEqual(tree(self.work), [])
        self.assertEqual(self.done("runs", "--json").json()["runs"], [])

    def test_goes_on(self):
        # Long enough to be interrupted in the middle. The rest must get the same bytes.
        words = self.words("--axis", "seed=1..4", "--steps", 40)
        whole = self.done(*words, "--out", "whole", "--no-reuse", "--json").json()
        process = self.start(*words, "--out", "s", "--no-reuse")
        runs = self.work / "s" / "runs"
        self.wait_until(lambda: len(list(runs.glob("*"))) >= 2)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        self.assertLess(time.monotonic() - begin, 5 * PACE)
        self.assertEqual(process.returncode, 130)
        self.assertIn(b"cell 2 of 4; resume with: denoir-cli sweep --resume '", err)
        report = self.done("sweep", "--resume", "s", "--json").json()
        self.assertEqual([c["state"] for c in report["cells"]], ["done"] * 4)
        for ours, theirs in zip(report["cells"], whole["cells"]):
            self.assertEqual(sha256(pathlib.Path(ours["run"]) / "video.mp4"), sha256(pathlib.Path(theirs["run"]) / "video.mp4"))
        # Resuming a finished sweep renders nothing.
        self.assertEqual(self.done("sweep", "--resume", "s", "--json").json()["rendered"], 4)
        # Interrupted when every clip is there, no cell can be in the middle.
        process = self.start(*words, "--out", "there")
        self.wait_until(lambda: (self.work / "there" / "sweep.json").exists())
        process.send_signal(signal.SIGINT)
        err = process.communicate(timeout=30)[1]
        if process.returncode == 130:  # unless it was finished before
            self.assertIn(b"cancelled; resume with: denoir-cli sweep --resume '", err)
        # A sweep that is moved as a whole keeps its clips.
        shutil.move(self.work / "s", self.work / "t")
        again = self.done("sweep", "--resume", "t", "--json").json()
        self.assertTrue(all(c["run"].startswith(str(self.work / "t")) for c in again["cells"]))

    def test_threads_of_a_resumed_one(self):
        report = self.done(*self.words("--axis", "steps=1,2", "--out", "s", "--json")).json()
        runs = [pathlib.Path(c["run"]) for c in report["cells"]]
        threads = lambda run: json.loads((run / "run.json").read_text())["request"]["threads"]
        before = [sha256(run / "video.mp4") for run in runs]
        shutil.rmtree(runs[1])
        self.done("sweep", "--resume", "s", "--threads", 1)
        self.assertEqual([sha256(run / "video.mp4") for run in runs], before)
        self.assertEqual([threads(run) for run in runs], [0, 1])  # the finished run keeps its number of threads
        shutil.rmtree(runs[0])
        self.done("sweep", "--resume", "s")
        self.assertEqual([threads(run) for run in runs], [1, 1])
        self.refused("sweep", "--resume", "s", "--threads", 1025, codes=(2,), names=("--threads",))

    def test_options_that_an_axis_replaces(self):
        lora = FIXTURES / "_inputs" / "style-kohya.safetensors"
        words = ("sweep", "--model", MODEL.parent / "Wan2.1-T2V-tiny", "--frames", 9, "--list")
        warned = lambda *more: [line for line in self.done(*words, *more).err.splitlines() if line.startswith("warning: --")]
        for options, axes, said in ((("--steps", 9), ("steps=1,2",), "--steps has no effect: the sweep varies steps"),
                                    (("--size", "80x48"), ("size=80x48,48x80",), "--size has no effect: the sweep varies size"),
                                    (("--size", "80x48"), ("width=80", "height=48,64"), "--size has no effect: the sweep varies width, height"),
                                    (("--noise", "torch-cpu"), ("noise.kind=torch-cpu",), "--noise has no effect: the sweep varies noise.kind"),
                                    (("--vae", MODEL / "vae"), (f"parts.vae={MODEL / 'vae'}",), "--vae has no effect: the sweep varies parts.vae"),
                                    (("--cache-threshold", 0.1), ("cache.threshold=0,0.2",), "--cache-threshold has no effect: the sweep varies cache.threshold"),
                                    (("--lora", lora, "--lora-strength", 2), ("loras.0.strength=0.5,1",), "--lora-strength has no effect: the sweep varies loras.0.strength")):
            axes = [word for axis in axes for word in ("--axis", axis)]
            self.assertEqual(warned(*options, *axes), ["warning: " + said])
            self.assertEqual(warned(*axes, *(("--lora", lora) if "loras" in said else ())), [])
        # An option counts as replaced if the axis sets a part of it.
        for more in (("--size", "80x48", "--axis", "width=80,96"), ("--cache-threshold", 0.1, "--cache-ret-steps", "--axis", "cache.threshold=0,0.2"),
                     ("--lora", lora, "--lora", lora, "--lora-strength", 2, "--axis", "loras.0.strength=0.5,1"), ("--steps", 2, "--axis", "seed=1,2")):
            self.assertEqual(warned(*more), [])
        # The axes of a file replace options, too. They replace the file's own request silently.
        sweep = self.write({"schema": 1, "request": {"steps": 4}, "axes": {"steps": [1, 2]}})
        self.assertEqual(warned(sweep), [])
        self.assertEqual(warned(sweep, "--steps", 9), ["warning: --steps has no effect: the sweep varies steps"])

    def test_the_folder_of_a_sweep_is_no_clip(self):
        for out in ("s", "t"):
            self.done(*self.words("--axis", "steps=1,2", "--out", out))
        named = "s: is the folder of a sweep, which holds many clips; name one of those in its folder runs, or its grid.mp4"
        self.refused("compare", "s", "t", codes=(1,), names=(named,))
        self.done("compare", "s/grid.mp4", "t/grid.mp4")
        # Frames in a folder with another program's sweep.json are an ordinary clip.
        (self.work / "frames").mkdir()
        shutil.copy(self.work / "s" / "grid.png", self.work / "frames")
        (self.work / "frames" / "sweep.json").write_text("{}")
        self.done("compare", "frames", "frames")

    def test_runs_that_are_not_as_they_were(self):
        report = self.done(*self.words("--axis", "steps=1,2", "--axis", "guidance=1,3", "--out", "s", "--json")).json()
        runs = [pathlib.Path(c["run"]) for c in report["cells"]]
        before = [sha256(run / "video.mp4") for run in runs]
        (runs[0] / "video.mp4").unlink()  # is decoded again
        shutil.rmtree(runs[1])  # is rendered again
        self.done("sweep", "--resume", "s")
        self.assertEqual([sha256(run / "video.mp4") for run in runs], before)
        shutil.rmtree(runs[2])
        shutil.copytree(runs[3], runs[2])
        cells = self.done("sweep", "--resume", "s", "--json").json()["cells"]  # the folder in its place stays
        self.assertEqual(sha256(runs[2] / "video.mp4"), before[3])
        self.assertEqual(cells[2]["run"], str(runs[2]) + "-2")
        self.assertEqual([sha256(pathlib.Path(c["run"]) / "video.mp4") for c in cells], before)

    def test_a_request_changed_by_hand(self):
        """The new clips are rendered beside the earlier ones, which count again once the request is changed back."""
        first = self.done(*self.words("--axis", "steps=1,2", "--out", "s", "--json")).json()["cells"]
        file = self.work / "s" / "sweep.json"
        whole = file.read_text()

        def resumed(seed):
            record = json.loads(whole)
            record["request"]["seed"] = seed
            file.write_text(json.dumps(record))
            cells = self.done("sweep", "--resume", "s", "--json").json()["cells"]
            for cell in cells:
                self.assertEqual(json.loads((pathlib.Path(cell["run"]) / "run.json").read_text())["request"]["seed"], seed)
            return [cell["run"] for cell in cells]

        runs = [cell["run"] for cell in first]
        self.assertEqual(resumed(8), [run + "-2" for run in runs])
        self.assertEqual(resumed(9), [run + "-3" for run in runs])
        self.assertEqual(resumed(7), runs)

    def test_a_clip_whose_latents_were_not_kept_is_rendered_again(self):
        report = self.done(*self.words("--axis", "steps=1,2", "--latents", "none", "--out", "s", "--json")).json()
        video = pathlib.Path(report["cells"][1]["run"]) / "video.mp4"
        before = sha256(video)
        with video.open("ab") as file:
            file.write(b"x")
        self.done("sweep", "--resume", "s")
        self.assertEqual(sha256(video), before)
        video.unlink()
        self.done("sweep", "--resume", "s")
        self.assertEqual(sha256(video), before)
        for name in ("-damaged", "-damaged-2"):
            self.assertTrue((video.parent.parent / (video.parent.name + name) / "run.json").is_file())

    def test_paths_on_axes(self):
        """The sweep's folder holds whole paths, so it can be resumed from any place and whatever lies in it."""
        folder = self.work / "inputs"
        folder.mkdir()
        for name, source in (("a.png", "landscape.png"), ("b.png", "portrait.png")):
            shutil.copy(FIXTURES / "_inputs" / source, folder / name)
        model = FIXTURES / "_models" / "SkyReels-V2-DF-tiny"
        words = ("sweep", "--model", model, "--prompt", PROMPT, "--size", "32x32", "--frames", 5, "--steps", 1, "--dtype", "f32")
        self.write({"schema": 1, "axes": {"image": ["a.png", "b.png"]}, "reference": {"image": "b.png"}}, "inputs/s.json")
        for i, given in enumerate((("--axis", "image=inputs/a.png,inputs/b.png"), ("inputs/s.json",))):
            report = self.done(*words, *given, "--out", f"s{i}", "--json").json()
            self.assertEqual([c["values"]["image"] for c in report["cells"]], [str(folder / "a.png"), str(folder / "b.png")])
            shutil.copytree(folder, self.work / f"s{i}" / "inputs")
            for picture in (self.work / f"s{i}" / "inputs").glob("*.png"):
                shutil.copy(FIXTURES / "_inputs" / "second.png", picture)
            resumed = self.done("sweep", "--resume", f"s{i}", "--json").json()
            self.assertEqual([c["values"] for c in resumed["cells"]], [c["values"] for c in report["cells"]])
            for cell in resumed["cells"]:
                self.assertEqual(json.loads((pathlib.Path(cell["run"]) / "run.json").read_text())["request"]["image"], cell["values"]["image"])
        self.assertEqual(report["cells"][0]["figures"]["reference"], 1)

    def test_inputs_that_are_gone(self):
        """Finished cells need no inputs. For unfinished ones a missing input is refused before anything is rendered."""
        shutil.copy(FIXTURES / "_inputs" / "landscape.png", self.work / "a.png")
        words = ("--model", FIXTURES / "_models" / "SkyReels-V2-DF-tiny", "--prompt", PROMPT, "--image", "a.png", "--size", "32x32", "--frames", 5, "--steps", 1,
                 "--cache-threshold", 0.1)
        cells = self.done("sweep", *words, "--axis", "guidance=1,3", "--out", "s", "--json").json()["cells"]
        (self.work / "a.png").unlink()
        self.assertEqual([c["state"] for c in self.done("sweep", "--resume", "s", "--json").json()["cells"]], ["done"] * 2)
        for cell in cells:
            other = cells[1] if cell is cells[0] else cells[0]
            shutil.move(cell["run"], self.work / "elsewhere")
            self.refused("sweep", "--resume", "s", codes=(1,), names=("a.png",))
            self.assertTrue((pathlib.Path(other["run"]) / "video.mp4").is_file())
            shutil.move(self.work / "elsewhere", cell["run"])

    def test_clips_of_another_machine_stay(self):
        """Clips of a device that nobody asked for are kept on a machine without it."""
        cells = self.done(*self.words("--axis", "steps=1,2", "--out", "s", "--json")).json()["cells"]
        for cell in cells:
            file = pathlib.Path(cell["run"]) / "run.json"
            record = json.loads(file.read_text())
            record["request"]["device"] = "cuda:0"
            file.write_text(json.dumps(record))
        again = self.done("sweep", "--resume", "s", "--json").json()["cells"]
        self.assertEqual([(c["state"], c["run"]) for c in again], [("done", c["run"]) for c in cells])
        self.assertEqual(len(list((self.work / "s" / "runs").iterdir())), 2)

    def test_axes_and_references_changed_by_hand(self):
        """Figures count only against the clip they were measured with, and a cell only for the values it was rendered with."""
        self.done(*self.words("--axis", "steps=1,2,3", "--out", "s"))
        file = self.work / "s" / "sweep.json"

        def resumed(change):
            record = json.loads(file.read_text())
            change(record)
            file.write_text(json.dumps(record))
            cells = self.done("sweep", "--resume", "s", "--json").json()["cells"]
            for cell in cells:
                run = json.loads((pathlib.Path(cell["run"]) / "run.json").read_text())
                self.assertEqual(run["request"]["steps"], cell["values"]["steps"])
                if "figures" in cell:
                    other = cells[cell["figures"]["reference"]]
                    mean = self.done("compare", cell["run"], other["run"], "--json").json()["mean"]
                    self.assertAlmostEqual(cell["figures"]["psnr"], mean["psnr"], 9)
            return [c.get("figures", {}).get("reference") for c in cells]

        self.assertEqual(resumed(lambda record: None), [2, 2, None])
        self.assertEqual(resumed(lambda record: record.update(reference={"steps": 1})), [None, 0, 0])
        self.assertEqual(resumed(lambda record: record["axes"].update(steps=[3, 2, 1])), [2, 2, None])

    def test_killed(self):
        words = self.words("--axis", "seed=1..3", "--steps", 30, "--out", "s", "--no-reuse")
        process = self.start(*words)
        runs = self.work / "s" / "runs"
        self.wait_until(lambda: len(list(runs.glob("*"))) >= 2)
        process.kill()
        process.communicate()
        self.assertEqual([c["state"] for c in self.done("sweep", "--resume", "s", "--json").json()["cells"]], ["done"] * 3)

    def test_what_is_there_is_taken_over(self):
        first = self.done(*self.words("--axis", "steps=1,2", "--out", "a", "--json")).json()
        second = self.done(*self.words("--axis", "steps=1,2,3", "--out", "b", "--json")).json()
        self.assertEqual([c["reused"] for c in second["cells"]], [True, True, False])
        self.assertEqual([pathlib.Path(c["run"]).resolve() for c in second["cells"][:2]], [pathlib.Path(c["run"]).resolve() for c in first["cells"]])
        self.assertEqual(second["rendered"], 1)
        self.assertEqual(self.done(*self.words("--axis", "steps=1,2", "--out", "c", "--no-reuse", "--json")).json()["rendered"], 2)

    def test_a_branch(self):
        self.done("render", "--model", MODEL, "--prompt", PROMPT, "--size", "80x48", "--frames", 9, "--seed", 7, "--dtype", "f32", "--steps", 4,
                  "--run-dir", "parent", "--out", "p.mp4")
        request = json.loads((self.work / "parent" / "run.json").read_text())["request"]
        request["start"] = {"run": "parent", "step": 2}
        sweep = self.write({"schema": 1, "request": request, "axes": {"guidance": [2, 6], "start.step": [1, 2]}})
        report = self.done("sweep", sweep, "--out", "s", "--json").json()
        for cell in report["cells"]:
            record = json.loads((pathlib.Path(cell["run"]) / "run.json").read_text())
            self.assertEqual(record["request"]["start"]["step"], cell["values"]["start.step"])
        self.refused("sweep", self.write({"schema": 1, "request": request, "axes": {"steps": [4, 5]}}, "t.json"), "--out", "t", names=["steps"])
        for damage in (lambda: None, lambda: (self.work / "parent" / "run.json").write_text("{"), lambda: shutil.rmtree(self.work / "parent")):
            damage()  # finished cells do not need it any more
            self.assertEqual(self.done("sweep", "--resume", "s", "--list", "--json").json()["to_render"], 0)
            resumed = self.done("sweep", "--resume", "s", "--json").json()
            self.assertEqual([c["run"] for c in resumed["cells"]], [c["run"] for c in report["cells"]])
        (pathlib.Path(report["cells"][1]["run"]) / "video.mp4").unlink()
        self.refused("sweep", "--resume", "s", codes=(1,), names=("parent: no such folder",))

    def test_types_of_numbers_in_a_branch(self):
        """Dtype and precision follow from each other. The refusal names the one that was asked for."""
        self.done("render", "--model", MODEL, "--prompt", PROMPT, "--size", "32x32", "--frames", 5, "--dtype", "f32", "--steps", 2, "--run-dir", "parent", "--out", "p.mp4")
        start = {"start": {"run": "parent", "step": 1}}
        request, sweep = self.write({"schema": 1, **start}, "r.json"), self.write({"schema": 1, "request": start, "axes": {"guidance": [2, 6]}})
        for option, value, kept in (("dtype", "bf16", "f32"), ("precision", "wan", "f32")):
            said = (f'--{option}: a branch keeps it as "{kept}"',)
            for words in (("render", "--from", "parent", "--step", 1, "--out", "o.mp4"), ("render", request, "--out", "o.mp4"), ("sweep", sweep, "--out", "o")):
                self.refused(*words, f"--{option}", value, names=said)
            axis = self.write({"schema": 1, "request": start, "axes": {option: [value]}}, "t.json")
            self.refused("sweep", axis, "--list", names=(f'{option}: with {option} {value}: a branch keeps it as "{kept}"',))

    def test_a_branch_of_a_clip_in_windows(self):
        # As in render, what the branch leaves open comes from the run, also its windows.
        model = FIXTURES / "_models" / "SkyReels-V2-DF-tiny"
        self.done("render", "--model", model, "--prompt", PROMPT, "--size", "64x48", "--frames", 21, "--seed", 7, "--dtype", "f32", "--steps", 2, "--run-dir", "long", "--out", "l.mp4",
                  self.write({"schema": 1, "forcing": {"base": 13, "overlap": 9}}, "forcing.json"))
        sweep = self.write({"schema": 1, "request": {"start": {"run": "long", "step": 1}}, "axes": {"guidance": [2, 6]}})
        cells = self.done("sweep", sweep, "--list", "--json").json()["cells"]
        self.assertEqual(len(cells), 2)
        late = self.write({"schema": 1, "request": {"start": {"run": "long", "step": 99}}, "axes": {"guidance": [2, 6]}})
        self.refused("sweep", late, "--list", names=(f"{late}: request.start.step: ",))

    def test_a_warning_of_many_cells_is_said_once(self):
        words = ("sweep", "--model", MODEL, "--size", "32x32", "--frames", 5, "--steps", 1, "--dtype", "f32")
        said = self.done(*words, "--axis", "prompt=" + "|".join(f"{i} " + "word " * 600 for i in range(3)), "--out", "s").err
        self.assertEqual(said.count("warning:"), 1, said)
        # The warning names one cell, and the result says which others it is about.
        words = (*words, "--axis", "prompt=short|" + "|".join(f"{i} " + "word " * 600 for i in range(3)))
        said = self.done(*words, "--out", "t", "--json")
        self.assertIn("warning: with prompt 0 word", said.err)
        self.assertEqual([w["cells"] for w in said.json()["warnings"]], [[1, 2, 3]])
        self.assertIn("warning in 3 cells (prompt 0 word", self.done(*words, "--out", "u", "--no-reuse").out)

    def test_names_are_those_of_the_command_line(self):
        self.done(*self.words("--axis", "steps=1,2", "--out", "s"))
        for out in ("s/grid.mp4", "./s/../s/grid.mp4"):
            self.refused("decode", "s/runs/000-steps-1", "--out", out, codes=(1,), names=(f"denoir-cli: {out}: is a file of the sweep s",))
        self.refused("compare", "s/runs/000-steps-1", "s/runs/001-steps-2", "--csv", "s/sweep.csv", codes=(1,), names=("denoir-cli: s/sweep.csv: is a file of the sweep s",))
        record = self.work / "s" / "runs" / "000-steps-1" / "run.json"
        shutil.rmtree(self.work / "s" / "runs" / "001-steps-2")
        record.write_text("{")
        for given in ("s", "./s/", str(self.work / "s")):
            result = self.run_cli("sweep", "--resume", given)
            self.assertEqual(result.code, 1)
            self.assertIn(f"{given.rstrip('/')}/runs/000-steps-1/run.json: ", result.err.replace("//", "/"))

    def test_folders_whose_names_cannot_be_stored(self):
        folder = self.work / os.fsdecode(b"caf\xe9")
        folder.mkdir()
        shutil.copy(FIXTURES / "_inputs" / "style-kohya.safetensors", folder / "style.safetensors")
        words = ("sweep", "--model", FIXTURES / "_models" / "Wan2.1-T2V-tiny", "--prompt", PROMPT, "--size", "80x48", "--frames", 9, "--axis", "steps=1,2")
        for more in (("--out", "s"), ("--lora", "style.safetensors", "--out", self.work / "s")):
            self.refused(*words, *more, cwd=folder, codes=(1,), names=("is not UTF-8", "another name"))

    def test_a_cell_that_fails(self):
        # The damage shows only during the run. The report says so, and there is no grid without clips.
        model = self.work / "Wan2.1-T2V-broken"
        shutil.copytree(MODEL, model)
        weights = model / "transformer" / "diffusion_pytorch_model.safetensors"
        raw = weights.read_bytes()
        weights.write_bytes(raw[:-4096] + b"\xff" * 4096)  # NaN
        result = self.run_cli("sweep", "--model", model, *self.words("--axis", "steps=1,2", "--out", "s", "--json")[3:])
        self.assertEqual(result.code, 1, result.err)
        report = result.json()
        self.assertEqual((report["failed"], report["video"], report["picture"]), (2, None, None))
        self.assertIn("sweep --resume", report["error"]["hint"])
        self.assertIn("not finite", result.err)
        self.assertFalse((self.work / "s" / "grid.mp4").exists())

    def test_refusals(self):
        full = self.work / "full"
        full.mkdir()
        (full / "a").write_text("a")
        for words, names in ((("--axis", "steps=0"), ["--axis", "steps"]), (("--axis", "steps"), ["--axis"]), (("--axis", "=8"), ["--axis"]),
                             (("--axis", "stepz=8"), ["--axis", "did you mean steps"]), ((), ["--axis"]), (("--axis", ""), ["--axis"]),
                             (("--axis", "steps=8", "--reference", "steps=9"), ["--reference"]), (("--axis", "steps=8", "--reference", "seed=9"), ["--reference"]),
                             (("--axis", "steps=8", "--reference", "what"), ["--reference"]), (("--axis", "seed=1..200", "--axis", "steps=1..10"), ["2000 clips"]),
                             (("--axis", "image=nowhere.png"), ["leave the image out"]), (("--axis", "model=/nowhere"), ["/nowhere"]), (("--axis", "steps=8", "--out", ""), ["--out"]),
                             (("--axis", "steps=8", "--out", "full"), ["full"]), (("--axis", "steps=8", "--out", "no/such"), ["no"]),
                             (("--axis", "steps=8", "--out", "full/a"), ["full/a"]), (("--axis", "size=80x48,81x48"), ["81"]),
                             (("--axis", "prompt=\x1b[31m", "--axis", "prompt.x=1"), ["--axis"]), (("--axis", "steps=8", "--resume", "full"), ["--resume"])):
            result = self.refused(*self.words(*words), names=names)
            self.assertLess(result.seconds, 2, words)
        for text, names in (("", ["s.json"]), ("[]", ["s.json"]), ("{", ["s.json", "line 1"]), ({"schema": 1}, ["axes"]), ({"schema": 3, "axes": {"steps": [1]}}, ["schema"]),
                            ({"schema": 1, "axes": {"steps": 8}}, ["s.json", "axes.steps"]), ({"schema": 1, "axes": {"steps": [None, None]}}, ["axes.steps", "twice"]),
                            ({"schema": 1, "axes": {"steps": [[]]}}, ["axes.steps"]), ({"schema": 1, "axes": {"steps": list(range(1, 400))}}, ["axes.steps"]),
                            ({"schema": 1, "axes": {str(i): [1] for i in range(9)}}, ["s.json"]), ({"schema": 1, "request": "s.json", "axes": {"steps": [1]}}, ["s.json"]),
                            ({"schema": 1, "request": "", "axes": {"steps": [1]}}, ["s.json: request: "]),
                            ({"schema": 1, "request": "/dev/zero", "axes": {"steps": [1]}}, ["/dev/zero"]), ({"schema": 1, "axes": {"loras.99999999999999999999.strength": [1]}}, ["axes"]),
                            ({"schema": 1, "axes": {"loras.": [1]}}, ["axes"]), ({"schema": 1, "axes": {"noise.file": [7]}}, ["axes.noise.file"]),
                            ('{"schema": 1, "axes": {"steps": [1], "steps": [2]}}', ["s.json"]), ('{"schema": 1, "axes": {"guidance": [1e400]}}', ["s.json"])):
            result = self.refused("sweep", self.write(text), "--out", "out", names=names)
            self.assertLess(result.seconds, 2, text)
        # A file in the request is named as the request names it.
        request = {"model": str(FIXTURES / "_models" / "SkyReels-V2-I2V-tiny"), "prompt": PROMPT, "image": "nowhere.png", "width": 80, "height": 48, "frames": 5}
        self.write({"schema": 1, "request": request, "axes": {"steps": [1, 2]}})
        self.refused("sweep", "s.json", "--out", "out", codes=(1,), names=["denoir-cli: nowhere.png: "])
        self.write({"schema": 1, "request": "nowhere.json", "axes": {"steps": [1, 2]}})
        self.refused("sweep", "s.json", "--out", "out", codes=(1,), names=["denoir-cli: nowhere.json: "])
        for folder, names in (("nowhere", ["nowhere"]), ("full", ["sweep.json"]), ("", ["--resume"]), ("/dev/null", ["/dev/null"])):
            self.refused("sweep", "--resume", folder, names=names)
        self.refused("sweep", "--resume", "full", "--steps", 4, names=["--steps"])
        for words in (("--axis", "seed=1,2", "--axis", "steps=1", "--axis", "seed=3"), ("--axis", "seed=1,2", "--reference", "seed=1", "--reference", "seed=2")):
            self.refused(*self.words(*words), "--out", "out", codes=(2,), names=["seed is given twice"])
        self.write("{}", "full/sweep.json")
        (self.work / "full" / "runs").mkdir()
        for command, out in (("sweep", "out"), ("render", "o.mp4")):
            self.refused(command, "full", "--prompt", "x", "--out", out, codes=(1,), names=["full: is the folder of a sweep", "sweep --resume"])
        # A missing device is refused before anything is written.
        for words, names in ((("--device", "cuda:97", "--axis", "steps=8"), ["denoir-cli: --device:", "cuda:97"]), (("--axis", "device=cpu,cuda:97"), ["with device cuda:97"])):
            self.refused(*self.words(*words), "--out", "out", codes=(1,), names=names)
            self.refused(*self.words(*words), "--list", codes=(1,), names=names)
        # A sweep that would be too long to be stored is not listed either.
        long = {"schema": 1, "axes": {"prompt": [str(i) + 16000 * "x" for i in range(50)], "seed": list(range(20))}}
        for words in (("--list",), ("--out", "out")):
            self.refused(*self.words(), self.write(long), *words, codes=(2,), names=["axes: their texts, once for each of 1000 clips, are too long"])
        self.done(*self.words("--axis", "steps=1", "--out", "s"))
        self.refused(*self.words("--axis", "steps=1", "--out", "s"), names=["holds a sweep"])
        (self.work / "s" / "sweep.json").write_text("{}")
        self.refused("sweep", "--resume", "s", names=["sweep.json"])


if __name__ == "__main__":
    main()
