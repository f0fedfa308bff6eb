# SPDX-License-Identifier: Apache-2.0
"""The cases wan-vae-encode, wan-vae-decode, umt5 and clip-vision."""

import torch

from . import clip, models, names, oracles, quanto, umt5, vae, vae22
from .files import Fixtures, agree, write_json, write_pth, write_safetensors
from .values import named_values, normal, uniform
from .weights import clip_config, clip_weights, textual_half, transformer_config, umt5_config, umt5_weights, vae_config


def golden_fill(shapes: dict, strip: str = "") -> dict:
    """Weights by the fill rules of vae21.md 6, umt5.md 6 and clip.md 5, rounded to float32."""
    out = {}
    for full, shape in shapes.items():
        name = full.removeprefix(strip)
        count = int(torch.tensor(shape).prod())
        v = torch.from_numpy(named_values(name, count)).reshape(shape)
        if name.endswith("gamma") or ("norm" in name and name.endswith("weight")):
            v = 1 + 0.1 * v
        elif name.endswith("bias"):
            v = 0.1 * v
        elif not ("embedding" in name and "patch" not in name):
            v = v * (3 / float(torch.tensor(shape[1:]).prod())) ** 0.5
        out[full] = v.float()
    return out


def _close(got, want, limit, what):
    error = (got.double() - torch.tensor(want, dtype=torch.float64)).abs().max().item()
    assert error < limit, (what, error)


# --------------------------------------------------------------------------------------------------------------- VAE


def _vae_case(f: Fixtures, kind: str, name: str, stored: str, weights: dict, sizes, mean, std, shape, note):
    """`sizes`: base width and latent channels; for Wan 2.2's VAE with the decoder's base width between them. `shape`: that of the video
    (encode) or the latent (decode)."""
    network, oracle = (vae22.Vae22, oracles.vae22) if len(sizes) == 3 else (vae.Vae, oracles.vae)
    ours = network({k: v.float() for k, v in weights.items()}, mean, std)
    theirs = oracle(weights, *sizes, mean, std)
    if kind == "encode":
        video = uniform(name + "/video", shape)
        latent, raw = ours.encode(video)
        error = agree(name, oracles.vae_encode_mean(theirs, video), raw, 2e-5)
        inputs, expect, module = {"video": video}, {"latent": latent, "mean": raw}, "wan-vae-encode"
    else:
        x = normal(name + "/latent", shape)
        video = ours.decode(x)
        error = agree(name, oracles.vae_decode(theirs, x, mean, std), video, 2e-5)
        clamped = float((video.abs() == 1).double().mean())
        note += f", {100 * clamped:.0f} % of the values clamped"
        inputs, expect, module = {"latent": x}, {"video": video}, "wan-vae-decode"
    f.case(name, module, [stored], inputs, expect, tol=1e-4, note=f"{note} (diffusers in f32: {error:.0e})")


