# SPDX-License-Identifier: Apache-2.0
"""Whole pipelines: requests, noise and images in, final latents out."""

import io
from dataclasses import replace

import numpy as np
import torch
from PIL import Image

from . import clip, lora, models, oracles, pipelines
from .files import Fixtures, write_json, write_safetensors
from .tea_cache import TeaCache
from .values import named_values, normal, uniform

PROMPT = "A red fox jumps over the lazy dog, slowly; the camera pans left."
NEGATIVE = "low quality, blurred, static, watermark"


def picture(width: int, height: int, seed: str) -> Image.Image:
    """A drawn scene: sky, sun, hills, a hard-edged house, a little noise."""
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
    """The request of a case: `given`, which wins, and what is the same in most."""
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
        """With CLIP, diffusers' processors split the context 512 rows from the end: then both are asked for 512."""
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
        """Of the video that a clip goes on after: the overlap."""
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


def make_loras(m: Maker):
    """Three files of changes to the same model, each in a spelling of its own; two requests."""
    weights, inputs = models.T2V.weights(), m.f.root / "_inputs"
    style, steps = lora.changes(weights, "lora/style"), lora.changes(weights, "lora/steps", every=3)
    more = {
        name: uniform(f"lora/more/{name}", weights[name].shape, 0.3)
        for name in ("blocks.0.norm3.weight", "blocks.1.ffn.0.bias", "head.head.weight", "head.head.bias")
    }
    write_safetensors(inputs / "style-kohya.safetensors", lora.kohya(style, alpha=2.0))
    write_safetensors(inputs / "style-comfy.safetensors", lora.comfy(style, more))
    write_safetensors(inputs / "steps-peft.safetensors", lora.peft(steps))

    def changed(*parts):
        model = replace(models.T2V, _made={"weights": lora.merged(weights, list(parts))})
        return model

    def named(*files):
        return [{"file": f"../_inputs/{file}.safetensors", "strength": strength} for file, strength in files]

    m.case(
        "pipe-wan-t2v-lora",
        changed((style, 0.8 * 2.0 / lora.RANK, {}, 0), (steps, 0.5, {}, 0)),
        "two LoRAs, flat names with alpha and peft's with diffusers' names; expected with merged weights",
        loras=named(("style-kohya", 0.8), ("steps-peft", 0.5)),
    )
    m.case(
        "pipe-wan-t2v-lora-negative",
        changed((style, -0.6, more, -0.6)),
        "a LoRA the other way, with whole differences of a norm, a bias and the head",
        loras=named(("style-comfy", -0.6)),
        width=48,
        height=64,
    )


def make_cached(m: Maker):
    m.case(
        "pipe-wan-t2v-cache-until",
        models.T2V,
        "TeaCache where guidance ends: what the second forward would be is counted on",
        cache={"threshold": 1.5, "coefficients": [1.0, 0.0]},
        steps=9,
        guidance_until=500,
        width=64,
    )
    m.case(
        "pipe-wan-t2v-cache",
        models.T2V,
        "TeaCache as upstream counts: two forwards for each step, the first and the last step computed",
        cache={"threshold": 1.5, "coefficients": [1.0, 0.0]},
        steps=9,
        width=64,
    )
    m.case(
        "pipe-wan-t2v-cache-alone",
        models.T2V,
        "TeaCache with guidance 1, which needs one forward of two, and own coefficients",
        cache={"threshold": 3.0, "coefficients": [1.5, 0.01]},
        steps=8,
        guidance=1.0,
        width=64,
    )
    m.case(
        "pipe-skyreels-t2v-cache",
        models.T2V,
        "TeaCache as SkyReels counts, of an odd number of steps: half-way it begins anew, and the streams change places",
        family="skyreels",
        cache={"threshold": 2.0, "coefficients": [0.5, 0.5, 0.0]},
        steps=11,
        width=64,
    )
    m.case(
        "pipe-wan-i2v-cache",
        models.I2V,
        "TeaCache with the coefficients of I2V 480P, which fall where features move as far as this model's",
        image="landscape",
        family="wan",
        cache={"threshold": 0.2},
        steps=5,
        width=64,
    )
    m.case(
        "pipe-df-cache",
        models.DF,
        "TeaCache on the projected features of asynchronous frames",
        forcing={"ar_step": 2, "block": 1},
        cache={"threshold": 1.0, "ret_steps": True, "coefficients": [1.0, 0.0]},
        frames=13,
        steps=9,
        shift=8.0,
        guidance=6.0,
        width=48,
    )
    m.case(
        "pipe-df-cache-long",
        models.DF,
        "TeaCache in several windows without guidance: even and odd steps follow each other",
        forcing={"ar_step": 0, "block": 1, "base": 13, "overlap": 5},
        cache={"threshold": 1.5, "coefficients": [1.0, 0.0]},
        frames=25,
        steps=8,
        guidance=1.0,
        width=48,
        height=48,
    )
    m.case(
        "pipe-ti2v-image-cache",
        models.TI2V,
        "TeaCache of Wan 2.2 TI2V, whose first frame stays at time 0",
        image="landscape",
        cache={"threshold": 1.5, "coefficients": [1.0, 0.0]},
        width=96,
        height=64,
        steps=8,
        fps=24,
    )


