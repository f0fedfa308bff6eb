#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Denoir on a card beside PyTorch: checks on fresh random inputs, then speed on the same random weights. One row is printed as soon as it is known.

    python bench/gpu/beside_pytorch.py PROGRAM --part check|speed [--dry] [--out FILE] [--seconds N]

PROGRAM: denoir_gpu. `--dry`: tiny sizes on the processor, to see that everything runs. Needs torch, safetensors and numpy alone."""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "bench" / "gpu"), str(ROOT / "tests" / "reference")]
import torch_models  # noqa: E402
from denoir_reference import clip, transformer, umt5, vae  # noqa: E402


def draw(shape, generator, scale=1.0):
    return torch.randn(shape, generator=generator, device=generator.device) * scale


def random_weights(shapes, generator, dtype):
    """Values that keep activations near one."""
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


class Denoir:
    def __init__(self, program, device, folder):
        self.program, self.device, self.folder, self.told = program, device, folder, set()
        self.limit = None  # seconds that a call may take

    def run(self, what, weights, inputs, dtype="bf16", repeat=0, heads=None, result=True, environment=None):
        """(times, output tensors or None)"""
        given, out = self.folder / "inputs.safetensors", self.folder / "out.safetensors"
        save_file({k: v.cpu().contiguous() for k, v in inputs.items()}, given)
        command = [self.program, what, "--weights", str(weights), "--inputs", str(given), "--dtype", dtype, "--device", self.device,
                   "--repeat", str(repeat)]
        command += ["--heads", str(heads)] if heads else []
        command += ["--out", str(out)] if result else []
        surroundings = {**os.environ, **(environment or {})}
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=surroundings, check=False, timeout=self.limit)
        except subprocess.TimeoutExpired as e:
            said = (e.stderr or b"").decode(errors="replace").strip().splitlines()[-1:]
            raise RuntimeError(f"no answer after {e.timeout:.0f} s{': ' if said else ''}{''.join(said)}") from None
        if done.returncode:
            raise RuntimeError(done.stderr.strip() or f"exit code {done.returncode}")
        for line in done.stderr.splitlines():
            if line not in self.told:
                print(f"  {what}: {line}", flush=True)
                self.told.add(line)
        return json.loads(done.stdout), load_file(out) if result else None


# Checks ---------------------------------------------------------------------------------------------------------------------------------------


def error_of(found, expected):
    """|found - expected| over |expected|, infinite for NaN and other shapes."""
    found, expected = found.double().cpu(), expected.double().cpu()
    if found.shape != expected.shape or not torch.isfinite(found).all():
        return float("inf")
    return float((found - expected).norm() / expected.norm())


def check_cases(seed):
    """name, program's word, weights, inputs, heads, output name, reference"""
    g = torch.Generator().manual_seed(seed)
    for image in (False, True):
        config = transformer.Config(dim=256, heads=2, ffn=520, layers=2, in_channels=36 if image else 16, clip_dim=80 if image else 0)
        weights = random_weights(transformer.shapes(config), g, torch.float32)
        latent, text = draw((16, 3, 10, 14), g), draw((512, 32), g)
        text[11:] = 0
        inputs = {"latent": latent, "timestep": torch.tensor([437.5]), "text": text}
        if image:
            inputs |= {"clip": draw((257, 80), g), "condition": draw((20, 3, 10, 14), g)}
        yield (f"transformer{', image' if image else ''}", "transformer", weights, inputs, 2, "velocity",
               lambda w, i=inputs: transformer.Transformer(w, 2).forward(i["latent"], i["timestep"][0], i["text"][:11], i.get("clip"), i.get("condition")))
    weights, tokens = random_weights(umt5.shapes(90, 72, 64, 104, 4, 2), g, torch.float32), torch.randint(3, 90, (23,), generator=g)
    yield "UMT5", "text", weights, {"tokens": tokens}, None, "text", lambda w, t=tokens: umt5.encode(w, t)
    weights, image = random_weights(clip.shapes(96, 200, 3), g, torch.float32), draw((3, 224, 224), g)
    yield "CLIP", "clip", weights, {"image": image}, 2, "features", lambda w, x=image: clip.encode(w, 2, x)

    # Last: most of its time is the planning of convolutions.
    weights = random_weights(vae.shapes(8, 16), g, torch.float32)
    latent, video = draw((16, 3, 5, 7), g), draw((3, 9, 40, 24), g, 0.5).clamp(-1, 1)
    yield "VAE decode", "decode", weights, {"latent": latent}, None, "video", lambda w, x=latent: vae.Vae(w).decode(x)
    yield "VAE encode", "encode", weights, {"video": video}, None, "latent", lambda w, x=video: vae.Vae(w).encode(x)[0]


