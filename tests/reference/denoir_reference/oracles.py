# SPDX-License-Identifier: Apache-2.0
"""The same networks in the implementations of diffusers and transformers, loaded strictly with our weights, in float32."""

import torch

from . import names
from .transformer import rotary_table


def _strict(model, weights: dict):
    missing, unexpected = model.load_state_dict({k: v.float() for k, v in weights.items()}, strict=False)
    missing = [m for m in missing if not m.endswith(("position_ids", "embed_tokens.weight"))]
    assert not missing and not unexpected, (missing, unexpected)
    return model.float().eval()


def _sinusoid(t, width: int):
    angle = t.double()[..., None] * 10000.0 ** (-torch.arange(width // 2, dtype=torch.float64) / (width // 2))
    return torch.cat([angle.cos(), angle.sin()], -1).float()


def _rotary(x, head_dim: int):
    table = rotary_table(head_dim, x.shape[2], x.shape[3] // 2, x.shape[4] // 2)
    return tuple(part.float().repeat_interleave(2, dim=-1)[None, :, None] for part in (table.real, table.imag))


def prepared(weights: dict, config):
    """A function (latent, timestep, text, clip, condition, fps, causal_block) -> velocity: diffusers'
    WanTransformer3DModel, or SkyReelsV2Transformer3DModel if the timestep is per frame or the frame rate is used."""
    from diffusers import SkyReelsV2Transformer3DModel, WanTransformer3DModel

    common = dict(
        num_attention_heads=config.heads,
        attention_head_dim=config.dim // config.heads,
        in_channels=config.in_channels,
        out_channels=config.out_channels,
        text_dim=config.text_dim,
        freq_dim=config.freq_dim,
        ffn_dim=config.ffn,
        num_layers=config.layers,
        image_dim=config.clip_dim or None,
        added_kv_proj_dim=config.dim if config.clip_dim else None,
        pos_embed_seq_len=config.clip_positions or None,
    )
    theirs, made = names.transformer_to_diffusers(weights), {}

    def model_for(forcing: bool, causal_block: int):
        key = (forcing, causal_block)
        if key not in made:
            if forcing:
                model = SkyReelsV2Transformer3DModel(
                    **common, inject_sample_info=config.fps, num_frame_per_block=causal_block or 1
                )
            else:
                model = WanTransformer3DModel(**common)
                # This release cuts the rotary table at head_dim // 3 channels, which is right only if that is even.
                model.rope.forward = lambda x: _rotary(x, config.dim // config.heads)
            made[key] = _strict(model, theirs)
            # WanTransformer3DModel multiplies time and frequency in float32, which alone costs 7e-5 at t = 999; the
            # originals use float64 (spec dit.md section 7).
            model.condition_embedder.timesteps_proj.forward = lambda t: _sinusoid(t, config.freq_dim)
        return made[key]

    @torch.no_grad()
    def forward(latent, timestep, text, clip=None, condition=None, fps=1, causal_block=0):
        tokens = latent.shape[1] * latent.shape[2] * latent.shape[3] // 4
        forcing = timestep.ndim == 1 and timestep.numel() != tokens
        if forcing and causal_block == 1:  # the class builds its mask only above one frame per block
            raise NotImplementedError("causal blocks of one frame")
        padded = torch.zeros(1, config.text_len, config.text_dim)
        padded[0, : len(text)] = text
        x = latent if condition is None else torch.cat([latent, condition])
        more = {"fps": [fps]} if config.fps else {}
        if forcing:
            more["enable_diffusion_forcing"] = True
        t = timestep.reshape(1, -1) if timestep.ndim else timestep.reshape(1)
        image = None if clip is None else clip.float().reshape(-1, 257, clip.shape[-1])
        return model_for(forcing or config.fps, causal_block)(
            hidden_states=x[None].float(),
            timestep=t,
            encoder_hidden_states=padded,
            encoder_hidden_states_image=image,
            return_dict=False,
            **more,
        )[0][0]

    forward.model_for = model_for
    return forward


def transformer(weights: dict, config, latent, timestep, text, **more):
    return prepared(weights, config)(latent, timestep, text, **more)


def vae(weights: dict, base: int, z: int, mean, std):
    """diffusers' AutoencoderKLWan. Use its .encode(video[None]) and .decode(raw latent[None])."""
    from diffusers import AutoencoderKLWan

    model = AutoencoderKLWan(base_dim=base, z_dim=z, latents_mean=list(mean), latents_std=list(std))
    return _strict(model, names.vae_to_diffusers(weights))


def vae22(weights: dict, base: int, decoder_base: int, z: int, mean, std):
    from diffusers import AutoencoderKLWan

    model = AutoencoderKLWan(
        base_dim=base,
        decoder_base_dim=decoder_base,
        z_dim=z,
        is_residual=True,
        in_channels=12,
        out_channels=12,
        patch_size=2,
        scale_factor_spatial=16,
        latents_mean=list(mean),
        latents_std=list(std),
    )
    return _strict(model, names.vae_to_diffusers(weights))


@torch.no_grad()
def vae_encode_mean(model, video):
    return model.encode(video[None].float(), return_dict=False)[0].mode()[0]


@torch.no_grad()
def vae_decode(model, latent, mean, std):
    raw = latent.float() * torch.tensor(std).reshape(-1, 1, 1, 1) + torch.tensor(mean).reshape(-1, 1, 1, 1)
    return model.decode(raw[None], return_dict=False)[0][0]


def umt5_model(weights: dict):
    """transformers' UMT5EncoderModel."""
    from transformers import UMT5Config, UMT5EncoderModel

    heads = weights["blocks.0.pos_embedding.embedding.weight"].shape[1]
    vocabulary, width = weights["token_embedding.weight"].shape
    layers = len({k.split(".")[1] for k in weights if k.startswith("blocks.")})
    model = UMT5EncoderModel(
        UMT5Config(
            vocab_size=vocabulary,
            d_model=width,
            d_kv=weights["blocks.0.attn.q.weight"].shape[0] // heads,
            d_ff=weights["blocks.0.ffn.fc1.weight"].shape[0],
            num_layers=layers,
            num_heads=heads,
            feed_forward_proj="gated-gelu",
            dropout_rate=0.0,
        )
    )
    return _strict(model, names.umt5_to_hf(weights))


@torch.no_grad()
def umt5(weights: dict, tokens, model=None):
    """Runs transformers' UMT5EncoderModel on the real tokens, followed by 16 of padding, which must change nothing."""
    model = model or umt5_model(weights)
    ids = torch.cat([tokens, torch.zeros(16, dtype=torch.int64)])[None]
    mask = (torch.arange(ids.shape[1]) < len(tokens)).long()[None]
    return model(input_ids=ids, attention_mask=mask).last_hidden_state[0, : len(tokens)]


def clip_model(weights: dict, heads: int, side: int):
    """transformers' CLIPVisionModel for pictures of `side` pixels."""
    from transformers import CLIPVisionConfig, CLIPVisionModel

    patch = weights["visual.patch_embedding.weight"]
    layers = len({k.split(".")[2] for k in weights if k.startswith("visual.transformer.")})
    model = CLIPVisionModel(
        CLIPVisionConfig(
            hidden_size=patch.shape[0],
            intermediate_size=weights["visual.transformer.0.mlp.0.weight"].shape[0],
            num_hidden_layers=layers,
            num_attention_heads=heads,
            image_size=side,
            patch_size=patch.shape[-1],
            hidden_act="gelu",
            layer_norm_eps=1e-5,
        )
    )
    return _strict(model, names.clip_to_hf(weights))


@torch.no_grad()
def clip(weights: dict, heads: int, image, model=None):
    """hidden_states[-2] of transformers' CLIPVisionModel."""
    model = model or clip_model(weights, heads, image.shape[-1])
    return model(pixel_values=image[None].float(), output_hidden_states=True).hidden_states[-2][0]
