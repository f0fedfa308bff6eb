# SPDX-License-Identifier: Apache-2.0
"""The training loops. Each continues from its checkpoint in the training folder, otherwise from exported weights, otherwise it begins anew."""

import functools
import json
import os
import shutil
import signal
import time
from dataclasses import asdict
from pathlib import Path

import torch

import export
import latent as latents
import near
import start
import text
import vae
from data import Batches, Crops, Kind, Pool, loader
from guide import Guide
from optim import Average, Optimizers, kernels, load, save
from transformer import Sizes, TextEncoder, Transformer

TINY, SMALL, FULL = (96, 64), (128, 80), (256, 144)
GUIDED = 0.1  # weight of the losses of guide and probe beside the velocity's error
OBJECTS = 3.0  # without noise, the error on objects counts so much more
DRAWERS = max(1, (os.cpu_count() or 1) - 2)  # processes that draw for a GPU, which two cores feed

# "stages": (minutes of training, factor of the rate, what is shown). All kinds of batches take about the same work. "pool": data.Pool's capacity.
PLANS = {
    "cpu": {
        "sizes": Sizes(), "lr": 2e-3, "decay": 0.998, "workers": 1, "text_steps": 1300,
        "stages": [
            (57, 1.0, [Kind("image tiny", *TINY, 1, 96, 0.6), Kind("image", *FULL, 1, 16, 0.15), Kind("clip tiny", *TINY, 17, 20, 0.25)]),
            (90, 1.0, [Kind("image tiny", *TINY, 1, 96, 0.3), Kind("image", *FULL, 1, 16, 0.25), Kind("clip tiny", *TINY, 33, 10, 0.25), Kind("clip", *FULL, 33, 2, 0.2)]),
            (158, 1.0, [Kind("image tiny", *TINY, 1, 96, 0.2), Kind("image", *FULL, 1, 16, 0.2), Kind("clip tiny", *TINY, 33, 10, 0.35), Kind("clip", *FULL, 33, 2, 0.25)]),
            (349, 0.5, [Kind("image tiny", *TINY, 1, 96, 0.15), Kind("image", *FULL, 1, 16, 0.25), Kind("clip tiny", *TINY, 33, 10, 0.25), Kind("clip", *FULL, 33, 2, 0.35)]),
            (463, 0.5, [Kind("image tiny", *TINY, 1, 96, 0.10), Kind("image", *FULL, 1, 16, 0.20), Kind("clip tiny", *TINY, 33, 10, 0.20), Kind("clip", *FULL, 33, 2, 0.50)]),
            (788, 0.7, [Kind("image tiny", *TINY, 1, 96, 0.05), Kind("image", *FULL, 1, 16, 0.20), Kind("clip tiny", *TINY, 33, 10, 0.15), Kind("clip", *FULL, 33, 2, 0.60)]),
            # Spins are learned first in small pictures, five of which cost as much as a large one.
            (840, 0.7, [Kind("image tiny", *TINY, 1, 96, 0.05), Kind("image", *FULL, 1, 16, 0.10), Kind("clip tiny", *TINY, 33, 10, 0.45), Kind("clip", *FULL, 33, 2, 0.40)]),
            (910, 0.7, [Kind("image tiny", *TINY, 1, 96, 0.05), Kind("image", *FULL, 1, 16, 0.20), Kind("clip tiny", *TINY, 33, 10, 0.15), Kind("clip", *FULL, 33, 2, 0.60)]),
            (938, 0.4, [Kind("image tiny", *TINY, 1, 96, 0.05), Kind("image", *FULL, 1, 16, 0.15), Kind("clip tiny", *TINY, 33, 10, 0.15), Kind("clip", *FULL, 33, 2, 0.65)]),
            (1e9, 0.6, [Kind("image tiny", *TINY, 1, 96, 0.05), Kind("image", *FULL, 1, 16, 0.10), Kind("clip tiny", *TINY, 33, 10, 0.10), Kind("clip", *FULL, 33, 2, 0.75)]),
        ],
    },
    "gpu": {
        # Few kinds, as each takes minutes to compile.
        "sizes": Sizes(), "lr": 2e-3, "decay": 0.999, "workers": DRAWERS, "pool": 3 << 30, "text_steps": 1300,
        "stages": [
            (4, 1.0, [Kind("image", *FULL, 1, 256, 1.0)]),
            (8, 1.0, [Kind("image", *FULL, 1, 256, 0.4), Kind("clip small", *SMALL, 17, 128, 0.6)]),
            (1e9, 0.6, [Kind("image", *FULL, 1, 256, 0.2), Kind("clip", *FULL, 33, 32, 0.8)]),
        ],
    },
    # Clips that continue others are learned; all else is kept as the exported weights have it.
    "continue": {
        "sizes": Sizes(), "lr": 2e-3, "decay": 0.998, "workers": 1, "keeps": True,
        "stages": [(1e9, 0.5, [Kind("image", *FULL, 1, 16, 0.08), Kind("clip", *FULL, 33, 2, 0.42, later=0), Kind("clip later", *FULL, 33, 2, 0.5, later=1)])],
    },
    # Runs everything in a minute, for tests.
    "smoke": {
        "sizes": Sizes(48, 2, 96, 2, freq_dim=32, text_dim=32, text_heads=2, text_ffn=48), "lr": 2e-3, "decay": 0.9, "workers": 1,
        "pool": 16 << 20, "text_steps": 10,
        "stages": [(1e9, 1.0, [Kind("image small", 64, 48, 1, 8, 0.5), Kind("clip small", 64, 48, 9, 4, 0.5)])],
    },
}  # fmt: skip


