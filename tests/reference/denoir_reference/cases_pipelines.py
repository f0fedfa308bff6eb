# SPDX-License-Identifier: Apache-2.0
"""Cases of whole pipelines: requests, noise and images are given, final latents are expected."""

from dataclasses import replace

from . import lora, models
from .files import Fixtures, write_safetensors
from .pipeline_maker import Maker
from .values import uniform


def make_loras(m: Maker):
    """Three files with changes to the same model, each with another spelling of the names, and two requests that use them."""
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
