# SPDX-License-Identifier: Apache-2.0
"""The cases wan-transformer: golden vectors of spec dit.md 11, then layouts, conditionings, shapes of timesteps and precisions."""

from dataclasses import replace

import torch

from . import models, names, oracles, quanto
from .files import Fixtures, agree, relative_error, write_json, write_safetensors
from .transformer import Config, Transformer, shapes
from .values import normal, numbered_values, uniform
from .weights import transformer_config, transformer_diffusers_config, transformer_weights

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


def _text(seed: str, c: Config, rows: int) -> torch.Tensor:
    text = torch.zeros(c.text_len, c.text_dim)
    text[:rows] = normal(seed + "/text", (rows, c.text_dim), 0.6)
    return text


class Maker:
    def __init__(self, fixtures: Fixtures):
        self.f = fixtures

    def store(
        self,
        name: str,
        c: Config,
        weights: dict,
        model_type="t2v",
        layout="original",
        forcing=False,
        prefix="",
        single=False,
    ):
        folder = self.f.weights(name)
        if layout == "diffusers":
            weights, config = names.transformer_to_diffusers(weights), transformer_diffusers_config(c, forcing)
        else:
            config = transformer_config(c, model_type)
        file = f"{name}.safetensors" if single else "diffusion_pytorch_model.safetensors"
        if not single and forcing and layout == "original":
            file = "model.safetensors"
        write_safetensors(folder / file, {prefix + k: v for k, v in weights.items()}, {"format": "pt"})
        if not single:
            write_json(folder / "config.json", config)

    def case(
        self, name, stored, c, weights, inputs, note, *, settings=None, dtype="f32", precision=None, tol=1e-4, causal=0
    ):
        """The expected values are our transformer's in float64; diffusers' must agree in float32."""
        args = {k: inputs.get(k) for k in ("clip", "condition")} | {
            "fps": int(inputs.get("fps", 1)),
            "causal_block": causal,
        }
        tensors = (inputs["latent"], inputs["timestep"], inputs["text"])
        widened = {k: v.float() for k, v in weights.items()}
        exact = Transformer(widened, c.heads, c.text_len).forward(*tensors, **args)
        want = Transformer(widened, c.heads, c.text_len, precision).forward(*tensors, **args) if precision else exact
        if causal != 1:  # diffusers has no mask for blocks of one frame
            # With CLIP its processors split the context 512 rows from the end, so ours is asked for 512 as well.
            long = replace(c, text_len=512) if c.clip_dim else c
            same = (
                exact if long.text_len == c.text_len else Transformer(widened, c.heads, 512).forward(*tensors, **args)
            )
            theirs = oracles.transformer(weights, long, *tensors, **args)
            note += f" (diffusers in f32: {agree(name, theirs, same, 2e-5):.0e})"
        if precision:
            note += f"; {precision} is {relative_error(want, exact):.1e} from f32"
        self.f.case(
            name,
            "wan-transformer",
            [stored],
            inputs,
            {"velocity": want},
            tol=tol,
            note=note,
            dtype=dtype,
            settings=settings,
            precision=precision,
        )


