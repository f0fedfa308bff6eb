#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares Denoir on a card with PyTorch: checks on new random inputs, then the speed with the same random weights. Each row is printed as soon as it is known.

    python bench/gpu/beside_pytorch.py PROGRAM --part check|speed [--seed N] [--dry [--emulated MODULE]] [--out FILE] [--seconds N]

PROGRAM: denoir_gpu. `--dry`: tiny sizes on the processor, to see that everything runs; `--emulated`: on the tests' card of host memory (slow).
Needs only torch, safetensors and numpy."""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import torch
from safetensors.torch import load_file, save_file
from torch.nn.attention import SDPBackend, sdpa_kernel

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "bench" / "gpu"), str(ROOT / "tests" / "reference")]
import torch_models  # noqa: E402
from denoir_reference import clip, transformer, umt5, vae  # noqa: E402


def draw(shape, generator, scale=1.0):
    return torch.randn(shape, generator=generator, device=generator.device) * scale


def random_weights(shapes, generator, dtype):
    """Random weights that keep activations near one."""
    out = {}
    for name, shape in shapes.items():
        if "norm" in name and name.endswith("weight") or name.endswith("gamma") or name in ("img_emb.proj.0.weight", "img_emb.proj.4.weight"):
            value = 1 + draw(shape, generator, 0.1)
        elif name.endswith("bias") or name.endswith("modulation"):
            value = draw(shape, generator, 0.1)
        elif name.endswith("embedding") or name in ("token_embedding.weight", "fps_embedding.weight") or "pos_embedding" in name:
            value = draw(shape, generator)
        else:
            value = draw(shape, generator, float(torch.tensor(shape[1:]).prod()) ** -0.5)
        out[name] = value.to(dtype).cpu().contiguous()
    return out


class NoAnswer(RuntimeError):
    """The program was stopped because its time was over."""


class Denoir:
    def __init__(self, program, device, folder):
        self.program, self.device, self.folder, self.told = program, device, folder, set()
        self.said = ""  # what the last run wrote to stderr
        self.limit = None  # seconds that a call may take

    def run(self, what, weights, inputs, **options):
        """-> (times, output tensors or None). May be called from several threads."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            return self.run_in(Path(folder), what, weights, inputs, **options)

    def run_in(self, folder, what, weights, inputs, dtype="bf16", repeat=0, heads=None, result=True, environment=None, activations=0, precision=None):
        given, out = folder / "inputs.safetensors", folder / "out.safetensors"
        save_file({k: v.cpu().contiguous() for k, v in inputs.items()}, given)
        command = [self.program, what, "--weights", str(weights), "--inputs", str(given), "--dtype", dtype, "--device", self.device,
                   "--repeat", str(repeat)]
        command += ["--heads", str(heads)] if heads else []
        command += ["--out", str(out)] if result else []
        command += ["--activations", str(activations)] if activations else []
        command += ["--precision", precision] if precision else []
        surroundings = {**os.environ, **(environment or {})}
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=surroundings, check=False, timeout=self.limit)
        except subprocess.TimeoutExpired as e:
            said = (e.stderr or b"").decode(errors="replace").strip().splitlines()[-1:]
            raise NoAnswer(f"no answer after {e.timeout:.0f} s{': ' if said else ''}{''.join(said)}") from None
        if done.returncode:
            raise RuntimeError(done.stderr.strip() or f"exit code {done.returncode}")
        self.said = done.stderr
        for line in done.stderr.splitlines():
            if line not in self.told:
                print(f"  {what}: {line}", flush=True)
                self.told.add(line)
        return json.loads(done.stdout), load_file(out) if result else None


# Checks ---------------------------------------------------------------------------------------------------------------------------------------


def error_of(found, expected):
    """|found - expected| / |expected|; infinite if there are NaN or the shapes differ."""
    found, expected = found.double().cpu(), expected.double().cpu()
    if found.shape != expected.shape or not torch.isfinite(found).all():
        return float("inf")
    return float((found - expected).norm() / expected.norm())


@dataclass
class Case:
    name: str
    what: str  # what the program is asked for
    weights: dict
    inputs: dict
    output: str
    reference: Callable  # a function of the weights, in f64
    heads: int | None = None
    bf16_by_cpu: float = 2e-2


