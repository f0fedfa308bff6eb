# SPDX-License-Identifier: Apache-2.0
"""Makes the case of a whole pipeline: pictures, the request and noise are given, final latents are expected."""

import io
from dataclasses import replace

import numpy as np
import torch
from PIL import Image

from . import clip, oracles, pipelines
from .files import Fixtures, write_json, write_safetensors
from .tea_cache import TeaCache
from .values import named_values, normal

PROMPT = "A red fox jumps over the lazy dog, slowly; the camera pans left."
NEGATIVE = "low quality, blurred, static, watermark"


def picture(width: int, height: int, seed: str) -> Image.Image:
    """A drawn scene: sky, sun, hills, a house with hard edges, a little noise."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    u, v = x / width, y / height
    shift = 0.2 * named_values(seed, 4)
    image = np.stack([90 + 110 * v, 140 + 60 * v, 230 - 70 * v], axis=-1)
    image[(u - 0.7 - shift[0]) ** 2 + (v - 0.25) ** 2 < 0.012] = (255, 240, 120)
    hills = 0.62 + 0.12 * np.sin(6 * (u + shift[1])) + 0.05 * np.sin(17 * u)
    image[v > hills] = (50, 120, 40)
    image[(abs(u - 0.3 - shift[2]) < 0.11) & (abs(v - 0.68) < 0.14)] = (170, 60, 50)
    image[(abs(u - 0.3 - shift[2]) < 0.03) & (abs(v - 0.74) < 0.08)] = (30, 20, 20)
    noise = named_values(seed + "/noise", height * width // 9 + 1)
    coarse = np.resize(noise, ((height + 2) // 3, (width + 2) // 3)).repeat(3, 0).repeat(3, 1)[:height, :width]
    return Image.fromarray(np.clip(np.round(image + 12 * coarse[..., None]), 0, 255).astype(np.uint8), "RGB")


def _png(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=9)
    return out.getvalue()


def psnr(got: torch.Tensor, want: torch.Tensor) -> float:
    got, want = got.double(), want.double()
    mse = float(((got - want) ** 2).mean())
    return 10 * np.log10(float(want.max() - want.min()) ** 2 / max(mse, 1e-30))


def request_of(model, **given) -> dict:
    """The request of a case: `given`, and for the other fields what most cases have."""
    return {
        "schema": 1,
        "model": f"../_models/{model.folder}",
        "prompt": PROMPT,
        "negative_prompt": NEGATIVE,
        "width": 80,
        "height": 48,
        "frames": 9,
        "steps": 5,
        "guidance": 5.0,
        "shift": 5.0,
        "seed": 7,
        "sampler": "unipc",
        "fps": 24 if "SkyReels" in model.folder else 16,
        "dtype": "f32",
        "device": "cpu",
    } | given


class Maker:
    def __init__(self, fixtures: Fixtures):
        self.f = fixtures
        self.images = {}
        for name, size in (("landscape", (150, 118)), ("second", (150, 118)), ("portrait", (77, 130))):
            image = self.images[name] = picture(*size, f"picture/{name}")
            path = fixtures.root / "_inputs" / f"{name}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(_png(image))
        self.before = [picture(90, 60, f"picture/before/{i}") for i in range(11)]
        folder = fixtures.root / "_inputs" / "before"
        folder.mkdir(exist_ok=True)
        for i, image in enumerate(self.before):
            (folder / f"frame_{i + 1}.png").write_bytes(_png(image))

    def case(
        self,
        name,
        model,
        note,
        *,
        image=None,
        last_image=None,
        forcing=None,
        family=None,
        cache=None,
        width=80,
        height=48,
        frames=9,
        **request,
    ):
        folder = self.f.root / name
        full = request_of(model, width=width, height=height, frames=frames, **request)
        for key, value in (("family", family), ("forcing", forcing), ("cache", cache)):
            if value is not None:
                full[key] = value
        for key, value in (("image", image), ("last_image", last_image)):
            if value:
                full[key] = f"../_inputs/{value}.png"
        windows = [(frames - 1) // 4 + 1]
        if "base" in (forcing or {}):
            windows = pipelines.window_frames(frames, forcing["base"], forcing["overlap"])
        noise = normal(name + "/noise", (model.config.out_channels, sum(windows), height // model.stride, width // model.stride))
        full["noise"] = {"file": "noise.safetensors"}
        TeaCache.made = TeaCache.skipped = 0
        want = self.run(model, full, noise, self.ours(model))
        if cache:
            agreement = f"{TeaCache.skipped} of {TeaCache.made} forwards are reused; diffusers' modules know nothing of it"
        elif (forcing or {}).get("causal_attention") and forcing["block"] == 1:
            agreement = "diffusers has no mask for blocks of one frame"
        else:
            agreement = f"diffusers' modules in the same loop: {self.agreement(model, full, noise, want):.0f} dB"
        write_json(folder / "request.json", full)
        write_json(folder / "case.json", {"request": "request.json", "psnr": 60, "note": f"{note} ({agreement})"})
        write_safetensors(folder / "noise.safetensors", {"noise": noise})
        write_safetensors(folder / "expect.safetensors", {"latent": want})
        self.f.cases.append(name)
        self.f.log(f"  {name}: {note} ({agreement}); latents {float(want.min()):.1f} to {float(want.max()):.1f}")

    @staticmethod
    def ours(model):
        return model.transformer().forward

    def agreement(self, model, request, noise, want) -> float:
        """With CLIP both sides are given a context of 512 rows, because diffusers' processors split it 512 rows from the end."""
        if model.config.clip_dim:
            model = replace(model, config=replace(model.config, text_len=512))
            want = self.run(model, request, noise, self.ours(model))
        config = replace(model.config, text_len=model.text_len)
        theirs = oracles.prepared(model.weights(), config)
        low = oracles.prepared(model.low_weights(), config) if model.boundary else None
        value = psnr(self.run(model, request, noise, theirs, low), want)
        if value < 100:
            raise SystemExit(f"{request['model']}: diffusers' modules in our loop are {value:.1f} dB away")
        return value

    def last_frames(self, forcing):
        """The overlap: the last frames of the video after which the clip continues."""
        end = forcing.get("video_frames") or len(self.before)
        return self.before[end - forcing.get("overlap", 17) : end]

    def run(self, model, request, noise, forward, low=None):
        if model.boundary and low is None:
            low = model.low_transformer().forward

        def picture_of(key):
            value = request.get(key)
            return self.images[value.rsplit("/", 1)[1].removesuffix(".png")] if value else None

        first, last = picture_of("image"), picture_of("last_image")
        width, height = request["width"], request["height"]
        if "forcing" in request:
            encoded = [
                None
                if i is None
                else model.vae().encode(pipelines.forcing_pixels(i, width, height)[:, None])[0].float()
                for i in (first, last)
            ]
            video = None
            if "video" in request["forcing"]:
                pixels = [pipelines.frame_pixels(i, width, height) for i in self.last_frames(request["forcing"])]
                video = torch.stack(pixels, 1)
                encoded[0] = model.vae().encode(video)[0].float()
            return pipelines.force_long(model, request, noise, forward, *encoded, video)[-1]
        if first is None:
            return pipelines.sample(model, request, noise, forward, low=low)
        if model.second_vae:
            see = pipelines.diffusers_pixels if request.get("preprocess") == "diffusers" else pipelines.ti2v_pixels
            clean = model.vae().encode(see(first, width, height)[:, None])[0].float()
            return pipelines.sample(model, request, noise, forward, clean=clean)
        family = request.get("family") or ("skyreels" if "SkyReels" in model.folder else "wan")
        if request.get("preprocess") == "diffusers":
            pixels, end = pipelines.diffusers_pixels(first, width, height), last and pipelines.diffusers_pixels(last, width, height)
            seen = [model.features(clip.preprocess_diffusers(i)) for i in (first, last) if i is not None and model.clip_width]
            features = torch.cat(seen) if seen else None
        elif family == "skyreels":
            pixels = seen = pipelines.skyreels_pixels(first, width, height)
            features, end = model.encode_clip(seen), None
        else:
            pixels = pipelines.wan_resized(first, width, height)
            features, end = model.encode_clip(pipelines.wan_pixels(first)) if model.clip_width else None, None
            if last is not None:
                end = pipelines.wan_resized(last, width, height)
                features = torch.cat([features, model.encode_clip(pipelines.wan_pixels(last))])
        condition = pipelines.image_condition(model, pixels, end, request["frames"])
        return pipelines.sample(model, request, noise, forward, None if features is None else features.float(), condition, low=low)
