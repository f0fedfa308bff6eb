# SPDX-License-Identifier: Apache-2.0
"""Tests `denoir-cli compare`: its figures, inputs that do not fit each other, its output files and its refusals."""

import base64
import csv
import html.parser
import json
import math
import os
import pathlib
import shutil
import signal
import struct
import time
import zlib

from program import FIXTURES, PACE, Case, main, sha256, tree, write_safetensors


def png(path, width, height, rows):
    """Writes an 8-bit RGB PNG; `rows` holds the bytes of each row."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    raw = b"".join(b"\0" + bytes(row) for row in rows)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(raw, 1)) + chunk(b"IEND", b""))
    return path


def gif(path, width, height, delay, times):
    """Writes a GIF with a frame of one grey level for each of `times`, which stays `delay` hundredths of a second (a number or a list). Its codes are not
    compressed."""
    delays = delay if isinstance(delay, list) else [delay] * len(times)
    out = b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF6, 0, 0) + bytes(2 * (i // 3) for i in range(384))
    for t, stay in zip(times, delays):
        bits, count = 0, 0
        for n in range(width * height):  # a clear code comes before codes would need more than eight bits
            for code in ([128, 9 * t] if n % 100 == 0 else [9 * t]):
                bits |= code << count
                count += 8
        bits |= 129 << count
        data = bits.to_bytes(count // 8 + 1, "little")
        blocks = b"".join(bytes([len(part)]) + part for part in (data[i:i + 255] for i in range(0, len(data), 255)))
        out += b"\x21\xf9\x04\x00" + struct.pack("<H", stay) + b"\0\0" + b"\x2c" + struct.pack("<HHHHB", 0, 0, width, height, 0) + b"\x07" + blocks + b"\0"
    path.write_bytes(out + b";")


def scene(t, width=40, height=24, add=0):
    """The rows of a picture with a moving ramp and a bright square."""
    rows = []
    for y in range(height):
        row = bytearray()
        for x in range(width):
            square = 90 if (x - 3 * t) % width < 8 and 6 <= y < 14 else 0
            row += bytes(min(255, max(0, v)) for v in ((2 * x + square + add), (3 * y + square + add), (x + y + 20 + add)))
        rows.append(row)
    return rows


class Compare(Case):
    def frames(self, name, times, add=0, pattern="frame_{}.png", **size):
        folder = self.work / name
        folder.mkdir()
        for i, t in enumerate(times):
            rows = scene(t, add=add, **size)
            png(folder / pattern.format(i), len(rows[0]) // 3, len(rows), rows)
        return name

    def compare(self, *words):
        return self.done("compare", *words, "--json").json()

    def refuse(self, *words, **options):
        return self.refused("compare", *words, timeout=20, **options)


class Figures(Compare):
    def test_constant_difference(self):
        self.frames("a", range(12))
        self.frames("b", range(12), add=5)
        found = self.compare("a", "b")
        self.assertEqual(len(found["frames"]), 12)
        self.assertEqual([f["index"] for f in found["frames"]], list(range(12)))
        for f in found["frames"]:
            self.assertAlmostEqual(f["mse"], 25, places=9)
            self.assertAlmostEqual(f["psnr"], 10 * math.log10(255 * 255 / 25), places=9)
            self.assertEqual((f["mean_difference"], f["max_difference"], f["p95_difference"], f["p99_difference"]), (5, 5, 5, 5))
            self.assertGreater(f["ssim"], 0.98)
        self.assertAlmostEqual(found["mean"]["psnr"], 10 * math.log10(255 * 255 / 25), places=9)
        self.assertEqual(found["notes"], [])
        self.assertEqual(found["histograms"]["difference"][5], 12 * 40 * 24 * 3)
        self.assertEqual(sum(found["histograms"]["a"]["red"]), 12 * 40 * 24)
        self.assertEqual(found["verdict"]["psnr"], "good")

    def test_equal(self):
        self.frames("a", range(3))
        found = self.compare("a", "a")
        self.assertEqual([(f["mse"], f["psnr"], f["ssim"]) for f in found["frames"]], [(0, None, 1)] * 3)
        self.assertIsNone(found["mean"]["psnr"])
        self.assertEqual(found["verdict"]["grade"], "identical")
        self.assertIn("identical", self.done("compare", "a", "a").out)

    def test_mean_psnr_is_of_the_mean_error(self):
        self.frames("a", [0, 0])
        self.frames("b", [0, 0])
        png(self.work / "b" / "frame_1.png", 40, 24, scene(0, add=4))
        found = self.compare("a", "b")
        self.assertIsNone(found["frames"][0]["psnr"])
        self.assertAlmostEqual(found["mean"]["mse"], 8)
        self.assertAlmostEqual(found["mean"]["psnr"], 10 * math.log10(255 * 255 / 8))
        self.assertEqual(found["worst"]["psnr_index"], 1)

    def test_natural_order(self):
        self.frames("a", range(12), pattern="frame_{}.png")  # frame_10 comes after frame_9
        self.frames("b", range(12), pattern="{:05}.png")
        self.assertEqual(self.compare("a", "b")["mean"]["mse"], 0)

    def test_small_pictures_have_no_ssim(self):
        self.frames("a", range(2), width=10)
        found = self.compare("a", "a")
        self.assertIsNone(found["frames"][0]["ssim"])
        self.assertIsNone(found["mean"]["ssim"])
        self.assertTrue(any("SSIM" in n for n in found["notes"]))

    def test_single_pictures(self):
        png(self.work / "a.png", 40, 24, scene(0))
        png(self.work / "b", 40, 24, scene(0, add=1))  # the content makes it a picture, not the name
        found = self.compare("a.png", "b")
        self.assertEqual((found["a"]["kind"], len(found["frames"]), found["mean"]["mse"]), ("picture", 1, 1))

    def test_same_bytes_with_any_number_of_threads(self):
        self.frames("a", range(3), width=200, height=90)
        self.frames("b", range(1, 4), width=200, height=90)
        outs = [self.done("compare", "a", "b", "--json", "--threads", n).out for n in (1, 3)]
        self.assertEqual(outs[0], outs[1])

    def test_csv(self):
        self.frames("a", range(3))
        self.frames("b", range(3), add=2)
        found = self.compare("a", "b", "--csv", "out.csv")
        with open(self.work / "out.csv", newline="") as f:
            rows = list(csv.DictReader(f))
        self.assertEqual(len(rows), 3)
        for row, frame in zip(rows, found["frames"]):
            for key, value in row.items():
                self.assertAlmostEqual(float(value), frame[key], places=6)

    def test_lpips(self):
        layers = {0: (64, 3, 11, 11), 3: (192, 64, 5, 5), 6: (384, 192, 3, 3), 8: (256, 384, 3, 3), 10: (256, 256, 3, 3)}
        tensors = {}
        for i, shape in layers.items():
            tensors[f"features.{i}.weight"] = ("F32", shape, struct.pack("<f", 1e-3) * math.prod(shape))
            tensors[f"features.{i}.bias"] = ("F32", shape[:1], struct.pack(f"<{shape[0]}f", *(n / shape[0] for n in range(shape[0]))))
        write_safetensors(self.work / "backbone.safetensors", tensors)
        heads = {f"lin{k}.model.1.weight": ("F32", (1, shape[0], 1, 1), struct.pack("<f", 0.5) * shape[0]) for k, shape in enumerate(layers.values())}
        write_safetensors(self.work / "heads.safetensors", heads)
        self.frames("a", range(2), width=40, height=32)
        self.frames("b", range(2), width=40, height=32, add=60)
        words = ("--lpips", "backbone.safetensors", "--lpips", "heads.safetensors")
        found = self.compare("a", "b", *words, "--csv", "c.csv", "--report", "r.html")
        self.assertEqual(found["lpips"], "LPIPS AlexNet")
        self.assertGreater(found["mean"]["lpips"], 0)
        self.assertAlmostEqual(found["mean"]["lpips"], sum(f["lpips"] for f in found["frames"]) / 2)
        self.assertIn(",lpips", (self.work / "c.csv").read_text())
        self.assertIn("LPIPS AlexNet", (self.work / "r.html").read_text())
        self.assertEqual(self.compare("a", "a", *words)["mean"]["lpips"], 0)
        self.assertNotIn("lpips", self.compare("a", "b")["mean"])
        self.refuse("a", "b", "--lpips", "backbone.safetensors", names=("lin0",))
        self.refuse("a", "b", "--lpips", "missing.pth", names=("missing.pth",))
        self.refuse("a", "b", *words, "--csv", "heads.safetensors")
        self.frames("small", range(1))
        self.refuse("small", "small", *words, names=("31 x 31",))

    def test_limits_for_scripts(self):
        self.frames("a", range(2))
        self.frames("b", range(2), add=5)
        self.done("compare", "a", "b", "--min-psnr", 30, "--min-ssim", 0.5)
        for words in (("--min-psnr", 40), ("--min-ssim", 0.9999)):
            result = self.run_cli("compare", "a", "b", "--json", *words)
            self.assertEqual(result.code, 1)
            self.assertRegex(result.err, r"^denoir-cli: b: (psnr|ssim): .* below --min")
            self.assertEqual(len(result.json()["frames"]), 2)
            self.assertTrue(all(result.json()["error"][part] for part in ("file", "field", "message", "hint")))
        self.done("compare", "a", "a", "--min-psnr", 100)


class Runs(Compare):
    def test_runs(self):
        for name, seed in (("one", 7), ("two", 8)):
            self.done(*self.render_words(f"{name}.mp4", "--run-dir", name, steps=2, seed=seed))
        self.done("decode", "one", "--out", "pictures")
        found = self.compare("one", "pictures")
        self.assertEqual((found["a"]["kind"], found["b"]["kind"], len(found["frames"]), found["mean"]["mse"]), ("run", "frames", 9, 0))
        self.assertIn("step 2 of 2", found["a"]["detail"])
        loss = self.compare("one", "one/video.mp4")  # shows what the codec loses
        self.assertGreater(loss["mean"]["psnr"], 15)  # most of it in coloured noise, whose chroma is halved
        self.assertGreater(loss["mean"]["mse"], 0)
        self.assertEqual(loss["settings"], [])
        found = self.compare("one", "two")
        self.assertGreater(found["mean"]["mse"], 1)
        self.assertEqual([s for s in found["settings"] if s["key"] == "seed"], [{"key": "seed", "a": "7", "b": "8"}])
        self.done("decode", "one", "--step", "1", "--out", "draft")
        self.assertEqual(self.compare("one", "draft", "--step-a", "1")["mean"]["mse"], 0)
        for option in ("--step-a", "--step-b"):
            self.refused("compare", "one", "one", option, "77", codes=(2,), names=(f"{option}: 77 is not stored",))
        floats = self.compare("one", "two", "--depth", "float")
        self.assertAlmostEqual(floats["mean"]["psnr"], found["mean"]["psnr"], delta=0.2)
        self.assertNotEqual(floats["mean"]["mse"], found["mean"]["mse"])
        self.refuse("one", "two", "--step-b", "3")
        self.refuse("one", "pictures", "--depth", "float", names=("--depth: is not a run",))

    def latent(self, run, step, name="latent"):
        """The values of a stored tensor, read independently of the code under test."""
        data = (self.work / run / "latents" / f"step_{step:03}.safetensors").read_bytes()
        size = struct.unpack_from("<Q", data)[0]
        begin, end = json.loads(data[8:8 + size])[name]["data_offsets"]
        return struct.unpack_from(f"<{(end - begin) // 4}f", data, 8 + size + begin)

    def test_latents_step_by_step(self):
        self.done(*self.render_words("one.mp4", "--run-dir", "one", steps=4, seed=7))
        self.done("render", "--from", "one", "--step", "2", "--guidance", "9", "--run-dir", "branch", "--out", "branch.mp4")
        found = self.compare("branch", "one", "--report", "r.html")
        self.assertEqual([(s["a"], s["b"]) for s in found["steps"]], [(n, n) for n in range(5)])
        for step in found["steps"]:
            a, b = self.latent("branch", step["a"]), self.latent("one", step["b"])
            apart = [x - y for x, y in zip(a, b)]
            relative = math.sqrt(sum(d * d for d in apart) / sum(y * y for y in b))
            self.assertAlmostEqual(step["latent"]["relative"], relative, places=9)
            self.assertAlmostEqual(step["latent"]["max_abs"], max(map(abs, apart)), places=6)
            self.assertEqual(relative == 0, step["a"] <= 2, step)
        self.assertIsNone(found["steps"][0]["x0"])  # the noise has no estimate
        self.assertGreater(found["steps"][4]["x0"]["relative"], 0)
        self.assertIn("Step by step", (self.work / "r.html").read_text())
        self.assertIn("Latents are equal up to step 2", self.done("compare", "branch", "one").out)
        # Runs with other numbers of steps are paired by noise level, and their last steps with each other.
        self.done(*self.render_words("two.mp4", "--run-dir", "two", steps=2, seed=7))
        other = self.compare("two", "one")
        self.assertEqual([(s["a"], s["b"]) for s in other["steps"]][::2], [(0, 0), (2, 4)])
        self.assertTrue(any("noise level" in note for note in other["notes"]), other["notes"])
        # A run that kept only its last latents has no steps in between. Damaged latents are named and not passed over.
        self.done(*self.render_words("last.mp4", "--run-dir", "last", "--latents", "last", steps=4, seed=7))
        self.assertEqual([s["a"] for s in self.compare("last", "one")["steps"]], [4])
        file = self.work / "branch" / "latents" / "step_001.safetensors"
        file.write_bytes(file.read_bytes()[:-1] + b"x")
        damaged = self.compare("branch", "one")
        self.assertEqual([s["a"] for s in damaged["steps"]], [0])
        self.assertTrue(any("step_001" in note for note in damaged["notes"]), damaged["notes"])
        self.assertNotIn("steps", self.compare("one", "one.mp4"))
        self.refuse("one", "two", "--csv", "one/video.mp4")


class Page(html.parser.HTMLParser):
    """Collects a report's text and the addresses in it, and checks that its elements are closed in order."""

    EMPTY = {"meta", "img", "br", "line", "path", "circle"}

    def __init__(self, text):
        super().__init__()
        self.open, self.addresses, self.text, self.balanced, self.tags = [], [], "", True, []
        self.feed(text)
        self.balanced = self.balanced and not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.addresses += [v for k, v in attributes if k in ("src", "href", "srcset", "data", "action") and v]
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in self.EMPTY:
            return
        self.balanced = self.balanced and bool(self.open) and self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