def transformer_case(g, name, config, latent, image):
    weights = random_weights(transformer.shapes(config), g, torch.float32)
    x, text = draw((16, *latent), g), draw((512, 32), g)
    text[11:] = 0
    inputs = {"latent": x, "timestep": torch.tensor([437.5]), "text": text}
    if image:
        inputs |= {"clip": draw((257, 80), g), "condition": draw((20, *latent), g)}
    return Case(name, "transformer", weights, inputs, "velocity", lambda w: transformer.Transformer(w, config.heads).forward(
        x, inputs["timestep"][0], text[:11], inputs.get("clip"), inputs.get("condition")), config.heads)  # fmt: skip


def network_cases(g):
    for image in (False, True):
        config = transformer.Config(dim=256, heads=2, ffn=520, layers=2, in_channels=36 if image else 16, clip_dim=80 if image else 0)
        yield transformer_case(g, f"transformer{', image' if image else ''}", config, (3, 10, 14), image)
    weights, tokens = random_weights(umt5.shapes(90, 72, 64, 104, 4, 2), g, torch.float32), torch.randint(3, 90, (23,), generator=g)
    yield Case("UMT5", "text", weights, {"tokens": tokens}, "text", lambda w: umt5.encode(w, tokens))
    weights, image = random_weights(clip.shapes(96, 200, 3), g, torch.float32), draw((3, 224, 224), g)
    yield Case("CLIP", "clip", weights, {"image": image}, "features", lambda w: clip.encode(w, 2, image), 2)


def vae_cases(g):
    weights = random_weights(vae.shapes(8, 16), g, torch.float32)
    latent, video = draw((16, 3, 5, 7), g), draw((3, 9, 40, 24), g, 0.5).clamp(-1, 1)
    # Some forty layers round one after the other: our two plain ways differ by 1.3e-2 to 1.8e-2, depending on the seed, and each is as far from the truth.
    yield Case("VAE decode", "decode", weights, {"latent": latent}, "video", lambda w: vae.Vae(w).decode(latent), bf16_by_cpu=3e-2)
    yield Case("VAE encode", "encode", weights, {"video": video}, "latent", lambda w: vae.Vae(w).encode(video)[0])