class Stopper:
    """Tells a loop to end: on a signal, so many minutes after `begin` (which may be moved), or at `deadline` (of time.monotonic), whichever
    comes first."""

    def __init__(self, minutes: float, deadline: float = float("inf")):
        self.begin, self.minutes, self.deadline, self.asked = time.monotonic(), minutes, deadline, False
        for s in (signal.SIGTERM, signal.SIGINT):
            signal.signal(s, self.ask)

    def ask(self, *_):
        self.asked = True
        # The signal stops the drawing processes as well, and because of them the loader would raise in the middle of a checkpoint.
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)

    @property
    def length(self) -> float:
        """Seconds from `begin` to the end."""
        return max(1.0, min(60 * self.minutes, self.deadline - self.begin))

    def __bool__(self):
        return self.asked or time.monotonic() > self.begin + self.length

    def cooling(self, share: float) -> float:
        """A factor of the rate: 1, falling to 0 during the last `share` of the time."""
        left = 1 - (time.monotonic() - self.begin) / self.length
        return min(1.0, max(left, 0.0) / share)


class Log:
    def __init__(self, folder: Path, name: str):
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{name}.log"

    def __call__(self, **values):
        line = json.dumps({k: round(v, 5) if isinstance(v, float) else v for k, v in values.items()})
        print(line, flush=True)
        with open(self.path, "a", encoding="utf-8") as f:
            f.write(line + "\n")


def fixed_latent(model: Path) -> latents.Latent:
    """The latent whose bases are kept with the recipe, so that every part of the training follows the same ones."""
    path = model / "recipe" / "latent.npz"
    if not path.exists():
        latents.Latent(latents.fit(clips=200)).save(path)
    return latents.Latent.load(path)


def tokenizer(model: Path) -> text.Tokenizer:
    path = model / "google" / "umt5-xxl" / "spiece.model"
    if not path.exists():
        text.train_tokenizer(path)
    return text.Tokenizer(path)


