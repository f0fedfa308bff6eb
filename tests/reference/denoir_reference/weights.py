# SPDX-License-Identifier: Apache-2.0
"""Random weights for every network, and the configuration files beside them."""

import torch

from . import clip, transformer, umt5, vae, vae22
from .values import uniform


def _fan_in(shape) -> float:
    return float(torch.tensor(shape[1:]).prod())


def transformer_weights(c: transformer.Config, seed: str, dtype=torch.float32) -> dict:
    """Weights that keep activations near one and every branch visible in the output."""
    out = {}
    for name, shape in transformer.shapes(c).items():
        key = f"{seed}/{name}"
        if "norm" in name and name.endswith("weight") or name in ("img_emb.proj.0.weight", "img_emb.proj.4.weight"):
            value = 1 + uniform(key, shape, 0.3)
        elif name.endswith("modulation"):
            value = uniform(key, shape, 0.6)
        elif name.endswith("bias"):
            value = uniform(key, shape, 0.2)
        elif name in ("fps_embedding.weight", "img_emb.emb_pos"):
            value = uniform(key, shape, 1.0)
        else:
            value = uniform(key, shape, 1.5 * (3 / _fan_in(shape)) ** 0.5)
        out[name] = value.to(dtype)
    return out


def vae_weights(base: int, z: int, seed: str, dtype=torch.float32) -> dict:
    return _vae_fill(vae.shapes(base, z), seed, dtype)


def vae22_weights(base: int, decoder_base: int, z: int, seed: str, dtype=torch.float32) -> dict:
    return _vae_fill(vae22.shapes(base, decoder_base, z), seed, dtype)


def _vae_fill(shapes: dict, seed: str, dtype) -> dict:
    out = {}
    for name, shape in shapes.items():
        key = f"{seed}/{name}"
        if name.endswith("gamma"):
            value = 1 + uniform(key, shape, 0.2)
        elif name.endswith("bias"):
            # The norms divide by the length of two channels, which is kept away from zero, as float32 is no reference there.
            before_norm = name.endswith(("resample.1.bias", "coder.conv1.bias", "residual.2.bias"))
            value = (1.0 if before_norm else 0.0) + uniform(key, shape, 0.3)
        else:
            branch = 0.4 if name.endswith("residual.6.weight") else 1.0
            value = uniform(key, shape, branch * (3 / _fan_in(shape)) ** 0.5)
        out[name] = value.to(dtype)
    return out


def umt5_weights(seed: str, *sizes, dtype=torch.bfloat16) -> dict:
    out = {}
    for name, shape in umt5.shapes(*sizes).items():
        key = f"{seed}/{name}"
        if "norm" in name:
            value = 1 + uniform(key, shape, 0.3)
        elif "embedding" in name:
            value = uniform(key, shape, 1.5)
        else:
            value = uniform(key, shape, (3 / shape[1]) ** 0.5)
        out[name] = value.to(dtype)
    return out


def clip_weights(seed: str, *sizes, dtype=torch.bfloat16, **more) -> dict:
    out = {}
    for name, shape in clip.shapes(*sizes, **more).items():
        key = f"{seed}/{name}"
        if "norm" in name and name.endswith("weight"):
            value = 1 + uniform(key, shape, 0.3)
        elif name.endswith("bias"):
            value = uniform(key, shape, 0.2)
        elif name.endswith(("cls_embedding", "pos_embedding")):
            value = uniform(key, shape, 1.0)
        else:
            value = uniform(key, shape, 1.3 * (3 / _fan_in(shape)) ** 0.5)
        out[name] = value.to(dtype)
    return out


def textual_half(seed: str) -> dict:
    """What a real CLIP .pth holds besides the vision tower, and what readers have to skip."""
    return {
        "log_scale": torch.tensor(2.6593),
        "textual.token_embedding.weight": uniform(seed + "/text", (20, 8)),
        "textual.type_embedding.weight": uniform(seed + "/type", (1, 8)),
        "textual.blocks.0.attn.q.weight": uniform(seed + "/q", (8, 8)),
    }


def transformer_config(c: transformer.Config, model_type: str) -> dict:
    value = {
        "_class_name": "WanModel",
        "_diffusers_version": "0.30.0",
        "dim": c.dim,
        "eps": 1e-06,
        "ffn_dim": c.ffn,
        "freq_dim": c.freq_dim,
        "in_dim": c.in_channels,
        "model_type": model_type,
        "num_heads": c.heads,
        "num_layers": c.layers,
        "out_dim": c.out_channels,
        "text_len": c.text_len,
    }
    if c.fps:
        value["inject_sample_info"] = True
    return value


def transformer_diffusers_config(c: transformer.Config, forcing: bool = False) -> dict:
    value = {
        "_class_name": "SkyReelsV2Transformer3DModel" if forcing else "WanTransformer3DModel",
        "_diffusers_version": "0.35.2",
        "patch_size": [1, 2, 2],
        "num_attention_heads": c.heads,
        "attention_head_dim": c.dim // c.heads,
        "in_channels": c.in_channels,
        "out_channels": c.out_channels,
        "text_dim": c.text_dim,
        "freq_dim": c.freq_dim,
        "ffn_dim": c.ffn,
        "num_layers": c.layers,
        "cross_attn_norm": True,
        "qk_norm": "rms_norm_across_heads",
        "eps": 1e-06,
        "image_dim": c.clip_dim or None,
        "added_kv_proj_dim": c.dim if c.clip_dim else None,
        "rope_max_seq_len": 1024,
        "pos_embed_seq_len": c.clip_positions or None,
    }
    if forcing:
        value |= {"inject_sample_info": c.fps, "num_frame_per_block": 1}
    return value


def vae_config(base: int, z: int, mean, std) -> dict:
    return {
        "_class_name": "AutoencoderKLWan",
        "_diffusers_version": "0.35.2",
        "attn_scales": [],
        "base_dim": base,
        "dim_mult": [1, 2, 4, 4],
        "dropout": 0.0,
        "latents_mean": list(mean),
        "latents_std": list(std),
        "num_res_blocks": 2,
        "temperal_downsample": [False, True, True],
        "z_dim": z,
    }


def vae22_config(base: int, decoder_base: int, z: int, mean, std) -> dict:
    return vae_config(base, z, mean, std) | {
        "decoder_base_dim": decoder_base,
        "in_channels": 12,
        "is_residual": True,
        "out_channels": 12,
        "patch_size": 2,
        "scale_factor_spatial": 16,
        "scale_factor_temporal": 4,
    }


def umt5_config(vocabulary, width, attention, ffn, heads, layers) -> dict:
    return {
        "architectures": ["UMT5EncoderModel"],
        "d_ff": ffn,
        "d_kv": attention // heads,
        "d_model": width,
        "feed_forward_proj": "gated-gelu",
        "layer_norm_epsilon": 1e-06,
        "model_type": "umt5",
        "num_heads": heads,
        "num_layers": layers,
        "relative_attention_max_distance": 128,
        "relative_attention_num_buckets": 32,
        "vocab_size": vocabulary,
    }


def clip_config(width, mlp, layers, heads, image=224) -> dict:
    return {
        "architectures": ["CLIPVisionModel"],
        "hidden_act": "gelu",
        "hidden_size": width,
        "image_size": image,
        "intermediate_size": mlp,
        "layer_norm_eps": 1e-05,
        "model_type": "clip_vision_model",
        "num_attention_heads": heads,
        "num_hidden_layers": layers,
        "patch_size": 14,
    }