class Check:
    """Compares each module on the card with our kernels for the processor in the same precision, and with PyTorch in f64."""

    def __init__(self, denoir, seed, dry):
        self.denoir, self.bad = denoir, 0
        self.processor = Denoir(denoir.program, "cpu", denoir.folder)
        self.card = denoir.device == "cuda"
        self.dry = dry
        denoir.limit = None if dry else 75  # in a dry run the processor may have other work
        self.ways = [("fastest", {}), ("own", {"DENOIR_CUDA_PLAIN": "1"})][: 1 if dry else 2]
        self.g = torch.Generator().manual_seed(seed)
        self.path = denoir.folder / "weights.safetensors"
        print(f"modules on random inputs, seed {seed}\n{'module':20} {'kernels':8} {'dtype':5} {'CPU':>8} {'limit':>6} {'PyTorch':>8} {'limit':>6}", flush=True)

    def run(self):
        for case in network_cases(self.g):
            self.module(case)
        self.eight_bit()
        self.streaming()
        for case in vae_cases(self.g):  # last, as most of the time goes into planning convolutions
            self.module(case)
        return self.bad

    def row(self, name, kernels, dtype, found, limits, problem=""):
        if not problem and not all(f <= limit for f, limit in zip(found, limits)):
            problem = "TOO MUCH"
        self.bad += bool(problem)
        pairs = " ".join(f"{f:8.1e} {limit:6.0e}" for f, limit in zip(found, limits))
        print(f"{name:20} {kernels:8} {dtype:5} {pairs}{'   ' if problem else ''}{problem}", flush=True)

    def failed(self, name, kernels, dtype, error):
        print(error)
        self.row(name, kernels, dtype, (), (), "FAILED")

    def module(self, case):
        exact = case.reference(case.weights)
        save_file(case.weights, self.path)
        rows = [("f32", (1e-4, 1e-4)), ("bf16", (case.bf16_by_cpu, 4e-2))]
        if case.what in ("decode", "encode"):  # measured with PyTorch: 5e-4 to 1.6e-3 if factors are rounded to TF32, 1.2e-3 to 3.8e-3 if they are cut
            rows.append(("tf32", (6e-3, 6e-3)))
        with ThreadPoolExecutor(4 if self.card else 1) as pool:  # most of a run's time is start and planning, on the processor
            runs = [(dtype, limits, kernels, pool.submit(self.denoir.run, case.what, self.path, case.inputs, dtype=dtype, repeat=1, heads=case.heads,
                                                         environment=environment))  # the third call replays what the second recorded
                    for dtype, limits in rows for kernels, environment in self.ways[: 1 if dtype == "tf32" else 2]]  # fmt: skip
            same = {dtype: self.processor.run(case.what, self.path, case.inputs, dtype=dtype, heads=case.heads)[1][case.output] for dtype, _ in rows}
            for dtype, limits, kernels, run in runs:
                try:
                    found = run.result()[1][case.output]
                except RuntimeError as e:
                    self.failed(case.name, kernels, dtype, e)
                    continue
                self.row(case.name, kernels, dtype, (error_of(found, same[dtype]), error_of(found, exact)), limits)

    def eight_bit(self):
        """Linear layers in fp8 and int8, with more than the 256 tokens that these need and sizes that are multiples of 16."""
        config = transformer.Config(dim=256, heads=2, ffn=528, layers=2)
        case = transformer_case(self.g, "transformer, 8 bits", config, (3, 20, 28), False)
        exact = case.reference(case.weights)
        save_file(case.weights, self.path)
        for kernels, environment in self.ways:
            found = {}
            for dtype, limit in (("bf16", 2e-2), ("fp8", 0.1), ("int8", 3e-2)):
                try:
                    by = environment | {"DENOIR_CUDA_LINEAR": dtype}
                    found[dtype] = self.denoir.run(case.what, self.path, case.inputs, repeat=1, heads=case.heads, environment=by)[1][case.output]
                except RuntimeError as e:
                    self.failed(case.name, kernels, dtype, e)
                    continue
                if dtype == "bf16":
                    continue  # its rows are above
                problem = ""
                # If a card does not know the type, the program says so; otherwise the result must differ from that in bf16.
                if self.card and "bf16" in found and error_of(found[dtype], found["bf16"]) < 1e-4 and "do not multiply" not in self.denoir.said:
                    problem = "COMPUTED IN BF16"
                self.row(case.name, kernels, dtype, (error_of(found[dtype], found["bf16"]) if "bf16" in found else 0.0, error_of(found[dtype], exact)),
                         (limit, limit), problem)  # fmt: skip

    def streaming(self):
        """On a card that is too small for the weights, they come from the host's memory and the result must have the same bytes."""
        small = transformer.Config(dim=256, heads=2, ffn=520, layers=2)
        config, card, beside = (small, 4, 1) if self.dry else (transformer.Config(dim=1024, heads=8, ffn=4096, layers=8), 340, 64)  # MiB
        case = transformer_case(self.g, "streamed weights", config, (3, 10, 14), False)
        save_file({k: v.to(torch.bfloat16) for k, v in case.weights.items()}, self.path)
        environment = {"DENOIR_CUDA_MEMORY": str(card)}
        try:
            resident = self.denoir.run(case.what, self.path, case.inputs, repeat=1, heads=case.heads)[1][case.output]
            times, found = self.denoir.run(case.what, self.path, case.inputs, repeat=1, heads=case.heads, environment=environment, activations=beside)
        except RuntimeError as e:
            return self.failed(case.name, "fastest", "bf16", e)
        problem = "NOTHING WAS STREAMED" if self.card and "stay on the card" not in self.denoir.said else ""
        if self.card and times["peak_bytes"] > card << 20:
            problem = "MORE THAN THERE IS"
        if not torch.equal(found[case.output], resident):
            problem = "OTHER BYTES"
        return self.row(case.name, "fastest", "bf16", (error_of(found[case.output], resident),), (0.0,), problem)


# Speed ----------------------------------------------------------------------------------------------------------------------------------------


class Table:
    def __init__(self, out, head):
        self.out, self.lines = out, head
        self.keep()

    def keep(self):
        if self.out:
            self.out.parent.mkdir(parents=True, exist_ok=True)
            self.out.write_text("\n".join(self.lines) + "\n", encoding="utf-8")

    def row(self, *cells):
        self.lines.append("| " + " | ".join(str(c) for c in cells) + " |")
        print(self.lines[-1], flush=True)
        self.keep()


