# SPDX-License-Identifier: Apache-2.0
"""Whole tiny models, each a folder in the form that its family publishes. The cases of single modules use their files as well.

Wan2.1-T2V-tiny            original layout, text to video
SkyReels-V2-I2V-tiny       original layout, CLIP branch
Wan2.1-FLF2V-tiny          original layout, CLIP branch with positions
SkyReels-V2-DF-tiny        original layout, fps branch
Wan2.1-T2V-tiny-Diffusers  the first in the diffusers layout
Wan2.2-TI2V-tiny           original layout, VAE of Wan 2.2, 48 latent channels
Wan2.2-TI2V-tiny-Diffusers the same in the diffusers layout
Wan2.2-T2V-A14B-tiny       original layout, an expert for high noise and one for low
Wan2.2-I2V-A14B-tiny-Diffusers  the diffusers layout, image channels without a CLIP branch
"""

from dataclasses import dataclass, field
from functools import cache

import torch

from . import clip, names, text, transformer, umt5, vae, vae22
from . import weights as make
from .files import Fixtures, write_json, write_pth, write_safetensors

TEXT_SIZES = (192, 24, 40, 36, 5, 2)  # vocabulary, width, attention width, ffn, heads, layers
TRANSFORMER_FILE = "diffusion_pytorch_model.safetensors"
CLIP_FILE = "models_clip_open-clip-xlm-roberta-large-vit-huge-14.pth"
TEXT_FILE = "models_t5_umt5-xxl-enc-bf16.pth"
VAE_FILE = "Wan2.1_VAE.pth"
VAE22_FILE = "Wan2.2_VAE.pth"
VAE22_SIZES = (2, 2, 48)  # base width of the encoder, of the decoder, latent channels


@cache
def vae_weights() -> dict:
    return make.vae_weights(2, 16, "tiny-vae", torch.bfloat16)


@cache
def vae22_weights() -> dict:
    return make.vae22_weights(*VAE22_SIZES, "tiny-vae22", torch.bfloat16)


@cache
def text_weights() -> dict:
    return make.umt5_weights("tiny-umt5", *TEXT_SIZES)


@cache
def spiece() -> bytes:
    return text.train(180, "small", sentences=text.SENTENCES[:12])


@cache
def tokenizer():
    return text.fast_tokenizer(text.tokenizer_json(spiece()))


def _widen(weights: dict) -> dict:
    return {k: v.float() for k, v in weights.items()}