def make_text(m: Maker):
    m.case("pipe-wan-t2v-unipc", models.T2V, "Wan text to video, original layout")
    m.case(
        "pipe-wan-t2v-dpmpp",
        models.T2V_DIFFUSERS,
        "Wan text to video, diffusers layout, DPM++ on list B",
        sampler="dpmpp",
        steps=6,
        shift=3.0,
        width=48,
        height=64,
    )
    m.case(
        "pipe-wan-t2v-euler",
        models.T2V,
        "Euler on list A, guidance 1: one pass",
        sampler="euler",
        guidance=1.0,
        frames=13,
        steps=4,
    )
    m.case(
        "pipe-wan-t2v-one-frame",
        models.T2V,
        "one frame, an empty negative prompt's place taken by another text",
        frames=1,
        steps=3,
        width=96,
        height=80,
        negative_prompt="ugly",
        prompt="  Two &amp; “three” cats…  ",
    )
    m.case(
        "pipe-skyreels-t2v",
        models.T2V,
        "SkyReels text to video: the same network by the request's family",
        family="skyreels",
        shift=8.0,
        guidance=6.0,
    )


def make_image(m: Maker):
    m.case(
        "pipe-wan-i2v",
        models.I2V,
        "Wan image to video: bicubic on floats, CLIP of the original size",
        family="wan",
        image="landscape",
        shift=3.0,
    )
    m.case(
        "pipe-skyreels-i2v",
        models.I2V,
        "SkyReels image to video: crop, Lanczos, CLIP of the resized image",
        image="landscape",
        shift=3.0,
    )
    m.case(
        "pipe-skyreels-i2v-portrait",
        models.I2V,
        "a portrait image",
        image="portrait",
        width=48,
        height=80,
        frames=13,
        steps=3,
    )
    m.case(
        "pipe-wan-flf2v", models.FLF2V, "Wan first and last frame", image="landscape", last_image="second", shift=16.0
    )
    m.case(
        "pipe-wan-i2v-diffusers",
        models.I2V,
        "Wan image to video as diffusers looks at the image: Lanczos, CLIP's shortest edge and centre",
        family="wan",
        image="portrait",
        preprocess="diffusers",
        shift=3.0,
        steps=3,
    )
    m.case(
        "pipe-wan-flf2v-diffusers",
        models.FLF2V,
        "the same with a last frame of another shape",
        image="portrait",
        last_image="landscape",
        preprocess="diffusers",
        shift=16.0,
        steps=3,
    )


def make_forcing(m: Maker):
    m.case(
        "pipe-df-until",
        models.DF,
        "asynchronous, guidance ends in each latent frame of its own",
        forcing={"ar_step": 2, "block": 1},
        frames=13,
        steps=5,
        guidance=6.0,
        guidance_until=700,
        width=48,
    )
    m.case(
        "pipe-df-sync",
        models.DF,
        "diffusion forcing, all frames in step",
        forcing={"ar_step": 0, "block": 1},
        frames=13,
        shift=8.0,
        guidance=6.0,
    )
    m.case(
        "pipe-df-async",
        models.DF,
        "asynchronous, two steps between frames",
        forcing={"ar_step": 2, "block": 1},
        frames=13,
        steps=4,
        shift=8.0,
        guidance=6.0,
    )
    m.case(
        "pipe-df-causal",
        models.DF,
        "asynchronous and block-causal, blocks of two latent frames",
        forcing={"ar_step": 2, "block": 2, "causal_attention": True},
        frames=13,
        steps=4,
        shift=8.0,
        guidance=6.0,
    )
    m.case(
        "pipe-df-causal-1",
        models.DF,
        "block-causal, blocks of one",
        frames=9,
        steps=3,
        fps=16,
        forcing={"ar_step": 3, "block": 1, "causal_attention": True},
    )
    m.case(
        "pipe-df-image",
        models.DF,
        "a clean first frame",
        image="landscape",
        forcing={"ar_step": 0, "block": 1},
        frames=13,
        shift=5.0,
    )
    m.case(
        "pipe-df-image-async",
        models.DF,
        "a clean first frame, asynchronous",
        image="portrait",
        width=48,
        height=80,
        forcing={"ar_step": 1, "block": 1},
        frames=13,
        steps=3,
    )
    m.case(
        "pipe-df-end",
        models.DF,
        "first frame and end image",
        image="landscape",
        last_image="second",
        forcing={"ar_step": 0, "block": 1},
        frames=9,
        shift=8.0,
    )
    m.case(
        "pipe-df-end-async",
        models.DF,
        "first frame and end image, asynchronous",
        image="second",
        last_image="landscape",
        forcing={"ar_step": 2, "block": 1},
        frames=13,
        steps=3,
    )