def device_time(call, repeat, cuda):
    """-> milliseconds: (of the first call, median of the others)"""
    def once():
        start = time.perf_counter()
        call()
        if cuda:
            torch.cuda.synchronize()
        return (time.perf_counter() - start) * 1e3

    first = once()
    once()
    return first, statistics.median(once() for _ in range(repeat))


def measured_peak(cuda):
    if not cuda:
        return None
    a, b = (torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    for _ in range(3):
        a @ b.T
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(20):
        a @ b.T
    end.record()
    torch.cuda.synchronize()
    return 2 * 8192**3 * 20 / start.elapsed_time(end) * 1e-9


def fastest_attention(device):
    """Makes PyTorch use the faster of cuDNN's and FlashAttention's kernels, which it tries one by one: PyTorch's own choice need not be the faster one, and
    before cuDNN 9.15.1 it prefers every other kernel to cuDNN's. What neither can do, such as a VAE's heads of 384, the others do. Returns its name and an
    object that must be kept for as long as it is to be used."""
    tokens = 8192 if device == "cuda" else 64
    q, k, v = (torch.randn(1, 12, tokens, 128, device=device, dtype=torch.bfloat16) for _ in range(3))
    kernels, times = {"cuDNN": SDPBackend.CUDNN_ATTENTION, "FlashAttention": SDPBackend.FLASH_ATTENTION}, {}
    for name, kernel in kernels.items():
        try:
            with sdpa_kernel(kernel):
                times[name] = device_time(lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v), 5, device == "cuda")[1]
        except RuntimeError:
            times[name] = float("inf")
    best = min(times, key=times.get)
    chosen = sdpa_kernel([kernels[best], SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH], set_priority=True)
    chosen.__enter__()
    return best, chosen


SMALL = transformer.Config(dim=1536, ffn=8960, layers=30, heads=12, in_channels=36, freq_dim=256, text_dim=4096, clip_dim=1280)
LARGE = transformer.Config(dim=5120, ffn=13824, layers=10, heads=40, in_channels=36, freq_dim=256, text_dim=4096, clip_dim=1280)
TINY = transformer.Config(dim=256, ffn=512, layers=2, heads=2, in_channels=36, freq_dim=64, text_dim=32, clip_dim=80)


TORCH = {"bf16": torch.bfloat16, "tf32": torch.float32}  # PyTorch computes convolutions of f32 in TF32 unless told otherwise


def vae_row(word, frames, dtype):
    return f"VAE {word}{' in f32 (TF32)' if dtype == 'tf32' else ''}, {frames} frames"