def _golden(m: Maker):
    base = dict(dim=32, heads=2, ffn=48, layers=2, out_channels=4, freq_dim=16, text_dim=10, text_len=6)
    # The golden CLIP width is the real 1280, which makes megabytes of projection weights: the numbers of the three
    # image cases are checked here and not stored.
    variants = {
        "t2v": dict(in_channels=4),
        "fps": dict(in_channels=4, fps=True),
        "i2v-22": dict(in_channels=12),
        "i2v": dict(in_channels=12, clip_dim=1280),
        "flf2v": dict(in_channels=12, clip_dim=1280, clip_positions=514),
    }

    def values(number, shape):
        count = int(torch.tensor(shape).prod())
        return torch.from_numpy(4 * numbered_values(number, count)).reshape(shape)

    def fill(c):
        out = {}
        for number, name in enumerate(sorted(shapes(c))):
            shape = shapes(c)[name]
            u = torch.from_numpy(0.5 * numbered_values(number, int(torch.tensor(shape).prod()))).reshape(shape)
            norm = ("norm" in name and name.endswith("weight")) or name in (
                "img_emb.proj.0.weight",
                "img_emb.proj.4.weight",
            )
            out[name] = u + 1 if norm else u
        return out

    text = torch.zeros(6, 10, dtype=torch.float64)
    text[:5] = values(901, (5, 10))
    x, y = values(900, (4, 3, 4, 6)), values(902, (8, 3, 4, 6))
    tokens = torch.tensor([0.0] * 6 + [500.0] * 12)
    frames = torch.tensor([0.0, 500.0, 999.0])
    at = torch.tensor(500.0)
    for case, (key, inputs, causal) in {
        "t2v": ("t2v", {"timestep": at}, 0),
        "tokens": ("t2v", {"timestep": tokens}, 0),
        "forcing": ("t2v", {"timestep": frames}, 0),
        "causal-1": ("t2v", {"timestep": frames}, 1),
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
            x, inputs["timestep"], text, inputs.get("clip"), inputs.get("condition"), int(inputs.get("fps", 1)), causal
        )
        first, a, b, total, absolute = GOLDEN[case]
        got = torch.tensor([*out.flatten()[:4], out[1, 1, 2, 3], out[3, 2, 3, 5]])
        assert (got - torch.tensor([*first, a, b])).abs().max() < 2e-6, (case, got)
        assert abs(out.sum() - total) < 2e-5 and abs(out.abs().sum() - absolute) < 2e-5, (
            case,
            out.sum(),
            out.abs().sum(),
        )
        if key in ("i2v", "flf2v", "i2v-22"):
            continue
        name = f"golden-{key}"
        if not m.f.weights(name).exists():
            m.store(
                name,
                c,
                {k: v.float() for k, v in weights.items()},
                forcing=key == "fps",
                model_type="i2v" if "i2v" in key else "t2v",
            )
        m.f.case(
            f"dit-golden-{case}",
            "wan-transformer",
            [name],
            {k: v.float() for k, v in inputs.items()},
            {"velocity": out},
            tol=1e-4,
            note="golden vector of the specification, heads 2 from config.json, text_len 6",
            settings={"causal_block": causal} if causal else None,
        )


def _inputs(seed, c, shape, timestep, rows=9, **more):
    return {
        "latent": normal(seed + "/latent", shape),
        "timestep": torch.as_tensor(timestep, dtype=torch.float32),
        "text": _text(seed, c, rows),
    } | more


def _text_to_video(m: Maker):
    # Odd latent shapes; head size 22 is 11 pairs, five for time and three for each side.
    c = Config(dim=44, heads=2, ffn=52, layers=1, text_dim=24, text_len=20, freq_dim=32)
    w = transformer_weights(c, "t2v-44", torch.float16)
    m.store("t2v-44", c, w)
    m.case(
        "dit-t2v",
        "t2v-44",
        c,
        w,
        _inputs("dit-t2v", c, (16, 3, 6, 10), 999.0),
        "original layout, stored in f16, two heads of 22",
    )
    m.case(
        "dit-t2v-one-frame",
        "t2v-44",
        c,
        w,
        _inputs("dit-t2v-one", c, (16, 1, 2, 14), 17.0),
        "one latent frame, one row of patches",
    )
    m.case(
        "dit-t2v-long",
        "t2v-44",
        c,
        w,
        _inputs("dit-t2v-long", c, (16, 5, 6, 18), 888.0, rows=20),
        "135 tokens: more than one tile of attention, every text row used",
    )
    # The transformers of the whole models, stored in bf16.
    model = models.T2V
    c, w = model.config, model.weights()
    m.case(
        "dit-t2v-bf16-weights",
        f"{model.folder}/{model.file}",
        c,
        w,
        _inputs("dit-t2v-48", c, (16, 3, 4, 10), 727.0, rows=3),
        "three heads of 16, one file with the model's config.json beside it",
    )
    c = models.T2V_DIFFUSERS.config
    m.case(
        "dit-t2v-fractional",
        f"{models.T2V_DIFFUSERS.folder}/transformer",
        c,
        w,
        _inputs("dit-t2v-frac", c, (16, 2, 8, 6), 467.25, rows=37),
        "diffusers layout, fractional timestep, text_len 512 because no file says otherwise",
    )