def _vae_golden(f: Fixtures):
    weights, mean, std = golden_fill(vae.shapes(4, 2)), [0.5, -0.25], [2.0, 0.5]
    write_safetensors(f.weights("golden-vae") / "Wan2.1_VAE.safetensors", weights)
    write_json(f.weights("golden-vae") / "config.json", vae_config(4, 2, mean, std))
    assert (
        abs(weights["encoder.head.0.gamma"].flatten()[:4] - torch.tensor([0.9743, 0.9870, 1.0711, 0.9799])).max() < 5e-5
    )
    video = torch.from_numpy(named_values("input", 3 * 9 * 16 * 24)).float().reshape(3, 9, 16, 24)
    model = vae.Vae(weights, mean, std)
    latent, raw = model.encode(video)
    _close(latent.flatten()[:6], [-0.287559, -0.155897, -0.308092, -0.131620, 0.010587, -0.219169], 1e-5, "latent")
    _close(latent.flatten()[-6:], [0.726335, 1.498052, 0.485489, 0.700430, 0.764947, 0.576433], 1e-5, "latent")
    free = model.decode(latent, clamp=False)
    _close(free.sum(), -2305.917574, 1e-2, "decode sum")
    _close(free.abs().sum(), 4009.585246, 1e-2, "decode absolute sum")
    _close(free.flatten()[:6], [-0.041952, -0.051548, 0.145901, -0.046696, 0.044134, -0.012341], 1e-5, "decode")
    _close(
        free.sum(dim=(0, 2, 3)),
        [
            -36.504052,
            -86.142989,
            -397.711708,
            -390.627756,
            -232.916422,
            -279.582604,
            -337.413517,
            -324.309964,
            -220.708562,
        ],
        2e-3,
        "frames",
    )
    _close(
        free[0, :, 0, 0],
        [-0.041952, 0.457139, 0.318029, -0.819947, -0.076361, 0.322675, -0.195647, -0.142102, -0.304792],
        1e-5,
        "corner",
    )
    stored = "golden-vae/Wan2.1_VAE.safetensors"
    f.case(
        "vae-golden-encode",
        "wan-vae-encode",
        [stored],
        {"video": video},
        {"latent": latent, "mean": raw},
        tol=1e-4,
        note="golden of the specification, config.json beside the file, z = 2",
    )
    f.case(
        "vae-golden-decode",
        "wan-vae-decode",
        [stored],
        {"latent": latent.float()},
        {"video": model.decode(latent.float())},
        tol=1e-4,
        note="golden of the specification, clamped",
    )


def make_vae(f: Fixtures):
    _vae_golden(f)
    w = models.vae_weights()
    pth, diff = f"{models.T2V.folder}/{models.VAE_FILE}", f"{models.T2V_DIFFUSERS.folder}/vae"
    for kind, name, stored, shape, note in (
        ("encode", "pth-1f", pth, (3, 1, 16, 24), "original .pth, one frame"),
        ("encode", "pth-17f", pth, (3, 17, 16, 8), "original .pth, 17 frames, one column"),
        ("encode", "diff-5f", diff, (3, 5, 24, 16), "diffusers names"),
        ("encode", "diff-6f", diff, (3, 6, 16, 32), "six frames: the last is ignored"),
        ("encode", "pth-9f", pth, (3, 9, 24, 16), "nine frames"),
        ("decode", "pth-1f", pth, (16, 1, 3, 2), "original .pth, one latent frame"),
        ("decode", "pth-17f", pth, (16, 5, 2, 3), "original .pth, five latent frames"),
        ("decode", "diff-5f", diff, (16, 2, 3, 3), "diffusers names, two latent frames"),
        ("decode", "diff-9f", diff, (16, 3, 2, 3), "diffusers names, three latent frames"),
    ):
        _vae_case(f, kind, f"vae-{kind}-{name}", stored, w, (2, 16), vae.MEAN, vae.STD, shape, note)

    w = models.vae22_weights()
    pth, diff = f"{models.TI2V.folder}/{models.VAE22_FILE}", f"{models.TI2V_DIFFUSERS.folder}/vae"
    for kind, name, stored, shape, note in (
        ("encode", "pth-1f", pth, (3, 1, 32, 48), "original .pth, one frame"),
        ("encode", "diff-9f", diff, (3, 9, 48, 32), "diffusers names, nine frames"),
        ("decode", "pth-9f", pth, (48, 3, 3, 2), "original .pth, three latent frames"),
        ("decode", "diff-1f", diff, (48, 1, 2, 3), "diffusers names, one latent frame"),
        ("decode", "diff-13f", diff, (48, 4, 1, 2), "diffusers names, four latent frames"),
    ):
        _vae_case(f, kind, f"vae22-{kind}-{name}", stored, w, models.VAE22_SIZES, vae22.MEAN, vae22.STD, shape, note)


# -------------------------------------------------------------------------------------------------------------- UMT5


def _umt5_case(f, name, stored, weights, tokens, text_len, note):
    tokens = torch.as_tensor(tokens, dtype=torch.int64)
    want = umt5.padded({k: v.float() for k, v in weights.items()}, tokens, text_len)
    error = agree(name, oracles.umt5(weights, tokens), want[: len(tokens)], 2e-5)
    f.case(
        name,
        "umt5",
        [stored],
        {"tokens": tokens},
        {"text": want},
        tol=1e-4,
        note=f"{note} (transformers in f32: {error:.0e})",
    )


