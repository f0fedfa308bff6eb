# SPDX-License-Identifier: Apache-2.0
"""Tests what surrounds a command: folders that exist already, signals, streams that take no output, and files that are cut short while they are read."""

import json
import os
import pty
import shutil
import signal
import subprocess
import time
import unittest

from program import CLI, FIXTURES, MODEL, PACE, Case, main, sha256, tree, write_safetensors

PATIENCE = 20 * PACE


def steps_in(run):
    return len(list(run.glob("latents/step_*")))


class ClosedStreams(Case):
    def test_nothing_that_is_said_lands_in_a_file(self):
        weights = MODEL / "transformer" / "diffusion_pytorch_model.safetensors"
        words = ("convert", str(weights), "out.safetensors", "--dtype", "f32", "--progress", "plain")
        self.done(*words)
        whole = sha256(self.work / "out.safetensors")
        for closed in ("2>&-", "0>&- 2>&-", "0>&- 1>&- 2>&-"):
            (self.work / "out.safetensors").unlink()
            code = subprocess.run(["sh", "-c", f'exec "$0" "$@" {closed}', CLI, *words], cwd=self.work, env=self.environment, stdout=subprocess.DEVNULL, timeout=PATIENCE).returncode
            self.assertEqual(code, 1 if "1>&-" in closed else 0, closed)
            self.assertEqual(sha256(self.work / "out.safetensors"), whole, closed)


