# SPDX-License-Identifier: Apache-2.0
"""wan-transformer: golden vectors of spec dit.md 11, then layouts, conditionings, timestep shapes and precisions."""
import torch

from . import names, oracles
from .files import Fixtures, agree, relative_error, write_json, write_safetensors
from .transformer import Config, Transformer, shapes
from .values import normal, numbered_values, uniform

GOLDEN = {  # case: (out[0..3], out[1,1,2,3], out[3,2,3,5], sum, sum of absolute values), printed in the spec
    "t2v": ([0.765307, 0.755510, 1.805279, -0.366782], 1.254873, 1.402126, 1.74741, 240.76831),
    "tokens": ([0.646680, 0.547116, 1.463423, -0.418868], 1.261875, 1.403103, 3.45799, 230.77705),
    "forcing": ([0.649495, 0.534276, 1.468642, -0.420139], 1.258739, 2.199432, 9.59726, 222.51044),
    "causal-1": ([0.791402, 0.504586, 1.536103, -0.472071], 1.250546, 2.186603, 9.82630, 224.84025),
    "fps-1": ([-1.129112, 1.698320, 0.228113, 0.841872], -0.379348, -0.367314, 28.11513, 201.64158),
    "fps-0": ([-1.137875, 1.647628, 0.285496, 0.782422], -0.745571, -0.281612, 28.98347, 199.36798),
    "i2v": ([0.626203, 0.723572, -0.478628, 1.075669], -0.383105, -0.248954, 17.44370, 197.68516),
    "flf2v": ([-1.318059, -0.915195, 1.454143, 0.038535], 1.598562, -1.542317, 3.44632, 240.38712),
    "i2v-22": ([1.333855, 0.330486, 0.430619, -0.884660], -0.376295, 1.051768, 11.96775, 212.65936),
}


def _config_json(c: Config, model_type: str, text_len: int | None = None) -> dict:
    value = {"_class_name": "WanModel", "_diffusers_version": "0.30.0", "dim": c.dim, "eps": 1e-06, "ffn_dim": c.ffn,
             "freq_dim": c.freq_dim, "in_dim": c.in_channels, "model_type": model_type, "num_heads": c.heads,
             "num_layers": c.layers, "out_dim": c.out_channels, "text_len": c.text_len if text_len is None else text_len}
    if c.fps:
        value["inject_sample_info"] = True
    return value


def diffusers_config_json(c: Config, forcing: bool = False) -> dict:
    value = {"_class_name": "SkyReelsV2Transformer3DModel" if forcing else "WanTransformer3DModel",
             "_diffusers_version": "0.35.2", "patch_size": [1, 2, 2], "num_attention_heads": c.heads,
             "attention_head_dim": c.dim // c.heads, "in_channels": c.in_channels, "out_channels": c.out_channels,
             "text_dim": c.text_dim, "freq_dim": c.freq_dim, "ffn_dim": c.ffn, "num_layers": c.layers,
             "cross_attn_norm": True, "qk_norm": "rms_norm_across_heads", "eps": 1e-06,
             "image_dim": c.clip_dim or None, "added_kv_proj_dim": c.dim if c.clip_dim else None,
             "rope_max_seq_len": 1024, "pos_embed_seq_len": c.clip_positions or None}
    if forcing:
        value |= {"inject_sample_info": c.fps, "num_frame_per_block": 1}
    return value


def random_weights(c: Config, seed: str, dtype=torch.float32) -> dict:
    """Weights that keep activations near one and every branch visible in the output."""
    out = {}
    for name, shape in shapes(c).items():
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
            fan_in = int(torch.tensor(shape[1:]).prod())
            value = uniform(key, shape, 1.5 * (3 / fan_in) ** 0.5)
        out[name] = value.to(dtype)
    return out


def _text(seed: str, c: Config, rows: int) -> torch.Tensor:
    text = torch.zeros(c.text_len, c.text_dim)
    text[:rows] = normal(seed + "/text", (rows, c.text_dim), 0.6)
    return text


