# SPDX-License-Identifier: Apache-2.0
"""Batches that worker processes make during the training: latents of drawn clips with their captions. No clip is drawn twice."""

import queue
import threading
import time
from dataclasses import dataclass

import numpy as np
import torch

import captions
import labels
import text
import world
from latent import Latent


LATER = 0.35  # share of the clips that begin later in their scene, behind a clean beginning


@dataclass(frozen=True)
class Kind:
    """One shape of training sample."""

    name: str
    width: int
    height: int
    frames: int
    batch: int
    weight: float  # share of the batches
    later: float = LATER  # share of its clips that continue, if they have 33 frames


HARDER = 0.50  # share of the clips that show one object with one of the motions that are learned last
LOOSE = 0.08  # share of pictures and clips under a caption that names no object
RETURNED = 0.6  # share of the decoder's batches with latents that the transformer made


def hard(rng, scene: world.Scene) -> bool:
    """Whether to take the scene for one that is hard to learn: mostly spins, of stars all; and what drifts sideways, circles, bounces, grows or shrinks."""
    o = scene.objects[0]
    if len(scene.objects) > 1:
        return False
    if o.direction in ("left", "right"):
        return True
    often = {"orbit": 0.35, "bounce": 0.35, "spin": 0.8, "shrink": 0.3, "grow": 0.4}.get(o.motion, 0.0)
    return rng.random() < often * (1.4 if o.size == "small" else 1.0) or (o.motion, o.shape) == ("spin", "star")


def _later(rng) -> tuple[float, int]:
    """Where in its scene a continued clip begins (seconds), and how many of its latent frames are known. Mostly it continues a clip of 33
    frames from its last 17. How something moves can only be seen in more than one frame."""
    first = 16 if rng.random() < 0.6 else 4 * rng.integers(2, 9)
    return first / world.FPS, 5 if rng.random() < 0.6 else int(rng.integers(2, 9))


def clip(rng, latent: Latent, kind: Kind):
    """Draws a sample -> latent [16,T,h,w], caption, whether the last latent frame is an end image (which follows the clip and is
    encoded as a first frame), how many latent frames at the beginning are known (0: as the noise has it), text.answers, labels.labels."""
    loose, harder = rng.random() < LOOSE, kind.frames > 1 and rng.random() < HARDER
    scene = world.loose(rng) if loose else world.sample(rng)
    while harder and not loose and not hard(rng, scene):
        scene = world.sample(rng)
    caption = "" if rng.random() < 0.1 else captions.free(rng) if loose else captions.caption(rng, scene)
    start, known = _later(rng) if kind.frames == 33 and rng.random() < kind.later else (0.0, 0)
    video = world.render(scene, kind.frames, kind.height, kind.width, start)
    z = latent.encode(video)
    ends = kind.frames > 1 and rng.random() < 0.1
    if ends:
        z[:, -1:] = latent.encode(video[kind.frames - 4 : kind.frames - 3])
    return z, caption, ends, known, text.answers(scene, caption), *labels.labels(scene, kind.frames, kind.height, kind.width, ends, start)


class Batches(torch.utils.data.IterableDataset):
    """Endless batches (kind, latents [B,16,T,h,w], tokens, lengths, ends [B], known [B], answers [B,18], classes [B,T,S,2], targets [B,T,S,9]). Workers
    choose kinds by weight, each from its own seed. The processes of a team choose the same kinds, so that none waits for another."""

    def __init__(self, latent: Latent, tokenizer, text_len: int, kinds: list[Kind], seed: int, rank: int = 0):
        self.latent, self.tokenizer, self.text_len, self.kinds, self.seed, self.rank = latent, tokenizer, text_len, kinds, seed, rank

    def __iter__(self):
        torch.set_num_threads(1)
        info = torch.utils.data.get_worker_info()
        order = np.random.default_rng([self.seed, info.id if info else 0])
        rng = np.random.default_rng([self.seed, info.id if info else 0, 1 + self.rank])
        weights = np.array([k.weight for k in self.kinds])
        while True:
            kind = self.kinds[order.choice(len(self.kinds), p=weights / weights.sum())]
            z, texts, ends, known, answers, classes, targets = zip(*(clip(rng, self.latent, kind) for _ in range(kind.batch)))
            tokens, lengths = self.tokenizer(list(texts), self.text_len)
            shown = (torch.from_numpy(np.stack(a)) for a in (classes, targets))
            yield kind.name, torch.from_numpy(np.stack(z)), tokens, lengths, torch.tensor(ends), torch.tensor(known), torch.tensor(answers), *shown