class Outputs(Compare):
    def test_report(self):
        self.frames("a", range(12))
        self.frames("<b>&quot;", range(12), add=7)
        self.compare("a", "<b>&quot;", "--report", "r.html")
        text = (self.work / "r.html").read_text()
        page = Page(text)
        self.assertTrue(page.balanced)
        self.assertGreaterEqual(len(page.addresses), 3)
        for address in page.addresses:  # a report must not load anything from the network
            self.assertTrue(address.startswith("data:image/png;base64,"), address[:60])
        for word in ("http:", "https:", "@import", "url(", "<b>&quot;"):
            self.assertNotIn(word, text)
        self.assertIn("<b>&quot; against a", page.text)
        self.assertIn("31.23", page.text)
        self.assertEqual(page.tags.count("svg"), 7)
        png_bytes = base64.b64decode(page.addresses[0].split(",")[1])
        self.assertEqual(struct.unpack(">II", png_bytes[16:24]), (40, 24))
        before = text
        self.compare("a", "<b>&quot;", "--report", "r.html")
        self.assertEqual((self.work / "r.html").read_text(), before)

    def test_report_of_equal_and_of_tiny_pictures(self):
        self.frames("a", range(2))
        self.frames("tiny", range(1), width=3, height=2)
        for name in ("a", "tiny"):
            self.compare(name, name, "--report", "r.html")
            page = Page((self.work / "r.html").read_text())
            self.assertTrue(page.balanced)
            self.assertIn("every sample of the compared frames is equal", page.text)
        self.assertIn("1 row", page.text)
        self.assertNotIn("1 rows", page.text)
        for name, value in (("black.png", 0), ("white.png", 255)):
            png(self.work / name, 16, 16, [bytes([value] * 48)] * 16)
        self.compare("black.png", "white.png", "--report", "r.html")
        self.assertIn("65025", Page((self.work / "r.html").read_text()).text)

    def test_videos(self):
        for name, value in (("a", 100), ("b", 103)):
            (self.work / name).mkdir()
            for i in range(6):
                png(self.work / name / f"{i}.png", 330, 90, [bytes([value] * 990)] * 90)
        self.compare("a", "b", "--side-by-side", "s.mkv", "--difference", "d.mkv", "--amplify", "10")
        side = self.compare("s.mkv", "s.mkv")
        self.assertEqual((side["a"]["frames"], side["a"]["fps"]), (6, 24))
        self.assertGreaterEqual(side["width"], 660)
        self.assertEqual((side["width"] % 2, side["height"] % 2), (0, 0))
        grey = self.work / "grey.png"
        png(grey, 330, 90, [bytes([30] * 990)] * 90)
        found = self.compare("d.mkv", grey)
        self.assertEqual(found["mean"]["mse"], 0)  # the level 3, ten times
        # With its sign the same is orange, as B is brighter, at 30 of 255; without the option it stays as it was.
        self.compare("a", "b", "--difference", "signed.mkv", "--difference-mode", "signed", "--amplify", "10")
        orange = self.work / "orange.png"
        share = 30 / 255 / 0.7
        png(orange, 330, 90, [bytes([round(20 + (c - 20) * share) for c in (255, 140, 26)] * 330)] * 90)
        self.assertEqual(self.compare("signed.mkv", orange)["mean"]["mse"], 0)
        self.compare("a", "b", "--difference", "absolute.mkv", "--difference-mode", "absolute", "--amplify", "10")
        self.assertEqual((self.work / "absolute.mkv").read_bytes(), (self.work / "d.mkv").read_bytes())
        for name in ("signed.mkv", "orange.png", "absolute.mkv"):
            (self.work / name).unlink()
        self.compare("a", "b", "--side-by-side", "s.mp4", "--difference", "d.mp4")
        self.assertEqual(sorted(p.name for p in self.work.iterdir()), ["a", "b", "d.mkv", "d.mp4", "grey.png", "s.mkv", "s.mp4"])

    def test_long_and_thin_sizes(self):
        # A slice of FFV1 holds up to 352x288, and its encoder once refused these sizes.
        for width, height in ((16, 512), (400, 48)):
            names = [png(self.work / f"{name}.png", width, height, [bytes([value] * 3 * width)] * height).name for name, value in (("a", 100), ("b", 103), ("grey", 30))]
            self.compare(*names[:2], "--difference", "d.mkv", "--amplify", "10")
            found = self.compare("d.mkv", names[2])
            self.assertEqual((found["a"]["width"], found["a"]["height"], found["mean"]["mse"]), (width, height, 0))

    def test_odd_and_tiny_sizes(self):
        self.frames("a", range(2), width=13, height=7)
        self.compare("a", "a", "--side-by-side", "s.mp4", "--difference", "d.mp4", "--report", "r.html")
        self.assertEqual(self.compare("d.mp4", "d.mp4")["width"], 14)

    def test_sizes_that_no_video_has(self):
        """A picture too high for a video is shown smaller. Everything else is refused before anything is measured."""
        high = png(self.work / "high.png", 32, 16000, [bytes(96)] * 16000).name
        found = self.compare(high, high, "--side-by-side", "s.mp4")
        self.assertEqual(len([n for n in found["notes"] if "0.512 times their size" in n]), 1, found["notes"])
        self.assertLessEqual(self.compare("s.mp4", "s.mp4")["height"], 16384)
        tiny = png(self.work / "tiny.png", 1, 1, [bytes(3)]).name
        self.refuse(tiny, tiny, "--difference", "d.mp4", "--progress", "plain", names=("1x1",))
        wide = png(self.work / "wide.png", 6000, 3000, [bytes(18000)] * 3000).name
        for option in ("--side-by-side", "--difference"):
            self.refuse(wide, wide, option, "d.mkv", "--progress", "plain", names=("FFV1",))

    def test_refused(self):
        self.frames("a", range(2))
        (self.work / "folder.mp4").mkdir()
        for words in (("--side-by-side", "s.avi"), ("--difference", "d"), ("--side-by-side", "folder.mp4"), ("--report", "a/frame_0.png"), ("--report", ""),
                      ("--report", "x", "--csv", "./x"), ("--side-by-side", "x.mkv", "--difference", "../work/x.mkv"), ("--amplify", "0"), ("--amplify", "x"),
                      ("--report", "missing/r.html"), ("--difference", "/dev/null")):
            self.refuse("a", "a", *words)

    def test_progress_of_a_video_that_does_not_say_how_long_it_is(self):
        gif(self.work / "a.gif", 8, 8, 4, [t % 12 for t in range(300)])
        self.done("compare", "a.gif", "a.gif", "--difference", "d.mkv")
        result = self.done("compare", "d.mkv", "d.mkv", "--progress", "plain")
        lines = [line for line in result.err.splitlines() if line.startswith("comparing")]
        self.assertIn("comparing …", lines)
        self.assertLess(len(lines), 100)  # fewer than one for each frame

    def test_all_or_nothing(self):
        import resource

        self.frames("a", range(3), width=200, height=100)
        self.frames("b", range(3), width=200, height=100, add=9)
        self.refuse("a", "b", "--side-by-side", "s.mkv", "--difference", "d.mkv", "--report", "r.html", "--csv", "c.csv", codes=(1,),
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (30000, 30000)))

    def test_interrupt(self):
        self.frames("a", range(1), width=640, height=360)
        for i in range(1, 60):
            shutil.copy(self.work / "a" / "frame_0.png", self.work / "a" / f"frame_{i}.png")
        before = tree(self.work)
        process = self.start("compare", "a", "a", "--side-by-side", "s.mkv", "--report", "r.html", "--progress", "plain")
        process.stderr.readline()
        self.wait_until(lambda: tree(self.work) != before)  # until the video is being written
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 130, err)
        self.assertLess(time.monotonic() - begin, 5 * PACE)
        self.assertEqual(tree(self.work), before)