class Folders(Case):
    def test_an_empty_folder_is_filled_and_stays_the_same(self):
        self.done(*self.render_words("new", steps=1))
        folder = self.work / "mine"
        folder.mkdir(mode=0o700)
        before = folder.stat()
        self.done(*self.render_words("mine", steps=1))
        after = folder.stat()
        self.assertEqual((before.st_ino, before.st_mode), (after.st_ino, after.st_mode))
        self.assertEqual(tree(folder), tree(self.work / "new"))
        inside = self.work / "inside"
        inside.mkdir()
        self.done(*self.render_words(".", steps=1), cwd=inside)
        self.assertEqual({p: sha256(inside / p) for p in tree(inside)}, {p: sha256(folder / p) for p in tree(folder)})

    def test_what_a_killed_process_left_is_no_content(self):
        folder = self.work / "mine"
        (folder / ".mine.partial-999999999-0").mkdir(parents=True)
        self.done(*self.render_words("mine", steps=1))
        self.assertEqual(len([p for p in tree(folder) if p.endswith(".png")]), 9)

    def test_what_a_killed_process_left_of_a_file_goes(self):
        left = self.work / ".out.mp4.partial-999999999-3"
        living = self.work / f".out.mp4.partial-{os.getpid()}-3"
        for file in (left, living):
            file.write_bytes(b"half")
        self.done(*self.render_words("out.mp4", steps=1))
        self.assertEqual([left.exists(), living.exists()], [False, True])

    @unittest.skipUnless(os.geteuid() == 0, "needs to mount")
    def test_a_full_disk_costs_no_step(self):
        folder = self.work / "mount"
        folder.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24k", "none", str(folder)], stderr=subprocess.DEVNULL).returncode:
            self.skipTest("needs to mount")
        try:
            result = self.run_cli(*self.render_words("mount", "--run-dir", "run", steps=2))
            self.assertEqual(result.code, 1, result.err)
            self.assertIn("free some space (resume with: denoir-cli render --resume '", result.err)
            self.assertEqual(tree(folder), [])
            subprocess.run(["mount", "-o", "remount,size=4m", str(folder)], check=True)
            self.done("render", "--resume", "run")
            self.assertEqual(len(tree(folder)), 9)
        finally:
            subprocess.run(["umount", str(folder)], check=False)

    @unittest.skipUnless(os.geteuid() == 0, "needs to mount")
    def test_a_mount_point(self):
        folder = self.work / "mount"
        folder.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "none", str(folder)], stderr=subprocess.DEVNULL).returncode:
            self.skipTest("needs to mount")
        try:
            self.done(*self.render_words("mount", steps=1))
            self.assertEqual(len(tree(folder)), 9)
        finally:
            subprocess.run(["umount", str(folder)], check=False)

    @unittest.skipUnless(os.path.isdir("/proc/self"), "needs a file system that does not count its blocks")
    def test_a_disk_that_does_not_say_what_is_free(self):
        # Some network shares and mounted archives do not say how much is free, but still take files.
        result = self.refused("module", "noise", "--set", "seed=1", "--set", "shape=4", "--out", "/proc/noise.safetensors", codes=(1,), names=("/proc/noise.safetensors",))
        self.assertNotIn("space", result.err)

    def test_a_working_folder_that_is_not_utf8(self):
        place = os.fsencode(self.folder) + b"/b\xff"
        os.mkdir(place)
        process = subprocess.run([CLI, *map(str, self.render_words("out.mp4", "--run-dir", "run", steps=1))], cwd=place, env=self.environment,
                                 stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)  # fmt: skip
        self.assertEqual((process.returncode, len(process.stderr.splitlines())), (1, 1), process.stderr)
        self.assertIn(b"UTF-8", process.stderr)
        self.assertEqual(os.listdir(place), [])

    def test_a_model_file_whose_name_is_not_utf8(self):
        shutil.copytree(FIXTURES / "_models" / "Wan2.1-T2V-tiny", self.folder / "Wan2.1-T2V")
        (self.folder / "Wan2.1-T2V" / "Wan2.1_VAE.pth").rename(self.folder / "Wan2.1-T2V" / os.fsdecode(b"Wan2.1_VAE\xff.pth"))
        words = ("--model", self.folder / "Wan2.1-T2V", "--prompt", "x", "--size", "80x48", "--frames", 5, "--steps", 1, "--seed", 7)
        for more in (("render", "--out", "out.mp4", "--run-dir", "run"), ("sweep", "--axis", "guidance=1,2", "--out", "sweep")):
            self.refused(*more, *words, codes=(1,), names=("Wan2.1_VAE", "is not UTF-8", "another name"))
        self.assertEqual(list(self.home.glob("data/runs/*")), [])

    def test_a_working_folder_that_is_gone(self):
        """Relative and absolute names are refused alike, because a request's names are made absolute."""
        for out in ("out.mp4", str(self.folder / "out.mp4")):
            gone = self.folder / "gone"
            gone.mkdir()
            self.refused(*self.render_words(out, steps=1), codes=(1,), names=("working directory",), cwd=gone, preexec_fn=gone.rmdir, timeout=PATIENCE)

    def test_a_run_goes_on_from_a_folder_that_is_gone(self):
        run = self.work / "run"
        self.done(*self.render_words("out.mp4", "--run-dir", "run", steps=1))
        gone = self.folder / "gone"
        gone.mkdir()
        told = self.done("render", "--resume", run, "--json", cwd=gone, preexec_fn=gone.rmdir, timeout=PATIENCE).json()
        self.assertEqual(told["out"], str(self.work / "out.mp4"))

    def test_a_run_that_was_moved_is_in_the_history_again_once_it_goes_on(self):
        self.done(*self.render_words("out.mp4", "--run-dir", "run", steps=1))
        record = json.loads((self.work / "run" / "run.json").read_text())
        (self.work / "run" / "run.json").write_text(json.dumps(dict(record, state="cancelled")))
        moved = (self.work / "run").rename(self.folder / "moved")
        listed = lambda: [r["run"] for r in self.done("runs", "--json").json()["runs"]]  # noqa: E731
        self.assertEqual(listed(), [])
        self.done("render", "--resume", moved)
        self.assertEqual(listed(), [str(moved)])

    def test_a_home_that_is_not_utf8(self):
        # Runs in such a home could not be named to any command.
        environment = {os.fsencode(k): os.fsencode(v) for k, v in self.environment.items()} | {b"DENOIR_HOME": os.fsencode(self.folder) + b"/h\xff"}
        process = subprocess.run([CLI, *map(str, self.render_words("out.mp4", steps=1))], cwd=self.work, env=environment, stdin=subprocess.DEVNULL,
                                 capture_output=True, timeout=PATIENCE)  # fmt: skip
        self.assertEqual((process.returncode, len(process.stderr.splitlines())), (1, 1), process.stderr)
        self.assertIn(b"UTF-8", process.stderr)

    def test_a_folder_for_temporaries_that_is_not_there(self):
        self.done(*self.render_words("out.mp4", "--run-dir", "run", steps=1))
        self.environment["TMPDIR"] = str(self.folder / "missing")
        self.done("verify", "run")  # this command needs no temporary files
        self.refused("compare-precision", "--model", MODEL, "--prompt", "x", "--size", "32x32", "--frames", 1, "--solver-steps", 1, codes=(1,), names=("missing", "TMPDIR"))


    def test_a_home_that_cannot_be_had(self):
        # A user on a farm may have no home, and needs none if every command is told where its files are.
        self.environment["DENOIR_HOME"] = "/dev/null"
        self.done(*self.render_words("out.mp4", "--run-dir", "run", steps=1))
        self.done("render", "--from", "run", "--step", 0, "--guidance", 2, "--run-dir", "branch", "--out", "branch.mp4")
        self.done("sweep", "--model", MODEL, "--prompt", "x", "--size", "16x16", "--frames", 1, "--steps", 1, "--axis", "seed=1,2", "--out", "sweep")
        self.refused("render", "--model", "missing", "--prompt", "x", "--run-dir", "r", "--out", "o.mp4", codes=(1,), names=("denoir-cli: missing:",))
        self.refused("runs", codes=(1,), names=("/dev/null",))

    def test_who_only_reads_makes_no_folder(self):
        self.assertEqual(self.done("runs").out, "no runs\n")
        self.done("tokenize", "x")
        self.assertFalse(self.home.exists())

    def test_a_switch_with_an_unknown_word(self):
        self.environment["DENOIR_ISA"] = "avx3"
        result = self.done(*self.render_words("out.mp4", steps=1))
        warnings = [line for line in result.err.splitlines() if "DENOIR_ISA" in line]
        self.assertEqual(warnings, ["warning: DENOIR_ISA: 'avx3' is unknown and does nothing; use baseline, avx2, avx512, avx512_bf16, amx"])
        self.environment["DENOIR_ISA"] = "avx2"
        self.assertNotIn("DENOIR_ISA", self.done(*self.render_words("again.mp4", steps=1)).err)
        self.environment["DENOIR_DEVICE"] = "gpu"
        self.refused("render", "--model", MODEL, "--prompt", "x", "--out", "o.mp4", codes=(2,), names=("DENOIR_DEVICE: 'gpu'", "cuda:N"))
        self.environment["DENOIR_DEVICE"] = "cuda:77"
        self.refused("render", "--model", MODEL, "--prompt", "x", "--out", "o.mp4", codes=(1,), names=("DENOIR_DEVICE: ", "cuda:77"))

    def test_a_small_stack(self):
        import resource

        for size in (32, 64, 128) if PACE == 1 else (128,):  # a sanitizer's own frames need more than the smaller ones
            limited = lambda: resource.setrlimit(resource.RLIMIT_STACK, (size << 10, size << 10))  # noqa: E731
            self.refused(*self.render_words("o.mp4", steps=1), codes=(1,), names=(f"stack: is limited to {size} KiB",), preexec_fn=limited)

    def test_no_thread_to_be_had(self):
        import resource

        if PACE != 1:
            self.skipTest("a sanitizer has threads of its own")

        def limited():
            if os.geteuid() == 0:  # since root has no limit
                os.setgroups([])
                os.setgid(54321)
                os.setuid(54321)
            resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))

        try:
            result = self.refused("runs", "--json", codes=(1,), names=("denoir-cli: system: ",), preexec_fn=limited)
        except PermissionError:
            self.skipTest("the program lies where other users may not go")
        self.assertEqual(result.json()["error"]["field"], "system")

    def test_outputs_behind_links(self):
        """A link is followed only if the command line names it, because a run's record may come from a stranger."""
        (self.work / "far").mkdir()
        for name in ("out.mkv", "table.csv", "page.html"):
            (self.work / name).symlink_to(f"far/{name}")
        told = self.done(*self.render_words("out.mkv", "--run-dir", "run", "--json", steps=1)).json()
        self.assertEqual(told["out"], str(self.work / "out.mkv"))  # the name that was given, not the file behind it
        self.assertEqual(self.done("decode", "run", "--out", "out.mkv", "--json").json()["out"], "out.mkv")
        self.done("compare", "run", "out.mkv", "--csv", "table.csv", "--report", "page.html")
        for name in ("out.mkv", "table.csv", "page.html"):
            self.assertTrue((self.work / name).is_symlink() and (self.work / "far" / name).stat().st_size > 0, name)
        self.assertEqual(sorted(p.name for p in (self.work / "far").iterdir()), ["out.mkv", "page.html", "table.csv"])
        record = json.loads((self.work / "run" / "run.json").read_text())
        (self.work / "victim.mkv").write_bytes(b"mine")
        (self.work / "stranger.mkv").symlink_to("victim.mkv")
        (self.work / "run" / "run.json").write_text(json.dumps(record | {"state": "failed", "out": str(self.work / "stranger.mkv")}))
        self.run_cli("render", "--resume", "run")
        self.assertEqual((self.work / "victim.mkv").read_bytes(), b"mine")
        # A refusal names the file as it was given.
        (self.work / "link.mkv").symlink_to("far/gone/out.mkv")
        self.refused(*self.render_words("link.mkv", steps=1), names=("denoir-cli: link.mkv: ",))

    def test_a_history_that_cannot_be_read(self):
        self.assertEqual(self.done("runs").out, "no runs\n")
        (self.home / "data").mkdir(parents=True, exist_ok=True)
        (self.home / "data" / "runs").write_bytes(b"")
        self.refused("runs", codes=(1,), names=("runs: cannot be read",))