def torch_forward(config, weights, inputs, device, compiled):
    with torch.device("meta"):  # initialising billions of values would take longer than the measurement
        model = torch_models.Transformer(config)
    model = model.load(weights).to(device).eval()
    for p in ("head.modulation", *(f"blocks.{i}.modulation" for i in range(config.layers))):
        owner = model.get_submodule(p.rpartition(".")[0])
        owner.modulation.data = owner.modulation.data.float()
    latent = torch.cat([inputs["latent"], inputs["condition"]]).to(device, torch.bfloat16)
    _, frames, height, width = latent.shape
    cos, sin = torch_models.rotary(config.dim // config.heads, frames, height // 2, width // 2, device)
    with torch.inference_mode():
        text, image = model.context(inputs["text"].to(device, torch.bfloat16)[None], inputs["clip"].to(device, torch.bfloat16)[None])
    if compiled:  # the code of one block serves all blocks: this takes seconds instead of minutes
        for block in model.blocks:
            block.compile()
    time_step = inputs["timestep"].to(device)

    def call():
        with torch.inference_mode():
            return model(latent, time_step, text, image, cos, sin)

    return call


class Speed:
    """The rows of the speed table. Their two figures of memory are the most that Denoir's arenas or PyTorch's tensors held, and for Denoir how much less
    memory the card had free at the end than before (it is a process of its own, so with what driver and libraries keep), for PyTorch its whole pool."""

    def __init__(self, denoir, args):
        self.denoir, self.dry, self.deadline = denoir, args.dry, time.monotonic() + args.seconds
        self.bad = False  # something on our side failed or was wrong
        self.cuda = not args.dry
        self.device = "cuda" if self.cuda else "cpu"
        self.g = torch.Generator(device=self.device).manual_seed(args.seed)
        self.peak = measured_peak(self.cuda)
        card = torch.cuda.get_device_name() if self.cuda else "dry run on a processor: no figure here means anything"
        attention, self.chosen_attention = fastest_attention(self.device)
        head = [f"{time.strftime('%Y-%m-%d')}, {card}; PyTorch {torch.__version__} with cuDNN {torch.backends.cudnn.version()}, bf16, attention by {attention}; seed {args.seed}"]
        if self.cuda and 90800 <= torch.backends.cudnn.version() < 91500:
            head[0] += "; with this cuDNN PyTorch's convolutions of several frames are wrong or slow in bf16 (pytorch #163539, #166122), so its VAE rows say little"
        if self.peak:
            head[0] += f"; bf16 product of 8192: {self.peak:.0f} TFLOP/s by PyTorch"
        head += ["", "| what | side | ms | first ms | TFLOP/s | of peak | peak GiB | card GiB | against PyTorch |", "|---|---|---|---|---|---|---|---|---|"]
        print("\n".join(head), flush=True)
        self.table = Table(args.out, head)

    def left(self):
        return self.deadline - time.monotonic()

    def tell(self, what, side, ms, first, flop, memory, compared=""):
        """`memory`: the two figures in bytes, as in the class's docstring."""
        rate = flop / ms * 1e-9 if flop else 0
        self.table.row(what, side, f"{ms:.1f}", f"{first:.0f}", f"{rate:.0f}" if flop else "", f"{100 * rate / self.peak:.0f} %" if flop and self.peak else "",
                       *(f"{b / 2**30:.2f}" if b > 0 else "" for b in memory), compared)  # fmt: skip

    def ours(self, word, path, inputs, **options):
        """As Denoir.run, and also returns the bytes for `tell`."""
        if not self.cuda:
            times, out = self.denoir.run(word, path, inputs, **options)
            return times, out, (times["peak_bytes"], 0)
        torch.cuda.empty_cache()
        free = torch.cuda.mem_get_info()[0]
        times, out = self.denoir.run(word, path, inputs, **options)
        return times, out, (times["peak_bytes"], free - times["free_bytes"])

    def pytorchs(self):
        if not self.cuda:
            return 0, 0
        free, all_there = torch.cuda.mem_get_info()
        return torch.cuda.max_memory_allocated(), all_there - free

    def attempt(self, what, side, measure):
        """A failure becomes a row as well, and the rest goes on."""
        self.denoir.limit = None if self.dry else max(20, min(150, self.left()))
        try:
            try:
                return measure()
            except NoAnswer:  # plans chosen so far are kept, so the second try has less to choose
                if self.left() < 40:
                    raise
                self.denoir.limit = min(150, self.left())
                return measure()
        except Exception as e:  # noqa: BLE001: a compiler or a card may raise anything
            why = (str(e).strip().splitlines() or [type(e).__name__])[-1]
            self.table.row(what, side, "failed", "", "", "", "", "", why[:200].replace("|", "/"))
            self.bad |= side.startswith("Denoir")
            return None

    def transformer(self, name, config, weights_path, weights, frames, height, width):
        """Measures one forward; `weights`: the file's tensors. Returns two measurements for later: Denoir otherwise (fp8, not recorded), PyTorch compiled."""
        t, h, w = (frames - 1) // 4 + 1, height // 8, width // 8
        text = draw((512, config.text_dim), self.g)
        text[60:] = 0
        inputs = {"latent": draw((16, t, h, w), self.g), "condition": draw((20, t, h, w), self.g), "clip": draw((257, config.clip_dim), self.g),
                  "text": text, "timestep": torch.tensor([500.0])}
        flop, what = torch_models.forward_flop(config, t * (h // 2) * (w // 2), 512 + 257), f"{name}, {frames} frames"
        repeat = 1 if self.dry else 5
        done = {}

        def denoir(side, environment, most=1e-2):
            times, out, memory = self.ours("transformer", weights_path, inputs, repeat=repeat, environment=environment, precision="skyreels")
            done[side] = times, out["velocity"]
            apart = ""
            if side != "Denoir" and "Denoir" in done:
                error = error_of(out["velocity"], done["Denoir"][1])
                self.bad |= not error < most
                apart = f"differs from Denoir by {error:.1e}{'' if error < most else ': TOO MUCH'}"
            self.tell(what, side, times["ms"], times["first_ms"], flop, memory, apart)

        def pytorch(side, by_compiler):
            if self.cuda:
                torch.cuda.empty_cache()
                torch.cuda.reset_peak_memory_stats()
            call = torch_forward(config, weights, inputs, self.device, by_compiler)
            start = time.perf_counter()
            theirs = call().float().cpu()
            first = (time.perf_counter() - start) * 1e3  # includes compiling, as ours includes planning
            _, ms = device_time(call, repeat, self.cuda)
            apart = ""
            if "Denoir" in done:
                ours, velocity = done["Denoir"]
                error = error_of(velocity, theirs)
                self.bad |= not error < 0.1
                apart = f"Denoir is {ms / ours['ms']:.2f} times as fast; they differ by {error:.1e}"
            self.tell(what, side, ms, first, flop, self.pytorchs(), apart)

        def otherwise():
            self.attempt(what, "Denoir, fp8", lambda: denoir("Denoir, fp8", {"DENOIR_CUDA_LINEAR": "fp8"}, 0.1))
            self.attempt(what, "Denoir, not recorded", lambda: denoir("Denoir, not recorded", {"DENOIR_CUDA_GRAPHS": "off"}))
            if {"Denoir", "Denoir, not recorded"} <= done.keys():
                ours, bare = done["Denoir"][0], done["Denoir, not recorded"][0]
                saved, cost = bare["ms"] - ours["ms"], max(0.0, ours["second_ms"] - bare["ms"])
                worth = f"worth it from {cost / saved:.0f} forwards on" if saved > 0 else "not worth it"
                print(f"  recording costs {cost:.0f} ms once and saves {saved:.2f} ms a forward: {worth}", flush=True)

        self.attempt(what, "Denoir", lambda: denoir("Denoir", {}))
        self.attempt(what, "PyTorch eager", lambda: pytorch("PyTorch eager", False))
        return otherwise, lambda: self.attempt(what, "PyTorch compiled", lambda: pytorch("PyTorch compiled", True))

    def vae(self, words, path, weights, frames, height, width, dtype="bf16"):
        """`words`: of decode, encode. `dtype`: tf32 is f32 with convolutions in TF32, as PyTorch computes them by default."""
        latent = draw((16, (frames - 1) // 4 + 1, height // 8, width // 8), self.g)
        video = draw((3, frames, height, width), self.g, 0.5).clamp(-1, 1)
        flop = 432e12 * frames * height * width / (97 * 544 * 960)  # of the decoder's convolutions
        torch.backends.cudnn.benchmark = True  # it may try plans, as ours does
        theirs = torch_models.Decoder(weights, vae.MEAN, vae.STD, self.device, TORCH[dtype])
        for word, inputs, count, call in (
            ("decode", {"latent": latent}, flop, lambda: [piece.float().cpu() for piece in theirs.decode(latent.to(self.device))]),
            ("encode", {"video": video}, 0, lambda: [piece.float().cpu() for piece in theirs.encode(video.to(self.device))]),
        ):
            if word not in words:
                continue
            name, ours = vae_row(word, frames, dtype), {}

            def denoir():
                times, _, memory = self.ours(word, path, inputs, dtype=dtype, repeat=1, result=False)
                ours.update(times)
                self.tell(name, "Denoir", ours["ms"], ours["first_ms"], count, memory)

            def pytorch():
                if self.cuda:
                    torch.cuda.empty_cache()
                    torch.cuda.reset_peak_memory_stats()
                first, ms = device_time(call, 1, self.cuda)
                apart = f"Denoir is {ms / ours['ms']:.2f} times as fast" if ours else ""
                self.tell(name, "PyTorch eager", ms, first, count, self.pytorchs(), apart)

            self.attempt(name, "Denoir", denoir)
            if self.left() < 40:
                return
            self.attempt(name, "PyTorch eager", pytorch)

    def vae_agrees(self, words, path, weights, frames, height, width, dtype="bf16"):
        """Compares both sides' results for the same values at the size of a render, which no row of the checks has."""
        most = 2e-2 if dtype == "tf32" else 0.1
        theirs = torch_models.Decoder(weights, vae.MEAN, vae.STD, self.device, TORCH[dtype])
        latent = draw((16, (frames - 1) // 4 + 1, height // 8, width // 8), self.g)
        video = draw((3, frames, height, width), self.g, 0.5).clamp(-1, 1)
        for word, inputs, output, call in (
            ("decode", {"latent": latent}, "video", lambda: torch.cat(theirs.decode(latent.to(self.device)), 1)),
            ("encode", {"video": video}, "mean", lambda: torch.cat(theirs.encode(video.to(self.device)), 1)[:16]),
        ):
            if word not in words:
                continue
            name = vae_row(word, frames, dtype)

            def compare():
                times, out, memory = self.ours(word, path, inputs, dtype=dtype)
                error = error_of(out[output], call().float())
                self.bad |= not error < most
                self.tell(name, "Denoir", times["first_ms"], times["first_ms"], 0, memory, f"they differ by {error:.1e}{'' if error < most else ': TOO MUCH'}")

            self.attempt(name, "Denoir", compare)

    def weights(self, shapes, name):
        path = self.denoir.folder / name
        made = random_weights(shapes, self.g, torch.bfloat16)
        save_file(made, path)
        return path, made

    def run(self):
        height, width = (48, 64) if self.dry else (544, 960)
        config = TINY if self.dry else SMALL
        path, made = self.weights(transformer.shapes(config), "transformer.safetensors")
        sizes = [5] if self.dry else [57, 17, 9]
        # The three figures that matter most come first, as a run may be cut off.
        otherwise, compiled = self.transformer("I2V 1.3B", config, path, made, sizes[0], height, width)
        vae_path, vae_made = self.weights(vae.shapes(8 if self.dry else 96, 16), "vae.safetensors")
        whole = 5 if self.dry else 97
        self.vae(("decode",), vae_path, vae_made, whole, height, width)
        if not self.dry and self.left() > 40:
            self.transformer("I2V 1.3B", config, path, made, 97, height, width)
        if self.left() > 60:
            self.vae_agrees(("decode",), vae_path, vae_made, 9, height, width)
        if not self.dry:
            for measure in (otherwise, compiled):
                if self.left() > 60:
                    measure()
        if self.left() > 60 and not self.dry:
            large, large_made = self.weights(transformer.shapes(LARGE), "large.safetensors")
            self.transformer("I2V 14B, 10 of 40 blocks", LARGE, large, large_made, 57, height, width)
            large.unlink()
            del large_made
        if self.left() > 40:
            self.vae(("encode",), vae_path, vae_made, whole, height, width)
        if self.left() > 40:
            self.vae_agrees(("encode",), vae_path, vae_made, 9, height, width)
        for frames in sizes[1:]:
            if self.left() > 30:
                self.transformer("I2V 1.3B", config, path, made, frames, height, width)
        if self.left() > 60:  # the VAE as the policy wan computes it
            self.vae(("decode",), vae_path, vae_made, whole, height, width, "tf32")
        if self.left() > 40:
            self.vae_agrees(("decode",), vae_path, vae_made, 9, height, width, "tf32")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--part", choices=("check", "speed"), required=True)
    parser.add_argument("--dry", action="store_true")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--seed", type=int, default=1, help="of weights and inputs (default 1)")
    parser.add_argument("--emulated", metavar="MODULE", help="with --dry and --part check: the CUDA module of the tests, on a card made of host memory")
    args = parser.parse_args()
    roomy = not args.dry and os.path.isdir("/dev/shm") and shutil.disk_usage("/dev/shm").free > 16 << 30  # the largest file is 8 GB
    shared = "/dev/shm" if roomy else None
    with tempfile.TemporaryDirectory(dir=shared) as folder:
        if args.emulated:
            os.environ["DENOIR_CUDA_MODULE"] = args.emulated
        denoir = Denoir(args.program, "cuda" if args.emulated or not args.dry else "cpu", Path(folder))
        if args.part == "check":
            return 1 if Check(denoir, args.seed, args.dry).run() else 0
        speed = Speed(denoir, args)
        speed.run()
    return 1 if speed.bad else 0


if __name__ == "__main__":
    sys.exit(main())
