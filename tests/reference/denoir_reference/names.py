# SPDX-License-Identifier: Apache-2.0
"""Translates original tensor names to the other layouts (spec dit.md 4.1, vae21.md 3.4, umt5.md 2, clip.md 3)."""

import re

import torch


def _replace(name: str, rules) -> str:
    for pattern, text in rules:
        new, count = re.subn(pattern, text, name)
        if count:
            return new
    return name


_TRANSFORMER = [
    (r"^text_embedding\.0\.", "condition_embedder.text_embedder.linear_1."),
    (r"^text_embedding\.2\.", "condition_embedder.text_embedder.linear_2."),
    (r"^time_embedding\.0\.", "condition_embedder.time_embedder.linear_1."),
    (r"^time_embedding\.2\.", "condition_embedder.time_embedder.linear_2."),
    (r"^time_projection\.1\.", "condition_embedder.time_proj."),
    (r"^img_emb\.proj\.0\.", "condition_embedder.image_embedder.norm1."),
    (r"^img_emb\.proj\.1\.", "condition_embedder.image_embedder.ff.net.0.proj."),
    (r"^img_emb\.proj\.3\.", "condition_embedder.image_embedder.ff.net.2."),
    (r"^img_emb\.proj\.4\.", "condition_embedder.image_embedder.norm2."),
    (r"^img_emb\.emb_pos$", "condition_embedder.image_embedder.pos_embed"),
    (r"^fps_projection\.0\.", "fps_projection.net.0.proj."),
    (r"^fps_projection\.2\.", "fps_projection.net.2."),
    (r"^head\.head\.", "proj_out."),
    (r"^head\.modulation$", "scale_shift_table"),
    (r"^(blocks\.\d+)\.modulation$", r"\1.scale_shift_table"),
    (r"^(blocks\.\d+)\.norm3\.", r"\1.norm2."),
    (r"^(blocks\.\d+)\.ffn\.0\.", r"\1.ffn.net.0.proj."),
    (r"^(blocks\.\d+)\.ffn\.2\.", r"\1.ffn.net.2."),
    (r"^(blocks\.\d+)\.cross_attn\.k_img\.", r"\1.attn2.add_k_proj."),
    (r"^(blocks\.\d+)\.cross_attn\.v_img\.", r"\1.attn2.add_v_proj."),
    (r"^(blocks\.\d+)\.cross_attn\.norm_k_img\.", r"\1.attn2.norm_added_k."),
]
for _ours, _theirs in (("self_attn", "attn1"), ("cross_attn", "attn2")):
    _TRANSFORMER += [
        (rf"^(blocks\.\d+)\.{_ours}\.([qkv])\.", rf"\1.{_theirs}.to_\2."),
        (rf"^(blocks\.\d+)\.{_ours}\.o\.", rf"\1.{_theirs}.to_out.0."),
        (rf"^(blocks\.\d+)\.{_ours}\.(norm_[qk])\.", rf"\1.{_theirs}.\2."),
    ]


def transformer_to_diffusers(weights: dict) -> dict:
    return {_replace(k, _TRANSFORMER): v for k, v in weights.items()}


def _vae_name(name: str, nested: bool) -> str:
    name = re.sub(r"^conv1\.", "quant_conv.", name)
    name = re.sub(r"^conv2\.", "post_quant_conv.", name)
    name = re.sub(r"^(encoder|decoder)\.conv1\.", r"\1.conv_in.", name)
    name = re.sub(r"\.head\.0\.", ".norm_out.", name)
    name = re.sub(r"\.head\.2\.", ".conv_out.", name)
    name = re.sub(r"\.middle\.1\.", ".mid_block.attentions.0.", name)
    name = re.sub(r"\.middle\.([02])\.", lambda m: f".mid_block.resnets.{int(m[1]) // 2}.", name)
    for old, new in (("0", "norm1"), ("2", "conv1"), ("3", "norm2"), ("6", "conv2")):
        name = name.replace(f".residual.{old}.", f".{new}.")
    name = name.replace(".shortcut.", ".conv_shortcut.")
    if nested:  # spec vae22.md 7
        for side, inner, outer, last in (("encoder", "downsamples", "down", 2), ("decoder", "upsamples", "up", 3)):
            block = rf"{side}.{outer}_blocks.\1."
            name = re.sub(rf"^{side}\.{inner}\.(\d)\.{inner}\.{last}\.", rf"{block}{outer}sampler.", name)
            name = re.sub(rf"^{side}\.{inner}\.(\d)\.{inner}\.(\d)\.", rf"{block}resnets.\2.", name)
        return name
    name = name.replace("encoder.downsamples.", "encoder.down_blocks.")

    def up(m):
        block, index = divmod(int(m[1]), 4)
        return f"decoder.up_blocks.{block}." + ("upsamplers.0." if index == 3 else f"resnets.{index}.")

    return re.sub(r"^decoder\.upsamples\.(\d+)\.", up, name)