def loader(dataset, workers: int):
    """With `workers` 0, batches are drawn in this process."""
    extra = dict(prefetch_factor=2, persistent_workers=True, multiprocessing_context="fork") if workers else {}
    return iter(torch.utils.data.DataLoader(dataset, batch_size=None, num_workers=workers, **extra))


class Pool:
    """Samples kept on the accelerator, which trains faster than processors draw. Workers fill the pool while batches are taken from it, so
    every sample is seen a few times, each time at other noise levels. New samples replace the oldest. Raises what drawing raised."""

    def __init__(self, latent: Latent, tokenizer, text_len: int, kinds: list[Kind], seed: int, workers: int, device, capacity: int, told):
        """`capacity`: bytes of latents for each kind; the rest of a sample comes on top. `told`: whether to stop waiting for a batch."""
        self.kinds, self.device, self.text_len, self.capacity = {k.name: k for k in kinds}, device, text_len, capacity
        self.weights, self.told = torch.tensor([k.weight for k in kinds]), told
        self.stores: dict = {}
        self.queue: queue.Queue = queue.Queue(16)
        self.stopped, self.failure = False, None
        source = loader(Batches(latent, tokenizer, text_len, kinds, seed), workers)
        threading.Thread(target=self._fetch, args=(source,), daemon=True).start()

    def _fetch(self, source):
        """Runs on a thread of its own, which uses the device only for pinned memory, as the caller may be recording a CUDA graph (torch.compile
        records what one thread does)."""
        try:
            for batch in source:
                self._put(self._ready(*batch))
                if self.stopped:
                    return
        except Exception as error:  # raised later to the caller, who waits for batches
            self._put(error)

    def _ready(self, name, z, tokens, *rest):
        """A sample in the form that is stored, in memory from which the device can copy while the caller goes on."""
        *rest, targets = rest
        tokens = torch.nn.functional.pad(tokens, (0, self.text_len - tokens.shape[1]))
        columns = z.to(torch.bfloat16), tokens, *rest, targets.to(torch.bfloat16)
        return name, *(c.pin_memory() if torch.device(self.device).type == "cuda" else c for c in columns)

    def _put(self, item):
        while not self.stopped:
            try:
                return self.queue.put(item, timeout=1)
            except queue.Full:
                pass

    def _drain(self):
        while not self.queue.empty():
            item = self.queue.get()
            if isinstance(item, Exception):
                self.failure = item
            else:
                self._add(*item)
        if self.failure is not None:  # every time, as no more batches will come
            raise self.failure

    def _add(self, name, *columns):
        if name not in self.stores:
            rows = max(4 * len(columns[0]), self.capacity // (columns[0][0].numel() * 2) // len(columns[0]) * len(columns[0]))
            self.stores[name] = [0, 0, [torch.empty(rows, *c.shape[1:], dtype=c.dtype, device=self.device) for c in columns]]
        store = self.stores[name]
        at, count = store[0], len(columns[0])
        for kept, new in zip(store[2], columns):
            kept[at : at + count].copy_(new, non_blocking=True)
        store[0], store[1] = (at + count) % len(store[2][0]), max(store[1], at + count)

    def __iter__(self):
        return self

    def __next__(self):
        if (batch := self.take()) is None:
            raise StopIteration
        return batch

    def take(self, wanted: str = ""):
        """A batch of the wanted kind, or of one chosen by weight; None if told to stop waiting."""
        while not self.told():
            self._drain()
            name = wanted or list(self.kinds)[torch.multinomial(self.weights, 1).item()]
            batch = self.kinds[name].batch
            if name in self.stores and self.stores[name][1] >= 2 * batch:
                _, filled, columns = self.stores[name]
                pick = torch.randint(filled, (batch,), device=self.device)
                z, *rest = (c[pick] for c in columns)
                return name, z.float(), *rest
            time.sleep(0.02)
        return None

    def stop(self):
        self.stopped = True


def _fast(rng, o: world.Object) -> bool:
    return o.direction in ("left", "right") and rng.random() < 0.5 or o.motion in ("orbit", "bounce")


class Crops(torch.utils.data.IterableDataset):
    """Endless batches for the VAE: crops [B,3,F,64,96] in -1...1, their latents [B,16,T,8,12] and the weight of each pixel [B,1,F,64,96].
    F goes up to the 33 of a whole clip: a decoder that saw at most 9 frames, beginning with the zeros before a clip, lost 8 dB from the
    eleventh frame on. Fast objects come often, as four frames in one linear latent blur their edges most. `batch`: number of crops if
    they have 9 frames; with another F the number of frames stays about the same. `returned` (near.Returned): if given, most batches have
    latents that the transformer made. The processes of a team draw the same lengths."""

    def __init__(self, latent: Latent, batch: int, seed: int, returned=None, rank: int = 0, height: int = 64, width: int = 96):
        self.latent, self.batch, self.seed, self.returned, self.rank, self.height, self.width = latent, batch, seed, returned, rank, height, width

    def __iter__(self):
        torch.set_num_threads(1)
        info = torch.utils.data.get_worker_info()
        order = np.random.default_rng([self.seed, info.id if info else 0])
        rng = np.random.default_rng([self.seed, info.id if info else 0, 1 + self.rank])
        while True:
            frames = (1, 5, 9, 17, 33)[order.choice(5, p=(0.1, 0.1, 0.2, 0.3, 0.3))]
            back = order.random() < RETURNED and self.returned is not None
            crops = [(self._returned if back else self._drawn)(rng, frames) for _ in range(min(3 * self.batch, max(1, 9 * self.batch // frames)))]
            video, z, worth = (torch.from_numpy(np.stack(part)) for part in zip(*crops))
            yield video.permute(0, 4, 1, 2, 3) * 2 - 1, z, worth[:, None]

    def _drawn(self, rng, frames: int):
        scene, fast = world.sample(rng), rng.random() < 0.5
        while fast and not _fast(rng, scene.objects[0]):
            scene = world.sample(rng)
        start = (2 - frames / world.FPS) * rng.random() * (rng.random() < 0.7) if frames < 33 else 0.0
        top, left = self._corner(rng, scene, start + frames / 2 / world.FPS)
        video = world.render(scene, frames, start=start)[:, top : top + self.height, left : left + self.width]
        return video, self.latent.encode(video), np.ones(video.shape[:3], np.float32)

    def _returned(self, rng, frames: int):
        scene, z = self.returned.draw(rng)
        top, left = (round(at / 8) * 8 for at in self._corner(rng, scene, frames / 2 / world.FPS))
        seen = np.s_[:, top : top + self.height, left : left + self.width]
        z = z[:, : (frames + 3) // 4, top // 8 : (top + self.height) // 8, left // 8 : (left + self.width) // 8]
        return world.render(scene, frames)[seen], z, self.returned.worth(scene, frames)[seen]

    def _corner(self, rng, scene: world.Scene, time: float) -> tuple[int, int]:
        """Top and left edge of a crop, mostly around an object."""
        o = scene.objects[rng.integers(len(scene.objects))]
        x, y, _, _ = world.path(o, [time], 144, 256)
        if rng.random() < 0.75:
            top, left = y[0] - self.height / 2 + rng.normal() * 14, x[0] - self.width / 2 + rng.normal() * 20
        else:
            top, left = rng.random() * (144 - self.height), rng.random() * (256 - self.width)
        return int(np.clip(top, 0, 144 - self.height)), int(np.clip(left, 0, 256 - self.width))