def make_continued(m: Maker):
    m.case(
        "pipe-df-video",
        models.DF,
        "going on after a folder of frames, in natural order",
        forcing={"ar_step": 0, "block": 1, "video": "../_inputs/before", "overlap": 9},
        frames=17,
        steps=4,
        shift=8.0,
    )
    m.case(
        "pipe-df-video-async",
        models.DF,
        "going on in the middle of a video, asynchronous and block-causal, with an end image",
        last_image="second",
        forcing={"ar_step": 2, "block": 1, "causal_attention": True, "video": "../_inputs/before", "video_frames": 7, "overlap": 5},
        width=48,
        height=64,
        frames=13,
        steps=3,
    )
    m.case(
        "pipe-df-long",
        models.DF,
        "three windows, each but the first after the last frames of the one before; an end image follows the last",
        image="landscape",
        last_image="second",
        forcing={"ar_step": 0, "block": 1, "base": 17, "overlap": 5},
        frames=33,
        steps=3,
        width=64,
        height=48,
    )
    m.case(
        "pipe-df-long-video",
        models.DF,
        "after a video, asynchronous, in blocks of two latent frames, the last window shorter",
        forcing={"ar_step": 1, "block": 2, "video": "../_inputs/before", "overlap": 5, "base": 13},
        frames=29,
        steps=3,
        width=48,
        height=64,
    )
    m.case(
        "pipe-df-long-overlap",
        models.DF,
        "each window makes fewer pictures than the next is given",
        forcing={"ar_step": 0, "block": 1, "base": 13, "overlap": 9},
        frames=25,
        steps=3,
        width=48,
        height=48,
    )
    m.case(
        "pipe-df-long-video-overlap",
        models.DF,
        "after a video, of which the second window is given five frames, too, the third one",
        forcing={"ar_step": 0, "block": 1, "video": "../_inputs/before", "overlap": 9, "base": 13},
        frames=21,
        steps=3,
        width=48,
        height=48,
    )


def make_ti2v(m: Maker):
    m.case(
        "pipe-ti2v-text",
        models.TI2V_DIFFUSERS,
        "Wan 2.2 TI2V from text alone, diffusers layout",
        width=96,
        height=64,
        fps=24,
    )
    m.case(
        "pipe-ti2v-image",
        models.TI2V,
        "Wan 2.2 TI2V from a clean first frame: Lanczos, crop, its tokens at time 0",
        image="landscape",
        width=96,
        height=64,
        frames=13,
        fps=24,
    )
    m.case(
        "pipe-ti2v-image-dpmpp",
        models.TI2V_DIFFUSERS,
        "the same through DPM++ on list B, a portrait stretched as diffusers does it",
        image="portrait",
        preprocess="diffusers",
        sampler="dpmpp",
        width=64,
        height=96,
        frames=9,
        steps=4,
        fps=24,
    )


def make_experts(m: Maker):
    m.case(
        "pipe-a14b-t2v",
        models.A14B_T2V,
        "Wan 2.2's two experts: one solver through both, each with its guidance",
        guidance=4.0,
        guidance_low=3.0,
        shift=12.0,
        steps=6,
    )
    m.case(
        "pipe-a14b-i2v",
        models.A14B_I2V,
        "Wan 2.2 image to video, diffusers layout: image channels without CLIP, low noise without guidance",
        image="portrait",
        width=48,
        height=80,
        guidance=3.5,
        guidance_low=1.0,
        steps=5,
    )
    m.case(
        "pipe-a14b-t2v-until",
        models.A14B_T2V,
        "guidance ends within the low-noise expert's steps",
        guidance=4.0,
        guidance_low=3.0,
        guidance_until=600,
        shift=5.0,
        steps=6,
        width=48,
    )
    m.case(
        "pipe-a14b-t2v-dpmpp",
        models.A14B_T2V,
        "two of three steps are the low-noise expert's; DPM++, one guidance for both",
        sampler="dpmpp",
        frames=5,
        steps=3,
        shift=1.0,
        width=48,
        height=64,
    )


def make(fixtures: Fixtures):
    m = Maker(fixtures)
    for family in (make_loras, make_cached, make_text, make_image, make_forcing, make_continued, make_ti2v, make_experts):
        family(m)