def _forcing(m: Maker):
    model = models.DF  # two heads of 24, fps branch
    c, w, stored = model.config, model.weights(), f"{model.folder}/{model.file}"
    t5 = [0.0, 20.0, 727.0, 959.0, 999.0]
    for index in (0, 1):
        m.case(
            f"dit-df-fps{index}",
            stored,
            c,
            w,
            _inputs(f"dit-df-{index}", c, (16, 5, 4, 6), t5, fps=torch.tensor(float(index))),
            f"one timestep per latent frame, fps index {index}",
        )
    m.case(
        "dit-df-scalar",
        stored,
        c,
        w,
        _inputs("dit-df-scalar", c, (16, 3, 4, 4), 500.0, fps=torch.tensor(1.0)),
        "the fps branch with one timestep for all frames",
    )
    m.case(
        "dit-df-causal-1",
        stored,
        c,
        w,
        _inputs("dit-df-causal1", c, (16, 4, 6, 4), [0.0, 216.0, 669.0, 999.0], fps=torch.tensor(0.0)),
        "blocks of one frame",
        settings={"causal_block": 1},
        causal=1,
    )
    m.case(
        "dit-df-causal-3",
        stored,
        c,
        w,
        _inputs("dit-df-causal3", c, (16, 6, 4, 6), [10.0] * 3 + [999.0] * 3, fps=torch.tensor(0.0)),
        "blocks of three frames",
        settings={"causal_block": 3},
        causal=3,
    )
    c = replace(c, text_len=512, layers=1)
    w = transformer_weights(c, "df-48-diffusers", torch.bfloat16)
    m.store("df-48-diffusers", c, w, forcing=True, layout="diffusers")
    m.case(
        "dit-df-diffusers-causal-2",
        "df-48-diffusers",
        c,
        w,
        _inputs("dit-df-causal2", c, (16, 6, 4, 6), [0.0, 0.0, 300.5, 300.5, 999.0, 999.0], fps=torch.tensor(1.0)),
        "blocks of two frames, diffusers layout",
        settings={"causal_block": 2},
        causal=2,
    )


def _per_token(m: Maker):
    """One timestep per token, as the 5B model has: Cin = Cout = 48."""
    c = Config(dim=48, heads=2, ffn=40, layers=1, text_dim=16, text_len=14, in_channels=48, out_channels=48)
    w = transformer_weights(c, "ti2v-48", torch.bfloat16)
    m.store("ti2v-48", c, w, model_type="ti2v")
    shape = (48, 3, 4, 10)
    t = torch.full((30,), 824.0)
    t[:10] = 0
    m.case(
        "dit-ti2v-tokens",
        "ti2v-48",
        c,
        w,
        _inputs("dit-ti2v", c, shape, t),
        "one timestep per token, the first frame's 0",
    )
    m.case(
        "dit-ti2v-scalar", "ti2v-48", c, w, _inputs("dit-ti2v-s", c, (48, 2, 6, 4), 824.0), "48 channels, one timestep"
    )
    t = uniform("dit-ti2v-mixed/t", (30,), 499.0) + 500
    m.case(
        "dit-ti2v-mixed", "ti2v-48", c, w, _inputs("dit-ti2v-m", c, shape, t), "a different timestep for every token"
    )