class WhatDoesNotFit(Compare):
    def test_length(self):
        self.frames("a", range(5))
        self.frames("b", range(3))
        found = self.compare("a", "b")
        self.assertEqual(len(found["frames"]), 3)
        self.assertTrue(any("5 frames" in n and "3 frames" in n for n in found["notes"]), found["notes"])

    def test_size(self):
        self.frames("a", range(2))
        self.frames("b", range(2), width=80, height=48)
        self.refuse("a", "b", names=("40x24", "80x48"))
        found = self.compare("a", "b", "--resize", "a")
        self.assertEqual((found["width"], found["height"]), (40, 24))
        self.assertTrue(any("Lanczos" in n for n in found["notes"]))
        self.assertEqual(self.compare("a", "b", "--resize", "b")["width"], 80)
        self.refuse("a", "b", "--side-by-side", "s.mkv", names=("40x24", "80x48"))

    def test_hdr(self):
        for name in ("pq", "hlg"):
            shutil.copy(FIXTURES / "media" / f"hdr_{name}.mp4", self.work)
        shutil.copy(pathlib.Path(__file__).resolve().parents[2] / "resources" / "samples" / "first.mp4", self.work / "sdr.mp4")
        self.assertEqual(self.compare("sdr.mp4", "sdr.mp4")["notes"], [])
        notes = self.compare("hdr_pq.mp4", "hdr_hlg.mp4")["notes"]
        self.assertEqual([n.split(" and ")[0] for n in notes], ["A is HDR (PQ)", "B is HDR (HLG)"])
        # A render that goes on after such a video warns as well.
        request = {"schema": 1, "model": str(FIXTURES / "_models" / "SkyReels-V2-DF-tiny"), "prompt": "a fox", "width": 64, "height": 48, "frames": 9, "steps": 1, "seed": 1}
        for name in ("sdr", "hdr_pq"):
            (self.work / "request.json").write_text(json.dumps(request | {"forcing": {"video": f"{name}.mp4", "overlap": 5}}))
            said = self.done("render", "request.json", "--out", f"{name}_out.mp4").err
            self.assertEqual("hdr_pq.mp4 is HDR (PQ)" in said, name == "hdr_pq", said)

    def test_what_is_not_compared_is_noted(self):
        """The pictures are equal as they are read. A note says that their transparency and lower bits were not compared."""
        for name in ("mode_RGBA.png", "grey16.png"):
            shutil.copy(FIXTURES / "media" / name, self.work)
        for name, words in (("mode_RGBA.png", "alpha"), ("grey16.png", "16 bits")):
            notes = self.compare(name, name)["notes"]
            self.assertEqual([words in n for n in notes if n[:2] in ("A ", "B ")], [True, True], notes)

    def test_offset(self):
        self.frames("a", range(4, 12))
        self.frames("b", range(16), add=1)
        found = self.compare("a", "b", "--offset", "auto")
        self.assertEqual((found["offset"], found["mean"]["mse"]), (4, 1))
        self.assertEqual((found["frames"][0]["a"], found["frames"][0]["b"]), (0, 4))
        self.assertEqual(self.compare("b", "a", "--offset", "auto")["offset"], -4)
        self.assertEqual(self.compare("b", "a", "--offset", "-4")["mean"]["mse"], 1)
        self.assertGreater(self.compare("a", "b")["mean"]["mse"], 100)
        self.refuse("a", "b", "--offset", "16", names=("8 frames", "16 frames"))
        self.refuse("a", "b", "--offset", "-8")
        self.assertIn("1 of 16 frames is compared, from frame 15 of A and 0 of B on", self.compare("b", "b", "--offset", "-15")["notes"])

    def test_rate(self):
        """Two GIFs with 10 and 20 pictures a second, compared by number and by time."""
        for name, delay, times in (("slow", 10, range(0, 12, 2)), ("fast", 5, range(12))):
            gif(self.work / name, 10, 8, delay, times)
        found = self.compare("slow", "fast")
        self.assertEqual((len(found["frames"]), found["match"]), (6, "index"))
        self.assertGreater(found["mean"]["mse"], 1)
        by_time = self.compare("slow", "fast", "--match", "time")
        self.assertEqual([f["b"] for f in by_time["frames"]], [0, 2, 4, 6, 8, 10])
        self.assertEqual((by_time["mean"]["mse"], by_time["match"]), (0, "time"))
        for comparison in (found, by_time):
            self.assertTrue(any("10 fps" in n and "20 fps" in n for n in comparison["notes"]), comparison["notes"])
        self.assertEqual([f["b"] for f in self.compare("fast", "slow", "--match", "time")["frames"]][:4], [0, 1, 1, 2])
        # Both end at the same time, so no frame is left over unless an offset makes one.
        for words, said in (((), False), (("--offset", "1"), True)):
            notes = self.compare("slow", "fast", "--match", "time", *words)["notes"]
            self.assertEqual(any("lengths differ" in n for n in notes), said, notes)
        gif(self.work / "long", 10, 8, 5, range(13))
        self.assertTrue(any("lengths differ" in n for n in self.compare("slow", "long", "--match", "time")["notes"]))

    def test_uneven_rate(self):
        """Pictures that stay for different times, against the same pictures at an even rate: the times of the frames decide."""
        gif(self.work / "uneven", 10, 8, [10, 10, 30, 30, 10], [0, 1, 2, 5, 8])
        gif(self.work / "even", 10, 8, 10, range(9))
        found = self.compare("uneven", "even", "--match", "time")
        self.assertEqual([f["b"] for f in found["frames"]], [0, 1, 2, 5, 8])
        self.assertEqual(found["mean"]["mse"], 0)

    def test_offset_by_time(self):
        """An offset counts frames of B at any rate, and the notes about both sides must be true."""
        greys = [2, 9, 4, 12, 0, 7, 13, 5]
        gif(self.work / "slow", 10, 8, 10, greys)
        gif(self.work / "fast", 10, 8, 5, [1, 1, 6] + [grey for grey in greys for _ in range(2)])
        found = self.compare("slow", "fast", "--match", "time", "--offset", "auto")
        self.assertEqual((found["offset"], found["mean"]["mse"]), (4, 0))
        given = self.compare("slow", "fast", "--match", "time", "--offset", "4")
        self.assertEqual((given["frames"][1]["b"], given["mean"]["mse"]), (6, 0))
        for comparison in (found, given):
            self.assertTrue(any("4 frames after the nearest in time" in n for n in comparison["notes"]), comparison["notes"])
            self.assertFalse(any("frame i" in n or "with the frame of B nearest" in n for n in comparison["notes"]), comparison["notes"])

    def test_folder_of_different_sizes(self):
        self.frames("a", range(3))
        png(self.work / "a" / "frame_1.png", 20, 20, scene(0, 20, 20))
        self.refuse("a", "a", names=("20x20", "40x24"))