def check(denoir, seed, plain_too):
    """Each module on the card against our processor's kernels of the same precision, and against PyTorch in f64."""
    bad = 0
    denoir.limit = 75 if plain_too else None  # a dry run's processor may be busy
    print(f"modules on fresh random inputs, seed {seed}\n{'module':20} {'kernels':8} {'dtype':5} {'CPU':>8} {'limit':>6} {'PyTorch':>8} {'limit':>6}", flush=True)
    processor = Denoir(denoir.program, "cpu", denoir.folder)
    for name, what, weights, inputs, heads, output, reference in check_cases(seed):
        exact = reference(weights)
        path = denoir.folder / "weights.safetensors"
        save_file(weights, path)
        for dtype, by_cpu, by_torch in (("f32", 1e-4, 1e-4), ("bf16", 2e-2, 4e-2)):
            same = processor.run(what, path, inputs, dtype, heads=heads)[1][output]
            for kernels, environment in [("fastest", {})] + ([("own", {"DENOIR_CUDA_PLAIN": "1"})] if plain_too else []):
                try:
                    # Twice more: the third call replays what the second recorded.
                    found = denoir.run(what, path, inputs, dtype, repeat=1, heads=heads, environment=environment)[1][output]
                    errors = error_of(found, same), error_of(found, exact)
                except RuntimeError as e:
                    print(e)
                    errors = float("inf"), float("inf")
                good = errors[0] <= by_cpu and errors[1] <= by_torch
                bad += not good
                print(f"{name:20} {kernels:8} {dtype:5} {errors[0]:8.1e} {by_cpu:6.0e} {errors[1]:8.1e} {by_torch:6.0e}{'' if good else '   TOO MUCH'}", flush=True)
    return bad


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
    """Milliseconds: (first, median of the others)"""
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


def fastest_attention():
    """Leaves PyTorch the faster of cuDNN's and FlashAttention's kernels, by a trial: what it takes by itself need not be that. Returns its name."""
    q, k, v = (torch.randn(1, 12, 8192, 128, device="cuda", dtype=torch.bfloat16) for _ in range(3))
    switches = {"cuDNN": torch.backends.cuda.enable_cudnn_sdp, "FlashAttention": torch.backends.cuda.enable_flash_sdp}
    times = {}
    for name, switch in switches.items():
        for other in switches.values():
            other(other is switch)
        try:
            times[name] = device_time(lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v), 5, True)[1]
        except RuntimeError:
            times[name] = float("inf")
    best = min(times, key=times.get)
    for name, switch in switches.items():
        switch(name == best)
    return best


SMALL = transformer.Config(dim=1536, ffn=8960, layers=30, heads=12, in_channels=36, freq_dim=256, text_dim=4096, clip_dim=1280)
LARGE = transformer.Config(dim=5120, ffn=13824, layers=10, heads=40, in_channels=36, freq_dim=256, text_dim=4096, clip_dim=1280)
TINY = transformer.Config(dim=256, ffn=512, layers=2, heads=2, in_channels=36, freq_dim=64, text_dim=32, clip_dim=80)


def torch_forward(config, weights, inputs, device, compiled):
    with torch.device("meta"):  # drawing billions of first values takes longer than the measurement
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
    if compiled:  # one block's code serves all: seconds instead of minutes
        for block in model.blocks:
            block.compile()
    time_step = inputs["timestep"].to(device)

    def call():
        with torch.inference_mode():
            return model(latent, time_step, text, image, cos, sin)

    return call