def train_text(model: Path, work: Path, plan_name: str, stop: Stopper) -> TextEncoder:
    """Trains the text encoder to tell what captions say. It takes three minutes, and nothing is saved before the end."""
    import numpy as np

    import captions
    import world

    torch.manual_seed(1)
    sizes, steps = PLANS[plan_name]["sizes"], PLANS[plan_name]["text_steps"]
    words, log, path = tokenizer(model), Log(work, "text"), work / f"text-{plan_name}.pt"
    if plan_name == "cpu" and not path.exists() and (work / "text.pt").exists():
        path = work / "text.pt"  # an older file, from before its name had the plan
    encoder, probe = TextEncoder(sizes, len(words)), text.Probe(sizes.text_dim)
    if path.exists():
        encoder.load_state_dict(load(path))
        return encoder
    named = [*encoder.named_parameters(), *probe.named_parameters()]
    optimizers = Optimizers(named, 2e-3)
    rng = np.random.default_rng(2)
    for step in range(steps):
        if stop.asked:
            raise SystemExit("stopped before the text encoder was trained: nothing kept")
        scenes = [world.sample(rng) for _ in range(64)]
        said = [captions.caption(rng, s) for s in scenes]
        tokens, lengths = words(said, sizes.text_len)
        loss, right = probe.loss(encoder(tokens, lengths), lengths, torch.tensor([text.answers(*pair) for pair in zip(scenes, said)]))
        optimizers.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_([p for _, p in named], 1.0)
        optimizers.step(min(1, (step + 1) / 20) * (1 - step / steps) ** 0.5)
        if step % 100 == 99:
            log(step=step + 1, loss=loss.item(), right=right.item())
    save(path, encoder.state_dict())
    return encoder


def next_of(batches, stop: Stopper):
    """The next batch; None if the training was told to end, as the same signal may have stopped the drawing processes."""
    try:
        return next(batches, None)
    except RuntimeError:
        if stop.asked:
            return None
        raise


def noise_levels(batch: int, frames: int, ends, known, device):
    """sigma [B,T], and which frames are learned [B,T]. sigma is logit-normal with a shift of 3, or 5 for clips, and uniform for a fifth. 55 % of
    the clips have one level for all frames, 15 % a level for each frame, 30 % follow a clean beginning. An end image is always clean, and so
    are the `known` [B] first frames of a clip."""
    # Nine frames show an object through more noise than one frame does: where it goes is settled above sigma 0.9, which a shift of 3
    # draws for only one clip in eight.
    shift = 5 if frames > 1 else 3

    def draw(*shape):
        u = torch.sigmoid(torch.randn(*shape, device=device))
        return torch.where(torch.rand(*shape, device=device) < 0.2, torch.rand(*shape, device=device), shift * u / (1 + (shift - 1) * u))

    common, each = draw(batch, 1), draw(batch, frames)
    kind = torch.rand(batch, 1, device=device)
    sigma = torch.where(kind < 0.55, common, torch.where(kind < 0.7, each, common)).expand(batch, frames)
    at = torch.arange(frames, device=device)
    # The clean beginning is mostly one frame (a start image), sometimes a longer piece.
    longer = 1 + (torch.rand(batch, 1, device=device) ** 2 * 0.999 * max(frames - 1, 1)).long()
    prefix = torch.where(torch.rand(batch, 1, device=device) < 0.6, torch.ones_like(longer), longer)
    clean = ((kind >= 0.7) & (at < prefix)) if frames > 1 else torch.zeros(batch, frames, dtype=torch.bool, device=device)
    clean = torch.where(known[:, None] > 0, at < known[:, None], clean) | (ends[:, None] & (at == frames - 1))
    return torch.where(clean, 0.0, sigma), ~clean