def vae_to_diffusers(weights: dict) -> dict:
    nested = any(".upsamples." in k.removeprefix("decoder.upsamples.") for k in weights if k.startswith("decoder.upsamples."))
    return {_vae_name(k, nested): v for k, v in weights.items()}


_UMT5 = [
    (r"^token_embedding\.weight$", "shared.weight"),
    (r"^norm\.weight$", "encoder.final_layer_norm.weight"),
    (r"^blocks\.(\d+)\.norm1\.weight$", r"encoder.block.\1.layer.0.layer_norm.weight"),
    (r"^blocks\.(\d+)\.norm2\.weight$", r"encoder.block.\1.layer.1.layer_norm.weight"),
    (r"^blocks\.(\d+)\.attn\.([qkvo])\.weight$", r"encoder.block.\1.layer.0.SelfAttention.\2.weight"),
    (
        r"^blocks\.(\d+)\.pos_embedding\.embedding\.weight$",
        r"encoder.block.\1.layer.0.SelfAttention.relative_attention_bias.weight",
    ),
    (r"^blocks\.(\d+)\.ffn\.gate\.0\.weight$", r"encoder.block.\1.layer.1.DenseReluDense.wi_0.weight"),
    (r"^blocks\.(\d+)\.ffn\.fc1\.weight$", r"encoder.block.\1.layer.1.DenseReluDense.wi_1.weight"),
    (r"^blocks\.(\d+)\.ffn\.fc2\.weight$", r"encoder.block.\1.layer.1.DenseReluDense.wo.weight"),
]


def umt5_to_hf(weights: dict) -> dict:
    return {_replace(k, _UMT5): v for k, v in weights.items()}


_CLIP = [
    (r"^visual\.patch_embedding\.", "vision_model.embeddings.patch_embedding."),
    (r"^visual\.cls_embedding$", "vision_model.embeddings.class_embedding"),
    (r"^visual\.pos_embedding$", "vision_model.embeddings.position_embedding.weight"),
    (r"^visual\.pre_norm\.", "vision_model.pre_layrnorm."),
    (r"^visual\.post_norm\.", "vision_model.post_layernorm."),
    (r"^visual\.transformer\.(\d+)\.norm1\.", r"vision_model.encoder.layers.\1.layer_norm1."),
    (r"^visual\.transformer\.(\d+)\.norm2\.", r"vision_model.encoder.layers.\1.layer_norm2."),
    (r"^visual\.transformer\.(\d+)\.attn\.proj\.", r"vision_model.encoder.layers.\1.self_attn.out_proj."),
    (r"^visual\.transformer\.(\d+)\.mlp\.0\.", r"vision_model.encoder.layers.\1.mlp.fc1."),
    (r"^visual\.transformer\.(\d+)\.mlp\.2\.", r"vision_model.encoder.layers.\1.mlp.fc2."),
]


def clip_to_hf(weights: dict, position_ids: bool = False) -> dict:
    """The tower without its projection head, with q, k and v as separate tensors."""
    out = {}
    for name, value in weights.items():
        fused = re.match(r"^visual\.transformer\.(\d+)\.attn\.to_qkv\.(weight|bias)$", name)
        if fused:
            for part, piece in zip("qkv", value.chunk(3)):
                out[f"vision_model.encoder.layers.{fused[1]}.self_attn.{part}_proj.{fused[2]}"] = piece
        elif name == "visual.head":
            continue
        else:
            new = _replace(name, _CLIP)
            flat = new.endswith(("class_embedding", "position_embedding.weight"))
            out[new] = value.reshape(value.shape[-1] if "class" in new else value.shape[1:]) if flat else value
    if position_ids:
        count = out["vision_model.embeddings.position_embedding.weight"].shape[0]
        out["vision_model.embeddings.position_ids"] = torch.arange(count, dtype=torch.int64)[None]
    return out


_OPEN_CLIP = [
    (r"^visual\.patch_embedding\.", "visual.conv1."),
    (r"^visual\.pre_norm\.", "visual.ln_pre."),
    (r"^visual\.post_norm\.", "visual.ln_post."),
    (r"^visual\.head$", "visual.proj"),
    (r"^visual\.transformer\.(\d+)\.norm([12])\.", r"visual.transformer.resblocks.\1.ln_\2."),
    (r"^visual\.transformer\.(\d+)\.attn\.to_qkv\.", r"visual.transformer.resblocks.\1.attn.in_proj_"),
    (r"^visual\.transformer\.(\d+)\.attn\.proj\.", r"visual.transformer.resblocks.\1.attn.out_proj."),
    (r"^visual\.transformer\.(\d+)\.mlp\.0\.", r"visual.transformer.resblocks.\1.mlp.c_fc."),
    (r"^visual\.transformer\.(\d+)\.mlp\.2\.", r"visual.transformer.resblocks.\1.mlp.c_proj."),
]


def clip_to_open_clip(weights: dict) -> dict:
    out = {_replace(k, _OPEN_CLIP): v for k, v in weights.items()}
    out["visual.class_embedding"] = out.pop("visual.cls_embedding").reshape(-1)
    out["visual.positional_embedding"] = out.pop("visual.pos_embedding")[0]
    return out
