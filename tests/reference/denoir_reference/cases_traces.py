# SPDX-License-Identifier: Apache-2.0
"""Traces of diffusers' and transformers' networks, for `denoir-cli trace` and `compare-traces`: every layer by name."""

import sys
from pathlib import Path

import torch

from . import clip, models, oracles, pipelines, text
from .pipeline_maker import picture, request_of
from .files import Fixtures, write_json, write_safetensors
from .values import normal
from .vae import MEAN, STD

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from trace_hooks import Trace  # noqa: E402  (the script that users take stands beside this package)


class Maker:
    def __init__(self, fixtures: Fixtures):
        self.f = fixtures

    def case(self, name: str, model, note: str, run, layers="", **request) -> None:
        """`run(trace, model, request, noise)` runs the networks while the trace records them."""
        folder = self.f.root / name
        usual = {"width": 32, "height": 32, "frames": 5, "steps": 2, "noise": {"file": "noise.safetensors"}}
        full = request_of(model, **(usual | request))
        latent = (16, (full["frames"] - 1) // 4 + 1, full["height"] // 8, full["width"] // 8)
        noise = normal(name + "/noise", latent)
        write_json(folder / "request.json", full)
        write_json(folder / "trace.json", {"layers": layers, "max_error": 1e-4, "note": note})
        write_safetensors(folder / "noise.safetensors", {"noise": noise})
        # The file would name the version of PyTorch, and nothing else in it would change with a new one.
        with Trace(folder / "theirs.safetensors", layers, metadata={"source": "pytorch"}) as trace, torch.no_grad():
            run(trace, model, full, noise)
        self.f.cases.append(name)
        self.f.log(f"  {name}: {note}, {len(trace.table)} tensors")


def _text(trace, model, request) -> None:
    encoder = oracles.umt5_model(models.text_weights())
    trace.watch(encoder, "text_encoder")
    for prompt in (request["prompt"], request["negative_prompt"]):
        ids = text.ids(models.tokenizer(), text.clean(prompt), model.text_len)
        oracles.umt5(models.text_weights(), torch.tensor(ids), encoder)


def _denoise(trace, model, request, noise, loop=pipelines.sample):
    """The reference's loop with diffusers' transformer -> latent"""
    forward = oracles.prepared(model.weights(), model.config)
    trace.watch(forward.model_for("forcing" in request or model.config.fps, 0), "transformer")
    return loop(model, request, noise, forward)


def _text_to_video(trace, model, request, noise) -> None:
    _text(trace, model, request)
    _denoise(trace, model, request, noise)


def _forcing(trace, model, request, noise) -> None:
    _denoise(trace, model, request, noise, pipelines.force)


def _decoded(trace, model, request, noise) -> None:
    latent = pipelines.sample(model, request, noise, oracles.prepared(model.weights(), model.config))
    vae = oracles.vae(models.vae_weights(), 2, 16, MEAN, STD)
    trace.watch(vae, "vae")
    oracles.vae_decode(vae, latent, MEAN, STD)


def _image(trace, model, request, noise) -> None:
    pixels = pipelines.skyreels_pixels(picture(150, 118, "picture/landscape"), request["width"], request["height"])
    seen = clip.preprocess(pixels.double()).float()
    tower = oracles.clip_model(model.clip_weights(), model.clip_heads, seen.shape[-1])
    trace.watch(tower, "image_encoder")
    oracles.clip(model.clip_weights(), model.clip_heads, seen, tower)
    vae = oracles.vae(models.vae_weights(), 2, 16, MEAN, STD)
    trace.watch(vae, "vae")
    video = torch.zeros(3, request["frames"], *pixels.shape[1:])
    video[:, 0] = pixels
    oracles.vae_encode_mean(vae, video)


def make(fixtures: Fixtures):
    m = Maker(fixtures)
    m.case("trace-t2v", models.T2V, "text encoder and transformer, both branches", _text_to_video)
    m.case(
        "trace-df",
        models.DF,
        "SkyReels' transformer with times for each frame and the frame rate",
        _forcing,
        "e0,fps_*,time_*,blocks.0.norm*,blocks.0.self_attn*,blocks.1,head*,velocity",
        forcing={"ar_step": 1},
        height=16,
    )
    m.case("trace-latent", models.T2V, "decoder of the VAE", _decoded, "vae_decoder/*", width=16, height=16)
    m.case(
        "trace-image",
        models.I2V,
        "image encoder and encoder of the VAE",
        _image,
        "visual.patch_embedding,visual.pre_norm*,visual.transformer.0.*,visual.transformer.0,encoder.*,conv1",
        image="../_inputs/landscape.png",
        width=16,
        height=16,
        steps=1,
    )