def transformer_loss(model, encoder, guide, teacher, z, tokens, lengths, ends, known, answers, classes, targets):
    """-> the loss to minimise; for the log the velocity's error and, where there is a guide, its loss and the share of the probe's right answers.
    `teacher`: a transformer whose velocity is to be learned, instead of the true one, for what has no `known` beginning; or None."""
    sigma, learned = noise_levels(z.shape[0], z.shape[2], ends, known, z.device)
    noise = torch.randn_like(z)
    s = sigma[:, None, :, None, None]
    noisy, times, wanted = (1 - s) * z + s * noise, 1000 * sigma, noise - z
    with torch.autocast(z.device.type, torch.bfloat16):
        features = encoder(tokens, lengths)
        velocity, middle = model(noisy, times, features, lengths, tap=model.sizes.layers * 2 // 3)
        if teacher and not known.all():
            with torch.no_grad():
                taught = teacher(noisy, times, features, lengths).float()
            wanted = torch.where(known[:, None, None, None, None] > 0, wanted, taught)
        if guide:
            named, (told, right) = guide.loss(middle, classes, targets), guide.probe.loss(features, lengths, answers)
    error = (velocity.float() - wanted).square().mean(1)  # [B,T,h,w]
    # Objects cover a tenth of a picture, so the error on them counts more the surer it is where they are. At high noise, when that is
    # still open, a weight would make the model draw them everywhere.
    rows, columns = z.shape[3] // 2, z.shape[4] // 2
    shown = (classes[..., 0] > 0).unflatten(-1, (rows, columns)).repeat_interleave(2, 2).repeat_interleave(2, 3)
    weighted = (error * (1 + OBJECTS * (1 - sigma)[:, :, None, None] * shown)).mean((2, 3))
    count = learned.sum().clamp(min=1)
    plain = (error.mean((2, 3)) * learned).sum() / count
    loss = (weighted * learned).sum() / count
    return (loss + GUIDED * (named + told), plain.detach(), named.detach(), right.detach()) if guide else (loss, plain.detach())


class Team:
    """Processes that train one model, each on its own batches of the same kind. torchrun starts them; without it there is one."""

    def __init__(self):
        self.rank, self.size = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
        if self.size > 1:
            torch.distributed.init_process_group("gloo")

    def mean(self, params, *values: float) -> list[float]:
        """Replaces the parameters' gradients by the team's mean and returns the means of `values`, with the same bits in every process: what
        steers the loop must be exactly the same, or the copies of the model drift apart."""
        if self.size == 1:
            return list(values)
        grads = [p.grad if p.grad is not None else torch.zeros_like(p) for p in params]
        flat = torch.cat([g.flatten() for g in grads] + [torch.tensor(values)])
        torch.distributed.all_reduce(flat)
        flat /= self.size
        at = 0
        for p in params:
            p.grad, at = flat[at : at + p.numel()].view_as(p), at + p.numel()
        return flat[at:].tolist()


def rehearse(pool: Pool, kinds: list[Kind], step) -> None:
    """Calls `step` with two batches of every kind: the first call compiles it, the second records its CUDA graph."""
    for kind in kinds:
        for _ in range(2):
            if batch := pool.take(kind.name):
                step(*batch[1:])


def usable(loss, plain, try_out, warn):
    """The compiled `loss` if try_out(loss) goes well, otherwise `plain`, after a warning: if the compiler fails, the training is slower but goes on."""
    if loss is not plain:
        try:
            try_out(loss)
            return loss
        except Exception as error:  # noqa: BLE001: a compiler may raise anything
            warn(warning=f"not compiled, many times slower: {type(error).__name__}: {str(error).strip()[:300]}")
    try_out(plain)
    return plain


def keep_if_broken(path: Path, average: Average, step: int) -> None:
    """Ends the program before a checkpoint is replaced by one with NaN, from which nothing could go on."""
    if all(mean.isfinite().all() for mean in average.mean):
        return
    kept = f"{path} is kept as it was saved last" if path.exists() else "nothing was saved"
    raise SystemExit(f"weights are not finite after step {step}: {kept}; start the command again, and with a lower rate if it ends so again")


class Loop:
    """What both trainings do: steps until the stopper or the team ends them, a line in the log every minute, a checkpoint every `saving`
    seconds. `done`: minutes and steps so far, and samples if they are counted; the loop adds to them."""

    def __init__(self, stop, team, device, params, optimizers, average, done, log, checkpoint, saving):
        self.stop, self.team, self.device, self.params, self.optimizers, self.average = stop, team, device, params, optimizers, average
        self.done, self.log, self.checkpoint, self.saving = done, log, checkpoint, saving
        self.warm = 0  # steps of this process
        self.begun, self.started = time.monotonic(), done["minutes"]

    def run(self, next_batch, gradients, rate, cooling: float, told=dict) -> None:
        """`next_batch()` gives what `gradients` takes, None at the end. `gradients(batch)` does a backward pass and returns figures for the log
        (0-d tensors by name) and the number of samples. `rate(warm, share)` gives the factor of the optimizers' rate; `share` is 1 and falls
        to 0 during the last `cooling` of the time. `told(means)` gives what the log says about a minute's figures."""
        said, saved, sums = self.begun, self.begun, {}
        ended = self.stop.asked
        while not ended and (batch := next_batch()) is not None:
            shown, samples = gradients(batch)
            if (steering := self._steering(cooling)) is None:
                break
            asked, share, spent = steering
            ended = asked > 0
            torch.nn.utils.clip_grad_norm_(self.params, 1.0)
            self.warm += 1
            self.optimizers.step(rate(self.warm, share))
            self.average.update()
            self._count(samples, spent)
            for what, value in shown.items():
                total, count = sums.get(what, (torch.zeros((), device=self.device), 0))
                sums[what] = total + value, count + 1
            now = time.monotonic()
            if now - said > 60:
                self.log(**self.done, **told({what: (total / count).item() for what, (total, count) in sums.items()}))
                said, sums = now, {}
            if now - saved > self.saving:
                self.checkpoint()
                saved = now

    def _steering(self, cooling: float):
        """Averages the gradients over the team -> whether a process was asked to end, the rate's share, the seconds spent; None if the team ended."""
        # Other programs may use the processor as well: only the time that it gave to this one counts.
        spent = time.process_time() if self.device.type == "cpu" else time.monotonic() - self.stop.begin
        try:
            return self.team.mean(self.params, float(bool(self.stop)), self.stop.cooling(cooling), spent)
        except RuntimeError:  # the same signal may have stopped the others of the team
            if self.stop.asked:
                return None
            raise

    def _count(self, samples: int, spent: float) -> None:
        self.done["step"] += 1
        self.done["minutes"] = self.started + self.team.size * spent / 60
        if "samples" in self.done:
            self.done["samples"] += self.team.size * samples


def _place(device: str):
    if device == "cpu":
        torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", 1)))
    else:
        torch.backends.cuda.matmul.allow_tf32 = True
        torch.backends.cuda.enable_cudnn_sdp(False)  # its masked backward pass has given NaN; little is lost, as the sequences are short
    return torch.device(device), lambda: torch.autocast(torch.device(device).type, torch.bfloat16)


def _to(device, *tensors):
    return [t.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else t for t in tensors]


def train_transformer(model: Path, work: Path, plan_name: str, minutes: float, workers: int | None = None, deadline: float = float("inf")) -> None:
    """Trains transformer and text encoder together, by the stages of the plan. Saves a checkpoint every few minutes."""
    stop, team = Stopper(minutes, deadline), Team()
    plan = PLANS[plan_name]
    sizes: Sizes = plan["sizes"]
    device, _ = _place("cuda" if plan_name == "gpu" else "cpu")
    words, latent = tokenizer(model), fixed_latent(model)
    log = Log(work, "transformer") if team.rank == 0 else lambda **_: None
    net, encoder = Transformer(sizes), TextEncoder(sizes, len(words))
    # What is to be kept needs no guide, whose heads would begin anew: they are not exported.
    keeps = plan.get("keeps", False)
    guide, teacher = None if keeps else Guide(sizes.dim, sizes.text_dim), Transformer(sizes).requires_grad_(False) if keeps else None
    path, done = work / f"transformer-{plan_name}.pt", dict(minutes=0.0, step=0, samples=0)
    state = load(path) if path.exists() else None
    if state:
        net.load_state_dict(state["transformer"])
        encoder.load_state_dict(state["text"])
        if keeps:
            teacher.load_state_dict(state["teacher"])
        else:
            guide.load_state_dict(state["guide"])
        done = state["done"]
    elif found := export.read_transformer(model, sizes):
        net.load_state_dict(found["transformer"])
        encoder.load_state_dict(found["text"])
        done |= found["done"]
        if keeps:
            teacher.load_state_dict(found["transformer"])
        if found["plan"] != plan_name:  # minutes of another plan do not count here; its weights are taken to be before the last stage
            done["minutes"] = float(([0] + [s[0] for s in plan["stages"]])[-2])
        log(note="continues from exported weights", **done)
    elif keeps:
        raise SystemExit(f"--plan {plan_name} needs exported weights in {model}: train with another plan first")
    else:
        encoder.load_state_dict(train_text(model, work, plan_name, stop).state_dict())
    parts = (net.to(device), encoder.to(device))
    if keeps:
        encoder.requires_grad_(False)
        teacher.to(device)
    learning = (net,) if keeps else (*parts, guide.to(device))
    named = [pair for m in learning for pair in m.named_parameters()]
    optimizers, average = Optimizers(named, plan["lr"]), Average(parts, plan["decay"])
    if state:
        optimizers.load_state_dict(state["optimizer"])
        average.count = state["average_count"]
        for mean, saved in zip(average.mean, state["average"]):
            mean.copy_(saved)
    log(plan=plan_name, sizes=asdict(sizes), parameters=sum(p.numel() for m in parts for p in m.parameters()))

    torch.manual_seed(1_000_003 * team.rank + done["step"])

    def checkpoint():
        if team.rank > 0:
            return
        keep_if_broken(path, average, done["step"])
        beside = {"teacher": teacher.state_dict()} if keeps else {"guide": guide.state_dict()}
        save(path, {
            "transformer": net.state_dict(), "text": encoder.state_dict(), "optimizer": optimizers.state_dict(), "average": average.mean,
            "average_count": average.count, "done": done, "sizes": asdict(sizes), **beside,
        })  # fmt: skip

    if device.type == "cuda":
        # Every kind has its own shapes: it is compiled once, and its kernels are replayed as one CUDA graph.
        torch._dynamo.config.cache_size_limit = 32
        loss_of = torch.compile(transformer_loss, mode="reduce-overhead", dynamic=False)
    else:
        loss_of = transformer_loss
        if shutil.which("g++"):
            # Compiled, it is a quarter faster. Every shape of batch takes most of a minute once; the result is kept beside the checkpoints.
            os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(work / "compiled"))
            torch._dynamo.config.suppress_errors, torch._dynamo.config.cache_size_limit = True, 64
            for block in (*net.blocks, *(teacher.blocks if keeps else ())):
                block.compile(dynamic=False)

    def gradients(of, *batch):
        optimizers.zero_grad()
        loss, *shown = of(net, encoder, guide, teacher, *batch)
        loss.backward()
        return shown

    loop = Loop(stop, team, device, [p for _, p in named], optimizers, average, done, log, checkpoint, saving=240)
    stage, batches, factor = None, None, 1.0

    def enter_stage(number):
        nonlocal stage, batches, factor, loss_of
        stage, (_, factor, kinds) = number, plan["stages"][number]
        count, seed = plan["workers"] if workers is None else workers, 1000 + done["step"]
        if isinstance(batches, Pool):
            batches.stop()
        if plan.get("pool"):
            batches = Pool(latent, words, sizes.text_len, kinds, seed, count, device, plan["pool"], lambda: stop.asked)
        else:
            batches = loader(Batches(latent, words, sizes.text_len, kinds, seed, team.rank), count)
        log(stage=stage, rate=factor, kinds=[k.name for k in kinds])
        if device.type == "cuda":
            # At the beginning, compiling takes minutes for every kind, and filling the pool and the text encoder take more. The clock by
            # which the rate cools stands still meanwhile.
            since = time.monotonic() if loop.warm else stop.begin
            loss_of = usable(loss_of, transformer_loss, lambda of: rehearse(batches, kinds, functools.partial(gradients, of)), log)
            stop.begin += time.monotonic() - since

    def next_batch():
        current = next(i for i, s in enumerate(plan["stages"]) if done["minutes"] < s[0])
        if current != stage:
            enter_stage(current)
        return next_of(batches, stop)

    def figures(batch):
        name, z, *rest = batch
        return dict(zip((name, f"guide, {name}", "told"), gradients(loss_of, z, *rest))), len(z)

    loop.run(next_batch, figures, lambda warm, share: factor * min(1, warm / 100) * share, cooling=0.6)
    if isinstance(batches, Pool):
        batches.stop()
    checkpoint()
    log(note="stopped", **done)