class Speed:
    def __init__(self, denoir, args):
        self.denoir, self.dry, self.deadline = denoir, args.dry, time.monotonic() + args.seconds
        self.bad = False  # something of ours failed or was wrong
        self.cuda = not args.dry
        self.device = "cuda" if self.cuda else "cpu"
        self.g = torch.Generator(device=self.device).manual_seed(args.seed)
        self.peak = measured_peak(self.cuda)
        card = torch.cuda.get_device_name() if self.cuda else "dry run on a processor: no figure here means anything"
        attention = f"attention by {fastest_attention()}" if self.cuda else "fused attention"
        head = [f"{time.strftime('%Y-%m-%d')}, {card}; PyTorch {torch.__version__} with cuDNN {torch.backends.cudnn.version()}, bf16, {attention}"]
        if self.peak:
            head[0] += f"; bf16 product of 8192: {self.peak:.0f} TFLOP/s by PyTorch"
        head += ["", "| what | side | ms | first ms | TFLOP/s | of peak | peak GiB | against PyTorch |", "|---|---|---|---|---|---|---|---|"]
        print("\n".join(head), flush=True)
        self.table = Table(args.out, head)

    def left(self):
        return self.deadline - time.monotonic()

    def tell(self, what, side, ms, first, flop, peak_bytes, compared="", scale=1):
        rate = flop / ms * 1e-9 if flop else 0
        self.table.row(what, side, f"{ms * scale:.1f}", f"{first:.0f}", f"{rate:.0f}" if flop else "", f"{100 * rate / self.peak:.0f} %" if flop and self.peak else "",
                       f"{peak_bytes / 2**30:.2f}" if peak_bytes else "", compared)

    def attempt(self, what, side, measure):
        """What fails is a row too; the rest goes on."""
        self.denoir.limit = None if self.dry else max(20, min(150, self.left()))
        try:
            return measure()
        except Exception as e:  # noqa: BLE001: whatever a compiler or a card comes up with
            why = (str(e).strip().splitlines() or [type(e).__name__])[-1]
            self.table.row(what, side, "failed", "", "", "", "", why[:200].replace("|", "/"))
            self.bad |= side.startswith("Denoir")
            return None

    def transformer(self, name, config, weights_path, weights, frames, height, width, variants=False):
        """One forward; `weights`: the file's tensors. Returns what measures PyTorch compiled, for later."""
        t, h, w = (frames - 1) // 4 + 1, height // 8, width // 8
        text = draw((512, config.text_dim), self.g)
        text[60:] = 0
        inputs = {"latent": draw((16, t, h, w), self.g), "condition": draw((20, t, h, w), self.g), "clip": draw((257, config.clip_dim), self.g),
                  "text": text, "timestep": torch.tensor([500.0])}
        flop, what = torch_models.forward_flop(config, t * (h // 2) * (w // 2), 512 + 257), f"{name}, {frames} frames"
        repeat = 1 if self.dry else 5
        done = {}

        def denoir(side, environment):
            times, out = self.denoir.run("transformer", weights_path, inputs, repeat=repeat, environment=environment)
            done[side] = times, out["velocity"]
            apart = f"differs from Denoir by {error_of(out['velocity'], done['Denoir'][1]):.1e}" if side != "Denoir" and "Denoir" in done else ""
            self.tell(what, side, times["ms"], times["first_ms"], flop, times["peak_bytes"], apart)

        def pytorch(side, by_compiler):
            if self.cuda:
                torch.cuda.empty_cache()
                torch.cuda.reset_peak_memory_stats()
            call = torch_forward(config, weights, inputs, self.device, by_compiler)
            start = time.perf_counter()
            theirs = call().float().cpu()
            first = (time.perf_counter() - start) * 1e3  # with what it compiles, as ours is with what it plans
            _, ms = device_time(call, repeat, self.cuda)
            apart = ""
            if "Denoir" in done:
                ours, velocity = done["Denoir"]
                error = error_of(velocity, theirs)
                self.bad |= not error < 0.1
                apart = f"Denoir is {ms / ours['ms']:.2f} times as fast; they differ by {error:.1e}"
            self.tell(what, side, ms, first, flop, torch.cuda.max_memory_allocated() if self.cuda else 0, apart)

        self.attempt(what, "Denoir", lambda: denoir("Denoir", {}))
        self.attempt(what, "PyTorch eager", lambda: pytorch("PyTorch eager", False))
        if variants:
            self.attempt(what, "Denoir, fp8", lambda: denoir("Denoir, fp8", {"DENOIR_CUDA_LINEAR": "fp8"}))
            self.attempt(what, "Denoir, not recorded", lambda: denoir("Denoir, not recorded", {"DENOIR_CUDA_GRAPHS": "off"}))
            if {"Denoir", "Denoir, not recorded"} <= done.keys():
                ours, bare = done["Denoir"][0], done["Denoir, not recorded"][0]
                saved, cost = bare["ms"] - ours["ms"], max(0.0, ours["second_ms"] - bare["ms"])
                worth = f"worth it from {cost / saved:.0f} forwards on" if saved > 0 else "not worth it"
                print(f"  recording costs {cost:.0f} ms once and saves {saved:.2f} ms a forward: {worth}", flush=True)
        return lambda: self.attempt(what, "PyTorch compiled", lambda: pytorch("PyTorch compiled", True))

    def vae(self, words, path, weights, frames, height, width):
        """`words`: decode, encode"""
        latent = draw((16, (frames - 1) // 4 + 1, height // 8, width // 8), self.g)
        video = draw((3, frames, height, width), self.g, 0.5).clamp(-1, 1)
        flop = 432e12 * frames * height * width / (97 * 544 * 960)  # of the decoder, by its convolutions
        torch.backends.cudnn.benchmark = True  # ours tries plans too
        theirs = torch_models.Decoder(weights, vae.MEAN, vae.STD, self.device)
        for word, inputs, count, call in (
            ("decode", {"latent": latent}, flop, lambda: [piece.float().cpu() for piece in theirs.decode(latent.to(self.device))]),
            ("encode", {"video": video}, 0, lambda: [piece.float().cpu() for piece in theirs.encode(video.to(self.device))]),
        ):
            if word not in words:
                continue
            name, ours = f"VAE {word}, {frames} frames", {}

            def denoir():
                ours.update(self.denoir.run(word, path, inputs, repeat=1, result=False)[0])
                self.tell(name, "Denoir", ours["ms"], ours["first_ms"], count, ours["peak_bytes"])

            def pytorch():
                if self.cuda:
                    torch.cuda.empty_cache()
                    torch.cuda.reset_peak_memory_stats()
                first, ms = device_time(call, 1, self.cuda)
                apart = f"Denoir is {ms / ours['ms']:.2f} times as fast" if ours else ""
                self.tell(name, "PyTorch eager", ms, first, count, torch.cuda.max_memory_allocated() if self.cuda else 0, apart)

            self.attempt(name, "Denoir", denoir)
            if self.left() < 40:
                return
            self.attempt(name, "PyTorch eager", pytorch)

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
        compiled = self.transformer("I2V 1.3B", config, path, made, sizes[0], height, width, variants=not self.dry)
        vae_path, vae_made = self.weights(vae.shapes(8 if self.dry else 96, 16), "vae.safetensors")
        if not self.dry:
            self.transformer("I2V 1.3B", config, path, made, 97, height, width)
        whole = 5 if self.dry else 97
        self.vae(("decode",), vae_path, vae_made, whole, height, width)
        if self.left() > 60 and not self.dry:
            compiled()
        if self.left() > 60 and not self.dry:
            large, large_made = self.weights(transformer.shapes(LARGE), "large.safetensors")
            self.transformer("I2V 14B, 10 of 40 blocks", LARGE, large, large_made, 57, height, width)
            large.unlink()
            del large_made
        if self.left() > 40:
            self.vae(("encode",), vae_path, vae_made, whole, height, width)
        for frames in sizes[1:]:
            if self.left() > 30:
                self.transformer("I2V 1.3B", config, path, made, frames, height, width)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--part", choices=("check", "speed"), required=True)
    parser.add_argument("--dry", action="store_true")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    args = parser.parse_args()
    roomy = not args.dry and os.path.isdir("/dev/shm") and shutil.disk_usage("/dev/shm").free > 16 << 30  # the largest file is 8 GB
    shared = "/dev/shm" if roomy else None
    with tempfile.TemporaryDirectory(dir=shared) as folder:
        denoir = Denoir(args.program, "cpu" if args.dry else "cuda", Path(folder))
        if args.part == "check":
            return 1 if check(denoir, args.seed, plain_too=not args.dry) else 0
        speed = Speed(denoir, args)
        speed.run()
    return 1 if speed.bad else 0


if __name__ == "__main__":
    sys.exit(main())