class Maker:
    def __init__(self, fixtures: Fixtures):
        self.f = fixtures

    def store(self, name: str, c: Config, weights: dict, model_type="t2v", layout="original", forcing=False, prefix="",
              single=False):
        folder = self.f.weights(name)
        if layout == "diffusers":
            weights, config = names.transformer_to_diffusers(weights), diffusers_config_json(c, forcing)
        else:
            config = _config_json(c, model_type)
        file = f"{name}.safetensors" if single else "diffusion_pytorch_model.safetensors"
        if not single and forcing and layout == "original":
            file = "model.safetensors"
        write_safetensors(folder / file, {prefix + k: v for k, v in weights.items()}, {"format": "pt"})
        if not single:
            write_json(folder / "config.json", config)

    def case(self, name, module_weights, c, weights, inputs, note, *, settings=None, dtype="f32", precision=None,
             tol=1e-4, oracle=True, causal=0, stored="in.safetensors"):
        model = Transformer({k: v.float() for k, v in weights.items()}, c.heads, c.text_len, precision or "f32")
        args = {k: inputs.get(k) for k in ("clip", "condition")}
        fps = int(inputs["fps"]) if "fps" in inputs else 1
        want = model.forward(inputs["latent"], inputs["timestep"], inputs["text"], **args, fps=fps, causal_block=causal)
        if oracle and not (causal == 1) and (c.text_len == 512 or not c.clip_dim):
            exact = want if not precision else Transformer(
                {k: v.float() for k, v in weights.items()}, c.heads, c.text_len).forward(
                inputs["latent"], inputs["timestep"], inputs["text"], **args, fps=fps, causal_block=causal)
            theirs = oracles.transformer(weights, c, inputs["latent"], inputs["timestep"], inputs["text"], **args,
                                         fps=fps, causal_block=causal)
            note += f" (diffusers in f32: {agree(name, theirs, exact, 2e-5):.0e})"
            if precision:
                note += f"; {precision} is {relative_error(want, exact):.1e} from f32"
        self.f.case(name, "wan-transformer", [module_weights], inputs, {"velocity": want}, tol=tol, note=note, dtype=dtype,
                    settings=settings, precision=precision)
        return want


def _golden(m: Maker):
    base = dict(dim=32, heads=2, ffn=48, layers=2, out_channels=4, freq_dim=16, text_dim=10, text_len=6)
    # The golden CLIP width is the real 1280, which makes 20 MB of projection weights in f32 no fixture should have:
    # the numbers of I2V and FLF2V are checked here and not stored.
    variants = {"t2v": dict(in_channels=4), "fps": dict(in_channels=4, fps=True), "i2v-22": dict(in_channels=12),
                "i2v": dict(in_channels=12, clip_dim=1280), "flf2v": dict(in_channels=12, clip_dim=1280, clip_positions=514)}

    def values(number, shape):
        count = int(torch.tensor(shape).prod())
        return torch.from_numpy(4 * numbered_values(number, count)).reshape(shape)

    def fill(c):
        out = {}
        for number, name in enumerate(sorted(shapes(c))):
            shape = shapes(c)[name]
            u = torch.from_numpy(0.5 * numbered_values(number, int(torch.tensor(shape).prod()))).reshape(shape)
            norm = ("norm" in name and name.endswith("weight")) or name in ("img_emb.proj.0.weight", "img_emb.proj.4.weight")
            out[name] = u + 1 if norm else u
        return out

    text = torch.zeros(6, 10, dtype=torch.float64)
    text[:5] = values(901, (5, 10))
    x, y = values(900, (4, 3, 4, 6)), values(902, (8, 3, 4, 6))
    tokens = torch.tensor([0.0] * 6 + [500.0] * 12)
    frames = torch.tensor([0.0, 500.0, 999.0])
    at = torch.tensor(500.0)
    for case, (key, inputs, causal) in {
            "t2v": ("t2v", {"timestep": at}, 0), "tokens": ("t2v", {"timestep": tokens}, 0),
            "forcing": ("t2v", {"timestep": frames}, 0), "causal-1": ("t2v", {"timestep": frames}, 1),
            "fps-1": ("fps", {"timestep": frames, "fps": torch.tensor(1.0)}, 0),
            "fps-0": ("fps", {"timestep": frames, "fps": torch.tensor(0.0)}, 0),
            "i2v-22": ("i2v-22", {"timestep": at, "condition": y}, 0),
            "i2v": ("i2v", {"timestep": at, "condition": y, "clip": values(903, (257, 1280))}, 0),
            "flf2v": ("flf2v", {"timestep": at, "condition": y, "clip": values(904, (2, 257, 1280)).flatten(0, 1)}, 0),
    }.items():
        c = Config(**base, **variants[key])
        weights = fill(c)
        inputs = {"latent": x, "text": text} | inputs
        out = Transformer(weights, c.heads, c.text_len).forward(
            x, inputs["timestep"], text, inputs.get("clip"), inputs.get("condition"), int(inputs.get("fps", 1)), causal)
        first, a, b, total, absolute = GOLDEN[case]
        got = torch.tensor([*out.flatten()[:4], out[1, 1, 2, 3], out[3, 2, 3, 5]])
        assert (got - torch.tensor([*first, a, b])).abs().max() < 2e-6, (case, got)
        assert abs(out.sum() - total) < 2e-5 and abs(out.abs().sum() - absolute) < 2e-5, (case, out.sum(), out.abs().sum())
        if key in ("i2v", "flf2v"):
            continue
        name = f"golden-{key}"
        if not m.f.weights(name).exists():
            m.store(name, c, {k: v.float() for k, v in weights.items()}, forcing=key == "fps",
                    model_type="i2v" if "i2v" in key else "t2v")
        m.f.case(f"dit-golden-{case}", "wan-transformer", [name], {k: v.float() for k, v in inputs.items()},
                 {"velocity": out}, tol=1e-4, note="golden vector of the specification, heads 2 from config.json, text_len 6",
                 settings={"causal_block": causal} if causal else None)