@dataclass
class Model:
    folder: str
    config: transformer.Config
    model_type: str = "t2v"
    layout: str = "original"
    file: str = TRANSFORMER_FILE
    clip_width: int = 0
    seed: str = ""
    second_vae: bool = False  # the VAE of Wan 2.2, with which a start image is the clean first latent frame
    boundary: float = 0.0  # for a model of two experts, the share of noise below which the low-noise one takes over; 0 for one expert
    pipeline_class: str = "WanPipeline"
    latents: tuple = ()  # mean and spread in the VAE's own config.json; without them the published ones count
    _made: dict = field(default_factory=dict, repr=False)

    def weights(self) -> dict:
        if "weights" not in self._made:
            self._made["weights"] = make.transformer_weights(self.config, self.seed, torch.bfloat16)
        return self._made["weights"]

    def low_weights(self) -> dict:
        """The low-noise expert's weights; those of the class are the high-noise expert's."""
        if "low" not in self._made:
            self._made["low"] = make.transformer_weights(self.config, self.seed + "-low", torch.bfloat16)
        return self._made["low"]

    def clip_weights(self) -> dict:
        if "clip" not in self._made:
            self._made["clip"] = make.clip_weights(self.seed + "-clip", self.clip_width, 24, 2)
        return self._made["clip"]

    @property
    def clip_heads(self) -> int:
        """The width divided by 80, because the config.json beside the file is the transformer's and not this tower's."""
        return self.clip_width // 80

    @property
    def text_len(self) -> int:
        return 512 if self.layout == "diffusers" else self.config.text_len

    def encode_text(self, prompt: str) -> torch.Tensor:
        """-> [text_len, width], float64, with zeros in the rows past the prompt"""
        ids = text.ids(tokenizer(), text.clean(prompt), self.text_len)
        return umt5.padded(text_weights(), torch.tensor(ids), self.text_len)

    def transformer(self):
        return transformer.Transformer(_widen(self.weights()), self.config.heads, self.text_len)

    def low_transformer(self):
        return transformer.Transformer(_widen(self.low_weights()), self.config.heads, self.text_len)

    @property
    def stride(self) -> int:
        """The number of pixels along a side of one latent pixel."""
        return 16 if self.second_vae else 8

    def vae(self):
        kind, weights = (vae22.Vae22, vae22_weights()) if self.second_vae else (vae.Vae, vae_weights())
        return kind(_widen(weights), *self.latents)

    def encode_clip(self, image: torch.Tensor) -> torch.Tensor:
        """[3,h,w] in -1..1 -> [257, width]"""
        return self.features(clip.preprocess(image.double()))

    def features(self, seen: torch.Tensor) -> torch.Tensor:
        """[3,224,224] normalised -> [257, width]"""
        return clip.encode(_widen(self.clip_weights()), self.clip_heads, seen)

    def write(self, fixtures: Fixtures):
        folder = fixtures.model(self.folder)
        if self.layout == "diffusers":
            return self._write_diffusers(folder)
        experts = {"": self.weights()}
        if self.boundary:
            experts = {"high_noise_model": self.weights(), "low_noise_model": self.low_weights()}
        for part, weights in experts.items():
            write_json(folder / part / "config.json", make.transformer_config(self.config, self.model_type))
            write_safetensors(folder / part / self.file, weights, {"format": "pt"})
        if self.second_vae:
            write_pth(folder / VAE22_FILE, vae22_weights())
        else:
            write_pth(folder / VAE_FILE, vae_weights())
        write_pth(folder / TEXT_FILE, text_weights())
        if self.clip_width:
            write_pth(folder / CLIP_FILE, self.clip_weights() | make.textual_half(self.seed))
        self._write_tokenizer(folder / "google" / "umt5-xxl")

    def _write_tokenizer(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "spiece.model").write_bytes(spiece())
        (folder / "tokenizer.json").write_text(text.tokenizer_json(spiece()), encoding="utf-8")

    def _write_diffusers(self, folder):
        write_json(
            folder / "model_index.json",
            {
                "_class_name": self.pipeline_class,
                "_diffusers_version": "0.35.2",
                "scheduler": ["diffusers", "UniPCMultistepScheduler"],
                "text_encoder": ["transformers", "UMT5EncoderModel"],
                "tokenizer": ["transformers", "T5TokenizerFast"],
                "transformer": ["diffusers", "WanTransformer3DModel"],
                "vae": ["diffusers", "AutoencoderKLWan"],
            }
            | ({"expand_timesteps": True, "boundary_ratio": None, "transformer_2": [None, None]} if self.second_vae else {})
            | ({"boundary_ratio": self.boundary, "transformer_2": ["diffusers", "WanTransformer3DModel"]} if self.boundary else {}),
        )
        write_json(
            folder / "scheduler" / "scheduler_config.json",
            {
                "_class_name": "UniPCMultistepScheduler",
                "_diffusers_version": "0.35.2",
                "flow_shift": 5.0 if self.second_vae else 3.0,
                "num_train_timesteps": 1000,
                "prediction_type": "flow_prediction",
                "solver_order": 2,
                "use_flow_sigmas": True,
            },
        )
        experts = {"transformer": self.weights()} | ({"transformer_2": self.low_weights()} if self.boundary else {})
        for part, weights in experts.items():
            write_json(folder / part / "config.json", make.transformer_diffusers_config(self.config, "SkyReels" in self.pipeline_class))
            write_safetensors(folder / part / TRANSFORMER_FILE, names.transformer_to_diffusers(weights), {"format": "pt"})
        if self.clip_width:
            # Two layers with an MLP of 24, as clip_weights() makes them.
            write_json(folder / "image_encoder" / "config.json", make.clip_config(self.clip_width, 24, 2, self.clip_heads))
            write_safetensors(folder / "image_encoder" / "model.safetensors", names.clip_to_hf(self.clip_weights()), {"format": "pt"})
        config = (
            make.vae22_config(*VAE22_SIZES, *(self.latents or (vae22.MEAN, vae22.STD)))
            if self.second_vae
            else make.vae_config(2, 16, *(self.latents or (vae.MEAN, vae.STD)))
        )
        weights = vae22_weights() if self.second_vae else vae_weights()
        write_json(folder / "vae" / "config.json", config)
        write_safetensors(folder / "vae" / TRANSFORMER_FILE, names.vae_to_diffusers(weights), {"format": "pt"})
        write_json(folder / "text_encoder" / "config.json", make.umt5_config(*TEXT_SIZES))
        write_safetensors(
            folder / "text_encoder" / "model.safetensors", names.umt5_to_hf(text_weights()), {"format": "pt"}
        )
        self._write_tokenizer(folder / "tokenizer")


def _config(**more) -> transformer.Config:
    return transformer.Config(
        **(dict(dim=48, heads=2, ffn=40, layers=2, text_dim=TEXT_SIZES[1], text_len=40, freq_dim=32) | more)
    )


T2V = Model("Wan2.1-T2V-tiny", _config(heads=3), seed="tiny-t2v")
T2V_DIFFUSERS = Model("Wan2.1-T2V-tiny-Diffusers", _config(heads=3, text_len=512), layout="diffusers", seed="tiny-t2v")
I2V = Model(
    "SkyReels-V2-I2V-tiny",
    _config(heads=3, in_channels=36, clip_dim=80),
    "i2v",
    file="model.safetensors",
    clip_width=80,
    seed="tiny-i2v",
)
FLF2V = Model(
    "Wan2.1-FLF2V-tiny",
    _config(dim=32, layers=1, in_channels=36, clip_dim=80, clip_positions=514),
    "flf2v",
    clip_width=80,
    seed="tiny-flf2v",
)
DF = Model("SkyReels-V2-DF-tiny", _config(fps=True), file="model.safetensors", seed="tiny-df")
TI2V = Model("Wan2.2-TI2V-tiny", _config(in_channels=48, out_channels=48), "ti2v", seed="tiny-ti2v", second_vae=True)
TI2V_DIFFUSERS = Model(
    "Wan2.2-TI2V-tiny-Diffusers",
    _config(in_channels=48, out_channels=48, text_len=512),
    layout="diffusers",
    seed="tiny-ti2v",
    second_vae=True,
)
A14B_T2V = Model("Wan2.2-T2V-A14B-tiny", _config(dim=32, layers=1), seed="tiny-a14b", boundary=0.875)
A14B_I2V = Model(
    "Wan2.2-I2V-A14B-tiny-Diffusers",
    _config(dim=32, layers=1, in_channels=36, text_len=512),
    layout="diffusers",
    pipeline_class="WanImageToVideoPipeline",
    seed="tiny-a14b-i2v",
    boundary=0.9,
)
ALL = (T2V, T2V_DIFFUSERS, I2V, FLF2V, DF, TI2V, TI2V_DIFFUSERS, A14B_T2V, A14B_I2V)