class Refusals(Compare):
    def test_inputs(self):
        self.frames("good", range(2))
        (self.work / "empty").mkdir()
        (self.work / "text.mp4").write_text("hello")
        (self.work / "zero.png").write_bytes(b"")
        (self.work / "cut.png").write_bytes((self.work / "good" / "frame_0.png").read_bytes()[:-40])
        (self.work / "run").mkdir()
        (self.work / "run" / "run.json").write_text("{")
        os.mkfifo(self.work / "pipe")
        for bad in ("empty", "text.mp4", "zero.png", "cut.png", "run", "pipe", "missing", "/dev/zero", "http://localhost/a.mp4", "good/frame_%d.png", "x\n\x1b[31m", ""):
            self.refuse(bad, "good")
            self.refuse("good", bad)

    def test_videos_that_are_cut(self):
        self.frames("good", range(20), width=64, height=48)
        self.compare("good", "good", "--difference", "whole.mkv", "--side-by-side", "whole.mp4")
        for name in ("whole.mkv", "whole.mp4"):
            data = (self.work / name).read_bytes()
            for cut in (10, len(data) // 3, len(data) - 50):
                (self.work / "cut").write_bytes(data[:cut])
                self.refuse("cut", "good", names=("cut",))
                self.refuse(name, "cut", names=("cut",))

    def test_options(self):
        self.frames("good", range(2))
        for words in (("--offset", "x"), ("--offset", "1.5"), ("--match", "size"), ("--resize", "c"), ("--difference-mode", "heat"), ("--depth", "16"), ("--min-psnr", "x"), ("--min-psnr", "nan"),
                      ("--step-a", "1"), ("--depth", "float"), ("--threads", "-1"), ("--nonsense",), ("--match", "time")):
            self.refuse("good", "good", *words)
        for option in ("--lpips", "--side-by-side", "--difference", "--report", "--csv"):
            self.refuse("good", "good", option, "", codes=(2,), names=(f"{option}: is empty",))
        self.refuse("good")
        self.refuse("good", "good", "good")

    def test_output_is_no_input(self):
        self.frames("a", range(2))
        picture = self.work / "a" / "frame_0.png"
        before = sha256(picture)
        os.symlink(picture, self.work / "link.csv")
        os.link(picture, self.work / "hard.csv")
        for out in ("a/frame_0.png", "link.csv", "hard.csv", "a/../a/frame_0.png", "a", "missing/x.csv"):
            self.refuse("a", "a", "--csv", out)
        self.assertEqual(sha256(picture), before)


if __name__ == "__main__":
    main()