def _variants(m: Maker):
    # Text to video: odd latent shapes; head size 30 is 15 pairs, five for each axis.
    c = Config(dim=60, heads=2, ffn=52, layers=1, text_dim=24, text_len=20, freq_dim=32)
    w = random_weights(c, "t2v-60")
    m.store("t2v-60", c, w)

    def inputs(seed, c, shape, timestep, rows=9, **more):
        return {"latent": normal(seed + "/latent", shape), "timestep": torch.as_tensor(timestep, dtype=torch.float32),
                "text": _text(seed, c, rows)} | more

    m.case("dit-t2v", "t2v-60", c, w, inputs("dit-t2v", c, (16, 3, 6, 10), 999.0), "original layout, two heads of 30")
    m.case("dit-t2v-one-frame", "t2v-60", c, w, inputs("dit-t2v-one", c, (16, 1, 2, 14), 17.0),
           "one latent frame, one row of patches")
    m.case("dit-t2v-long", "t2v-60", c, w, inputs("dit-t2v-long", c, (16, 9, 6, 18), 888.0, rows=20),
           "243 tokens: more than one tile of attention, every text row used")

    # Widths 48 and 66, stored in bf16 and f16.
    c = Config(dim=48, heads=3, ffn=40, layers=2, text_dim=16, text_len=12, freq_dim=32)
    w = random_weights(c, "t2v-48", torch.bfloat16)
    m.store("t2v-48-bf16", c, w)
    m.case("dit-t2v-bf16-weights", "t2v-48-bf16", c, w, inputs("dit-t2v-48", c, (16, 3, 4, 10), 727.0, rows=3),
           "three heads of 16, weights stored in bf16 and widened")
    m.store("t2v-48-diffusers", c, w, layout="diffusers")
    m.store("t2v-48-comfy", c, w, prefix="model.diffusion_model.", single=True)
    c512 = Config(**{**c.__dict__, "text_len": 512})
    m.case("dit-t2v-fractional", "t2v-48-diffusers", c512, w, inputs("dit-t2v-frac", c512, (16, 2, 8, 6), 467.25, rows=37),
           "diffusers layout, fractional timestep, text_len 512 because no file says otherwise")
    m.case("dit-t2v-comfy", "t2v-48-comfy/t2v-48-comfy.safetensors", c512, w,
           inputs("dit-t2v-comfy", c512, (16, 5, 4, 6), 0.0, rows=511),
           "one file with Comfy's prefix and no config.json, heads by --set, timestep 0", settings={"heads": 3})
    c = Config(dim=66, heads=1, ffn=36, layers=1, text_dim=18, text_len=12, freq_dim=256)
    w = random_weights(c, "t2v-66", torch.float16)
    m.store("t2v-66-f16", c, w)
    m.case("dit-t2v-f16-weights", "t2v-66-f16", c, w, inputs("dit-t2v-66", c, (16, 2, 6, 6), 250.0, rows=12),
           "one head of 66, ffn 36, weights stored in f16")

    # Diffusion forcing with the fps branch, heads of 24.
    c = Config(dim=48, heads=2, ffn=40, layers=2, text_dim=16, text_len=14, fps=True, freq_dim=64)
    w = random_weights(c, "df-48", torch.bfloat16)
    m.store("df-48", c, w, forcing=True)
    m.store("df-48-diffusers", c, w, forcing=True, layout="diffusers")
    c512 = Config(**{**c.__dict__, "text_len": 512})
    t5 = [0.0, 20.0, 727.0, 959.0, 999.0]
    for index in (0, 1):
        m.case(f"dit-df-fps{index}", "df-48", c, w,
               inputs(f"dit-df-{index}", c, (16, 5, 4, 6), t5, fps=torch.tensor(float(index))),
               f"one timestep per latent frame, fps index {index}")
    m.case("dit-df-scalar", "df-48", c, w, inputs("dit-df-scalar", c, (16, 3, 4, 4), 500.0, fps=torch.tensor(1.0)),
           "the fps branch with one timestep for all frames")
    m.case("dit-df-diffusers-causal-2", "df-48-diffusers", c512, w,
           inputs("dit-df-causal2", c512, (16, 6, 4, 6), [0.0, 0.0, 300.5, 300.5, 999.0, 999.0], fps=torch.tensor(1.0)),
           "blocks of two frames, diffusers layout", settings={"causal_block": 2}, causal=2)
    m.case("dit-df-causal-1", "df-48", c, w,
           inputs("dit-df-causal1", c, (16, 4, 6, 4), [0.0, 216.0, 669.0, 999.0], fps=torch.tensor(0.0)),
           "blocks of one frame", settings={"causal_block": 1}, causal=1)
    m.case("dit-df-causal-3", "df-48", c, w,
           inputs("dit-df-causal3", c, (16, 6, 4, 6), [10.0] * 3 + [999.0] * 3, fps=torch.tensor(0.0)),
           "blocks of three frames", settings={"causal_block": 3}, causal=3)

    # One timestep per token, as the 5B model has: Cin = Cout = 48.
    c = Config(dim=48, heads=2, ffn=40, layers=1, text_dim=16, text_len=14, in_channels=48, out_channels=48)
    w = random_weights(c, "ti2v-48", torch.bfloat16)
    m.store("ti2v-48", c, w, model_type="ti2v")
    shape = (48, 3, 4, 10)
    t = torch.full((30,), 824.0)
    t[:10] = 0
    m.case("dit-ti2v-tokens", "ti2v-48", c, w, inputs("dit-ti2v", c, shape, t), "one timestep per token, the first frame's 0")
    m.case("dit-ti2v-scalar", "ti2v-48", c, w, inputs("dit-ti2v-s", c, (48, 2, 6, 4), 824.0), "48 channels, one timestep")
    t = uniform("dit-ti2v-mixed/t", (30,), 499.0) + 500
    m.case("dit-ti2v-mixed", "ti2v-48", c, w, inputs("dit-ti2v-m", c, shape, t), "a different timestep for every token")

    # Image to video with the CLIP branch, first-last-frame, and the 2.2 form without CLIP.
    c = Config(dim=48, heads=1, ffn=40, layers=2, text_dim=16, in_channels=36, clip_dim=40, freq_dim=32)
    w = random_weights(c, "i2v-48", torch.bfloat16)
    m.store("i2v-48", c, w, model_type="i2v")
    m.store("i2v-48-diffusers", c, w, layout="diffusers")
    c_short = Config(**{**c.__dict__, "text_len": 16})
    write_json(m.f.weights("i2v-48") / "config.json", _config_json(c_short, "i2v"))

    def image(seed, rows, shape, width=40):
        return {"clip": normal(seed + "/clip", (rows, width)), "condition": normal(seed + "/condition", (20, *shape[1:]))}

    shape = (16, 3, 4, 6)
    m.case("dit-i2v", "i2v-48", c_short, w, inputs("dit-i2v", c_short, shape, 941.0, **image("dit-i2v", 257, shape)),
           "CLIP 257 and 20 condition channels, one head of 48, text_len 16")
    m.case("dit-i2v-diffusers", "i2v-48-diffusers", c, w,
           inputs("dit-i2v-d", c, shape, 92.0, rows=60, **image("dit-i2v-d", 257, shape)), "the same in the diffusers layout")
    c = Config(dim=48, heads=3, ffn=40, layers=1, text_dim=16, in_channels=36, clip_dim=32, clip_positions=514, freq_dim=32)
    w = random_weights(c, "flf2v-48", torch.bfloat16)
    m.store("flf2v-48", c, w, model_type="flf2v")
    m.store("flf2v-48-diffusers", c, w, layout="diffusers")
    c_short = Config(**{**c.__dict__, "text_len": 16})
    write_json(m.f.weights("flf2v-48") / "config.json", _config_json(c_short, "flf2v"))
    shape = (16, 2, 6, 4)
    m.case("dit-flf2v", "flf2v-48", c_short, w,
           inputs("dit-flf2v", c_short, shape, 985.0, **image("dit-flf2v", 514, shape, 32)), "CLIP 514 with position table")
    m.case("dit-flf2v-diffusers", "flf2v-48-diffusers", c, w,
           inputs("dit-flf2v-d", c, shape, 985.0, **image("dit-flf2v-d", 514, shape, 32)), "the same, diffusers layout")
    c = Config(dim=48, heads=2, ffn=64, layers=1, text_dim=16, text_len=16, in_channels=36, freq_dim=32)
    w = random_weights(c, "i2v-22-48", torch.bfloat16)
    m.store("i2v-22-48", c, w, model_type="i2v")
    shape = (16, 3, 6, 6)
    condition = {"condition": normal("dit-i2v-22/condition", (20, *shape[1:]))}
    m.case("dit-i2v-22", "i2v-22-48", c, w, inputs("dit-i2v-22", c, shape, 902.0, **condition), "condition without CLIP")