def _tokens(name: str, count: int, vocabulary: int) -> list:
    """Token ids from 3 on, with the end token last."""
    values = named_values(name, count - 1) * 0.5 + 0.5
    return [3 + int(v * (vocabulary - 3)) for v in values] + [1]


def make_umt5(f: Fixtures):
    w = golden_fill(umt5.shapes(40, 16, 16, 24, 2, 2))
    write_safetensors(f.weights("golden-umt5") / "model.safetensors", names.umt5_to_hf(w))
    write_json(f.weights("golden-umt5") / "config.json", {"model_type": "umt5", "num_heads": 2, "text_len": 128})
    ids = torch.tensor([(7 * i + 3) % 37 + 3 for i in range(119)] + [1])
    text = umt5.encode(w, ids)
    _close(text.sum(), -144.373465, 1e-5, "umt5 sum")
    _close(text.abs().sum(), 1569.839786, 1e-5, "umt5 absolute sum")
    _close(text[0, :4], [1.520791, -0.688003, 0.259132, 1.231657], 1e-6, "umt5 row 0")
    _close(text[119, -4:], [-0.846288, -0.187130, -1.804199, -0.099527], 1e-6, "umt5 row 119")
    short = umt5.encode(w, torch.tensor([5, 9, 14, 22, 1]))
    _close(short.sum(), 1.348740, 1e-6, "umt5 short sum")
    _umt5_case(
        f, "umt5-golden-120", "golden-umt5", w, ids, 128, "golden of the specification, text_len 128 from config.json"
    )
    _umt5_case(f, "umt5-golden-5", "golden-umt5", w, [5, 9, 14, 22, 1], 128, "golden of the specification, five tokens")

    w, vocabulary = models.text_weights(), models.TEXT_SIZES[0]
    write_pth(f.weights("umt5-pth") / models.TEXT_FILE, w)
    for name, count, note in (
        ("1", 1, "the empty prompt: the end token alone"),
        ("17", 17, "attention width 40, model 24"),
        ("300", 300, "beyond the farthest bucket"),
        ("512", 512, "the full length"),
    ):
        _umt5_case(
            f,
            f"umt5-pth-{name}",
            f"umt5-pth/{models.TEXT_FILE}",
            w,
            _tokens(f"umt5-pth-{name}", count, vocabulary),
            512,
            f"original .pth, {note}",
        )
    _umt5_case(
        f,
        "umt5-pth-40",
        f"{models.T2V.folder}/{models.TEXT_FILE}",
        w,
        _tokens("umt5-pth-40", 40, vocabulary),
        40,
        "original .pth in a model folder: text_len 40 of its config.json",
    )

    w = umt5_weights("umt5-hf", 96, 32, 16, 40, 4, 3, dtype=torch.float16)
    hf = names.umt5_to_hf(w)
    config = umt5_config(96, 32, 16, 40, 4, 3)
    write_safetensors(f.weights("umt5-hf-shared") / "model.safetensors", hf, {"format": "pt"})
    write_json(f.weights("umt5-hf-shared") / "config.json", config)
    hf = {("encoder.embed_tokens.weight" if k == "shared.weight" else k): v for k, v in hf.items()}
    write_safetensors(f.weights("umt5-hf-embed") / "model.safetensors", hf, {"format": "pt"})
    write_json(f.weights("umt5-hf-embed") / "config.json", config | {"text_len": 150})
    _umt5_case(
        f,
        "umt5-hf-shared",
        "umt5-hf-shared",
        w,
        _tokens("umt5-hf-shared", 33, 96),
        512,
        "HF names, shared.weight, attention narrower than the model",
    )
    _umt5_case(
        f,
        "umt5-hf-embed",
        "umt5-hf-embed",
        w,
        _tokens("umt5-hf-embed", 140, 96),
        150,
        "HF names, encoder.embed_tokens.weight, text_len 150 from config.json",
    )

    w = umt5_weights("umt5-quanto", 64, 16, 16, 24, 2, 2)
    linears = [k for k, v in w.items() if v.dim() == 2]  # mmgp quantises the tables as well
    stored, values = quanto.quantised(w, linears)
    file = "models_t5_umt5-xxl-enc-quanto_int8.safetensors"
    write_safetensors(f.weights("umt5-quanto") / file, stored, quanto.metadata(linears))
    tokens = _tokens("umt5-quanto", 21, 64)
    _umt5_case(f, "umt5-quanto", f"umt5-quanto/{file}", values, tokens, 512, "optimum-quanto's int8, tables and all")