def _image_to_video(m: Maker):
    """The CLIP branch, first and last frame, and the 2.2 form without CLIP."""

    def image(seed, rows, shape):
        return {"clip": normal(seed + "/clip", (rows, 80)), "condition": normal(seed + "/condition", (20, *shape[1:]))}

    for name, model, rows, shape, t in (
        ("i2v", models.I2V, 257, (16, 3, 4, 6), 941.0),
        ("flf2v", models.FLF2V, 514, (16, 2, 6, 4), 985.0),
    ):
        c, w = model.config, model.weights()
        m.case(
            f"dit-{name}",
            f"{model.folder}/{model.file}",
            c,
            w,
            _inputs(f"dit-{name}", c, shape, t, rows=30, **image(f"dit-{name}", rows, shape)),
            f"CLIP {rows} and 20 condition channels, text_len 40",
        )
    model = models.I2V
    c = replace(model.config, text_len=512, layers=1)
    w = transformer_weights(c, "i2v-48-diffusers", torch.bfloat16)
    m.store("i2v-48-diffusers", c, w, layout="diffusers")
    m.case(
        "dit-i2v-diffusers",
        "i2v-48-diffusers",
        c,
        w,
        _inputs("dit-i2v-d", c, shape, 92.0, rows=60, **image("dit-i2v-d", 257, shape)),
        "the diffusers layout, text_len 512",
    )
    c = Config(dim=48, heads=2, ffn=40, layers=1, text_dim=16, in_channels=36, freq_dim=32)
    w = transformer_weights(c, "i2v-22-48", torch.bfloat16)
    m.store("i2v-22-48", c, w, prefix="model.diffusion_model.", single=True)
    shape = (16, 3, 6, 6)
    condition = {"condition": normal("dit-i2v-22/condition", (20, *shape[1:]))}
    m.case(
        "dit-i2v-22-comfy",
        "i2v-22-48/i2v-22-48.safetensors",
        c,
        w,
        _inputs("dit-i2v-22", c, shape, 902.0, rows=511, **condition),
        "condition without CLIP; one file with Comfy's prefix and no config.json, heads by --set, text_len 512",
        settings={"heads": 2},
    )


def _precisions(m: Maker):
    """The two policies of casts. The first weights are stored in f32, so that rounding them makes a difference."""
    c = Config(dim=32, heads=1, ffn=48, layers=2, text_dim=24, text_len=24, freq_dim=64)
    w = transformer_weights(c, "bf16-t2v")
    m.store("bf16-t2v", c, w)
    i2v, df = models.I2V, models.DF
    for precision in ("wan", "skyreels"):
        keep = dict(dtype="bf16", precision=precision, tol=2e-2)
        seed, note = f"dit-bf16-{precision}", f"cast points of {precision}"
        m.case(f"{seed}-t2v", "bf16-t2v", c, w, _inputs(seed + "t", c, (16, 3, 6, 10), 959.0, rows=15), note, **keep)
        shape = (16, 2, 4, 6)
        image = {"clip": normal(seed + "/clip", (257, 80)), "condition": normal(seed + "/condition", (20, *shape[1:]))}
        m.case(
            f"{seed}-i2v",
            f"{i2v.folder}/{i2v.file}",
            i2v.config,
            i2v.weights(),
            _inputs(seed + "i", i2v.config, shape, 727.0, rows=30, **image),
            f"{note}, CLIP branch",
            **keep,
        )
        m.case(
            f"{seed}-df",
            f"{df.folder}/{df.file}",
            df.config,
            df.weights(),
            _inputs(seed + "d", df.config, (16, 4, 4, 6), [0.0, 500.0, 888.0, 999.0], fps=torch.tensor(1.0)),
            f"{note}, a timestep per frame, fps",
            **keep,
        )


def _quanto(m: Maker):
    """A file as Wan2GP makes it: the linear layers of the blocks in 8 bits, everything else unchanged."""
    c = Config(dim=24, heads=2, ffn=36, layers=1, text_dim=16, text_len=20, freq_dim=16)
    w = transformer_weights(c, "t2v-24-quanto", torch.bfloat16)
    linears = [k for k, v in w.items() if k.startswith("blocks.") and v.dim() == 2]
    stored, values = quanto.quantised(w, linears)
    file = "wan2.1_text2video_quanto_mbf16_int8.safetensors"
    write_safetensors(m.f.weights("t2v-24-quanto") / file, stored, quanto.metadata(linears))
    write_json(m.f.weights("t2v-24-quanto") / "config.json", transformer_config(c, "t2v"))
    place, inputs = f"t2v-24-quanto/{file}", _inputs("dit-t2v-quanto", c, (16, 2, 6, 10), 640.0)
    note = "optimum-quanto's int8"
    m.case("dit-t2v-quanto", place, c, values, inputs, note)
    m.case("dit-bf16-wan-t2v-quanto", place, c, values, inputs, note, dtype="bf16", precision="wan", tol=2e-2)


def make(fixtures: Fixtures):
    maker = Maker(fixtures)
    _golden(maker)
    for part in (_text_to_video, _forcing, _per_token, _image_to_video, _precisions, _quanto):
        part(maker)