def _precisions(m: Maker):
    """The two cast policies. Weights are stored in f32, so that what is rounded and what is not can be seen."""
    c = Config(dim=48, heads=2, ffn=64, layers=2, text_dim=24, text_len=24, freq_dim=64)
    w = random_weights(c, "bf16-t2v")
    m.store("bf16-t2v", c, w)
    ci = Config(dim=40, heads=2, ffn=48, layers=2, text_dim=24, in_channels=36, clip_dim=36, freq_dim=64)
    wi = random_weights(ci, "bf16-i2v")
    m.store("bf16-i2v", ci, wi, model_type="i2v")
    cd = Config(dim=40, heads=1, ffn=48, layers=2, text_dim=24, text_len=24, fps=True, freq_dim=64)
    wd = random_weights(cd, "bf16-df")
    m.store("bf16-df", cd, wd, forcing=True)
    for precision in ("wan", "skyreels"):
        keep = dict(dtype="bf16", precision=precision, tol=2e-2)
        seed = f"dit-bf16-{precision}"
        x = {"latent": normal(seed + "/t2v", (16, 3, 6, 10)), "timestep": torch.tensor(959.0), "text": _text(seed, c, 15)}
        m.case(f"{seed}-t2v", "bf16-t2v", c, w, x, f"cast points of {precision}", **keep)
        shape = (16, 3, 4, 6)
        x = {"latent": normal(seed + "/i2v", shape), "timestep": torch.tensor(727.0), "text": _text(seed + "i", ci, 30),
             "clip": normal(seed + "/clip", (257, 36)), "condition": normal(seed + "/condition", (20, *shape[1:]))}
        m.case(f"{seed}-i2v", "bf16-i2v", ci, wi, x, f"cast points of {precision}, CLIP branch", **keep)
        x = {"latent": normal(seed + "/df", (16, 4, 4, 6)), "timestep": torch.tensor([0.0, 500.0, 888.0, 999.0]),
             "text": _text(seed + "d", cd, 20), "fps": torch.tensor(1.0)}
        m.case(f"{seed}-df", "bf16-df", cd, wd, x, f"cast points of {precision}, a timestep per frame, fps", **keep)


def make(fixtures: Fixtures):
    maker = Maker(fixtures)
    _golden(maker)
    _variants(maker)
    _precisions(maker)