# -------------------------------------------------------------------------------------------------------------- CLIP


def make_clip(f: Fixtures):
    w = golden_fill(clip.shapes(16, 64, 3, image=28), strip="visual.")
    image = torch.from_numpy(named_values("input", 3 * 28 * 28)).float().reshape(3, 28, 28)
    out = clip.encode(w, 2, image)
    _close(out.sum(), -1.392987, 1e-5, "clip sum")
    _close(out.abs().sum(), 116.147008, 1e-5, "clip absolute sum")
    _close(
        out[:, :4].flatten(),
        [
            0.913022,
            2.608049,
            2.091535,
            0.150240,
            -0.511218,
            -2.618194,
            -0.332477,
            1.634607,
            2.172600,
            0.771130,
            0.427394,
            -0.561394,
            0.214719,
            0.723619,
            -1.490661,
            1.952374,
            -1.111025,
            1.863362,
            1.153075,
            -0.168697,
        ],
        1e-6,
        "clip rows",
    )
    write_safetensors(f.weights("golden-clip") / "model.safetensors", w)
    f.case(
        "clip-golden",
        "clip-vision",
        ["golden-clip/model.safetensors"],
        {"image": image},
        {"features": out},
        tol=1e-4,
        note="golden of the specification: an image of 28 pixels, two heads by --set",
        settings={"heads": 2},
    )

    def case(name, stored, weights, heads, side, note, settings=None):
        image = normal(name + "/image", (3, side, side))
        want = clip.encode({k: v.float() for k, v in weights.items()}, heads, image)
        error = agree(name, oracles.clip(weights, heads, image), want, 2e-5)
        f.case(
            name,
            "clip-vision",
            [stored],
            {"image": image},
            {"features": want},
            tol=1e-4,
            note=f"{note} (transformers in f32: {error:.0e})",
            settings=settings,
        )

    # These towers take small images, which follows from the position table. Towers for 224 pixels are in the whole models.
    w = clip_weights("clip-hf", 36, 48, 3, image=56)
    write_safetensors(
        f.weights("clip-hf") / "model.safetensors", names.clip_to_hf(w, position_ids=True), {"format": "pt"}
    )
    write_json(f.weights("clip-hf") / "config.json", clip_config(36, 48, 3, 3, image=56))
    case("clip-hf", "clip-hf", w, 3, 56, "HF names, three heads of 12 from config.json, position_ids present")
    w = clip_weights("clip-pth", 80, 24, 3, image=70)
    write_pth(f.weights("clip-pth") / models.CLIP_FILE, w | textual_half("clip-pth"))
    write_json(f.weights("clip-pth") / "config.json", transformer_config(models.I2V.config, "i2v"))
    case(
        "clip-pth",
        f"clip-pth/{models.CLIP_FILE}",
        w,
        1,
        70,
        "original .pth with a textual half; the config.json beside it tells the transformer's heads, not the tower's",
    )
    w = clip_weights("clip-open", 40, 24, 3, dtype=torch.float16, image=42)
    write_safetensors(
        f.weights("clip-open") / "open_clip.safetensors",
        names.clip_to_open_clip(w) | {"logit_scale": torch.tensor(4.6)},
    )
    case("clip-open", "clip-open/open_clip.safetensors", w, 4, 42, "open_clip names, four heads by --set", {"heads": 4})


def make(fixtures: Fixtures):
    make_vae(fixtures)
    make_umt5(fixtures)
    make_clip(fixtures)