class Signals(Case):
    def denoising(self, **options):
        """Starts a long render and returns once it denoises."""
        process = self.start(*self.render_words("out.mp4", "--run-dir", "run", steps=400, size="160x96"), **options)
        self.wait_until(lambda: steps_in(self.work / "run") >= 2)
        return process

    def end(self, process, number):
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
        return process.returncode, err.decode()

    def test_nohup(self):
        process = self.denoising(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        steps = steps_in(self.work / "run")
        self.wait_until(lambda: steps_in(self.work / "run") > steps + 1)
        self.assertIsNone(process.poll())
        code, err = self.end(process, signal.SIGTERM)
        self.assertEqual((code, len(err.splitlines())), (130, 1))

    def test_hangup(self):
        code, err = self.end(self.denoising(), signal.SIGHUP)
        self.assertEqual((code, len(err.splitlines())), (130, 1))

    def test_two_signals_leave_no_folder(self):
        place = self.folder / "tmp"
        place.mkdir()
        self.environment["TMPDIR"] = str(place)
        process = self.start("compare-precision", "--model", MODEL, "--prompt", "x", "--size", "160x96", "--frames", 9, "--solver-steps", 60)
        self.wait_until(lambda: self.left_in(place))
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
        self.assertEqual((process.returncode, self.left_in(place)), (130, []))

    def test_a_reader_of_progress_that_stands_still(self):
        """A pipe that is full, as behind `2>&1 | less`, must hold up neither the thread that computes nor the one that stops it."""
        for style in ("plain", "none"):
            reader, writer = os.pipe()
            run = self.work / style
            process = self.start(*self.render_words("out.mp4", "--run-dir", run, "--progress", style, steps=400, size="160x96"), stderr=writer)
            self.wait_until(lambda: steps_in(run) >= 2)
            filler = os.open(f"/proc/self/fd/{writer}", os.O_WRONLY | os.O_NONBLOCK)
            for size in (4096, 1):
                while True:
                    try:
                        os.write(filler, b"x" * size)
                    except BlockingIOError:
                        break
            steps = []

            def stands_still():
                steps.append(steps_in(run))
                time.sleep(0.05)
                return len(steps) > 10 and steps[-10] == steps[-1]

            if style == "plain":
                self.wait_until(stands_still)
            process.send_signal(signal.SIGINT)
            try:
                self.assertEqual(process.wait(timeout=PATIENCE), 130)
            finally:
                process.kill()
                process.stdout.close()
                for end in (reader, writer, filler):
                    os.close(end)
            self.assertEqual([p for p in tree(self.work) if ".partial-" in p], [])
            self.assertIn(json.loads((run / "run.json").read_text())["state"], ("running", "cancelled"))

    @staticmethod
    def left_in(place):
        """All files there except those that ThreadSanitizer keeps for itself."""
        return [entry for entry in place.iterdir() if not entry.name.startswith("tsan.")]


class Streams(Case):
    def to_full(self, stream, *words):
        with open("/dev/full", "wb") as full:
            return subprocess.run([CLI, *map(str, words)], cwd=self.work, env=self.environment, timeout=PATIENCE, stdin=subprocess.DEVNULL,
                                  **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: full})  # fmt: skip

    def test_a_result_that_reached_nobody_is_a_failure(self):
        model = FIXTURES / "_models" / "Wan2.1-T2V-tiny"
        for words in (("tokenize", "--model", model, "--json", "a cat"), ("inspect", model), ("--help",), ("runs", "--json"), ("render", "--help"), ("completion", "bash")):
            done = self.to_full("stdout", *words)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), words)
            self.assertIn(b"stdout", done.stderr)

    def test_progress_that_nobody_reads_stops_nothing(self):
        weights = MODEL / "transformer" / "diffusion_pytorch_model.safetensors"
        self.assertEqual(self.to_full("stderr", "convert", weights, "out.safetensors", "--progress", "plain").returncode, 0)
        self.assertTrue((self.work / "out.safetensors").exists())

    def test_a_reader_that_had_enough(self):
        for words in (["--help"], ["render", "--help"], ["completion", "bash"], ["runs", "--json"]):  # some of these are longer than a pipe's buffer
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run([CLI, *words], env=self.environment, stdout=writer, stderr=subprocess.PIPE, timeout=PATIENCE)
            os.close(writer)
            self.assertEqual((done.returncode, done.stderr), (0, b""), words)

    def test_a_prompt_like_an_option(self):
        self.done("render", "--prompt", "-h", "--model", MODEL, "--size", "80x48", "--frames", 5, "--steps", 1, "--out", "out.mp4")
        self.assertTrue((self.work / "out.mp4").exists())