def train_vae(model: Path, work: Path, part: str, minutes: float, device_name: str = "cpu", workers: int = 0, deadline: float = float("inf")) -> None:
    """Trains a `part` of the VAE: "decoder" learns to draw pictures from the fixed latent, "encoder" to compute it."""
    stop, team = Stopper(minutes, deadline), Team()
    device, autocast = _place(device_name)
    latent, log = fixed_latent(model), Log(work, f"vae-{part}") if team.rank == 0 else lambda **_: None
    net = vae.Vae(latents.Z, latent.tables["std"])
    path, done = work / f"vae-{part}.pt", dict(minutes=0.0, step=0)
    mine = ("decoder.", "conv2.") if part == "decoder" else ("encoder.", "conv1.")
    state = load(path) if path.exists() else None
    if state:
        net.load_state_dict(state["vae"])
        done = state["done"]
    elif found := export.read_vae(model):
        net.load_state_dict(found["vae"])
        done |= found["done"].get(part, {})  # files from before this was written have no "done": step 0
        log(note="continues from exported weights", **done)
    else:
        start.encoder(net, latent)
    net.to(device)
    named = [(n, p) for n, p in net.named_parameters() if n.startswith(mine)]
    params = [p for _, p in named]
    optimizer = Optimizers(named, 2e-3, kernels, weight_decay=0.0)
    average = Average([torch.nn.ParameterList(params)], 0.998)
    if state:
        optimizer.load_state_dict(state["optimizer"])
        average.count = state["average_count"]
        for mean, kept in zip(average.mean, state["average"]):
            mean.copy_(kept)

    def checkpoint():
        if team.rank > 0:
            return
        keep_if_broken(path, average, done["step"])
        save(path, {"vae": net.state_dict(), "optimizer": optimizer.state_dict(), "average": average.mean,
                    "average_count": average.count, "names": [n for n, _ in named], "done": done})  # fmt: skip

    if device.type == "cuda":
        vae.CHANNELS_LAST = torch.backends.cudnn.benchmark = True  # crops have few lengths, so the fastest kernels are searched for once for each
    if shutil.which("g++"):
        os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(work / "compiled"))
        torch._dynamo.config.suppress_errors = True
        vae.compile_loops()
    returned = near.Returned.read(model, latent, tokenizer(model), 10 if device_name == "cpu" else 200) if part == "decoder" else None
    batches = loader(Crops(latent, 4 if device_name == "cpu" else 48, 77 + done["step"], returned, team.rank), workers)
    torch.manual_seed(1_000_003 * team.rank + done["step"])
    loop = Loop(stop, team, device, params, optimizer, average, done, log, checkpoint, saving=180)

    def next_batch():
        if loop.warm == 1 and device.type == "cuda":  # the first step was spent compiling
            stop.begin = time.monotonic()
        return next_of(batches, stop)

    def gradients(batch):
        video, z, worth = _to(device, *batch)
        with autocast():
            if part == "decoder":
                out = net.decode(z + 0.03 * torch.randn_like(z)).float()
            else:
                out = net.encode(video).float()
        if part == "decoder":
            d = (out - video) * worth
            dx, dy = (d[..., 1:] - d[..., :-1]).abs().mean(), (d[..., 1:, :] - d[..., :-1, :]).abs().mean()
            loss, shown = d.abs().mean() + 0.25 * (dx + dy) + 20 * d.square().mean(), d.square().mean() / 4
        else:
            d = out - z
            loss, shown = d.square().mean() + 0.2 * d.abs().mean(), d.square().mean()
        optimizer.zero_grad()
        loss.backward()
        return {"error": shown.detach()}, len(z)

    loop.run(
        next_batch,
        gradients,
        lambda warm, share: min(1, warm / 60) * share / (1 + done["step"] / 3000) ** 0.7,
        cooling=0.7,
        told=lambda means: {**means, "psnr": -10 * torch.tensor(means["error"]).log10().item()},
    )
    checkpoint()
    log(note="stopped", **done)