class Terminals(Case):
    def test_escapes_in_a_checkpoint(self):
        evil = "F\x1b]0;x\x07\u009b31m\x7f"
        write_safetensors(self.work / "a.safetensors", {"n" + evil: (evil, [1], b"1234")})
        for words in ((), ("--tensors",), ("--tensors", "--json")):
            result = self.run_cli("inspect", "a.safetensors", *words)
            self.assertIn(result.code, (0, 1))
            for line in (result.out + result.err).splitlines():
                self.assertTrue(line.isprintable(), (words, line))


    def test_warnings_stand_in_lines_of_their_own(self):
        self.done(*self.render_words("a.mkv", steps=1))
        self.environment["DENOIR_ISA"] = "avx3"
        terminal, stderr = pty.openpty()
        process = self.start("compare", "a.mkv", "a.mkv", stderr=stderr)
        os.close(stderr)
        shown = b""
        try:
            while part := os.read(terminal, 4096):
                shown += part
        except OSError:  # the program has ended
            pass
        os.close(terminal)
        process.communicate(timeout=PATIENCE)
        self.assertIn(b"comparing", shown)
        self.assertIn(b"warning: DENOIR_ISA", shown)
        for before in shown.split(b"warning: ")[:-1]:
            self.assertTrue(before == b"" or before.endswith((b"\n", b"\x1b[K")), shown)


class FilesCutShort(Case):
    def test_a_model_file_truncated_meanwhile(self):
        # Another program rewrites the file while it is mapped. Without care the missing pages would kill the process.
        model = self.work / "model"
        shutil.copytree(MODEL, model)
        weights = model / "transformer" / "diffusion_pytorch_model.safetensors"
        process = self.start("render", "--model", model, "--prompt", "x", "--size", "160x96", "--frames", 9, "--steps", 900, "--seed", 1, "--dtype", "f32",
                             "--out", "out.mp4", "--run-dir", "run")  # fmt: skip
        self.wait_until(lambda: steps_in(self.work / "run") >= 2)
        os.truncate(weights, 0)
        os.truncate(model / "vae" / "diffusion_pytorch_model.safetensors", 0)
        out, err = process.communicate(timeout=6 * PATIENCE)
        lines = err.decode().splitlines()
        self.assertEqual((process.returncode, len(lines)), (1, 1), err)
        self.assertFalse((self.work / "out.mp4").exists())
        self.assertEqual([p for p in tree(self.work) if ".partial-" in p], [])


if __name__ == "__main__":
    main()
