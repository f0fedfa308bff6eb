# SPDX-License-Identifier: Apache-2.0
"""Reads and writes the model folder: averaged weights in bf16 by their original names, and config.json."""

import json
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

import files
import latent as latents
import start
import vae
from optim import load
from transformer import Sizes, TextEncoder, Transformer

TRANSFORMER, VAE, TEXT = "model.safetensors", "Wan2.1_VAE.safetensors", "models_t5_umt5-xxl-enc.safetensors"
LIMIT = 24 * 2**20
DEFAULTS = {"width": 256, "height": 144, "frames": 33, "fps": 16, "steps": 20, "guidance": 2.5, "shift": 3.0, "negative_prompt": ""}


def read(path: Path):
    try:
        with safe_open(path, "pt") as f:
            return {k: f.get_tensor(k).float() for k in f.keys()}, f.metadata() or {}
    except SafetensorError as error:
        raise files.damaged(path, error) from None


def checkpoints(work: Path, plan: str | None = None) -> dict[str, Path]:
    """Which parts ("transformer", "decoder", "encoder") have a checkpoint. `plan` names the transformer's, which must be there; if it is None,
    that of the CPU plan is taken, if there is one."""
    path = work / f"transformer-{plan or 'cpu'}.pt"
    if plan and not path.exists():
        raise SystemExit(f"{path} is missing: `train transformer --plan {plan}` writes it")
    found = {p: f for p, f in (("transformer", path), *((p, work / f"vae-{p}.pt") for p in ("decoder", "encoder"))) if f.exists()}
    if not found:
        raise SystemExit(f"no checkpoint in {work}: `train` writes them")
    return found


def read_transformer(model: Path, sizes: Sizes):
    """The exported transformer and text encoder; None if there are none of these sizes."""
    if not (model / TRANSFORMER).exists() or not (model / TEXT).exists():
        return None
    tensors, about = read(model / TRANSFORMER)
    if about.get("sizes") != json.dumps(asdict(sizes)):
        return None
    return {"transformer": tensors, "text": read(model / TEXT)[0], "done": json.loads(about["done"]), "plan": about.get("plan", "cpu")}


def read_vae(model: Path):
    """The exported VAE and how far its parts were trained; None if there is none."""
    if not (model / VAE).exists():
        return None
    tensors, about = read(model / VAE)
    return {"vae": tensors, "done": json.loads(about.get("done", "{}"))}


def _behind(what: str, checkpoint: dict, exported: dict) -> str:
    """A line for the user if the exported weights have seen more steps than the checkpoint and so are not replaced."""
    if checkpoint["step"] >= exported.get("step", 0):
        return ""
    return f"{what} left as it is: exported after step {exported['step']}, further along than the checkpoint's {checkpoint['step']}"


def put_average(module: torch.nn.Module, state: dict, offset: int):
    """Copies the running mean, a list in the order of parameters, from `offset` on into `module`; returns where the next module's begins."""
    params = list(module.parameters())
    with torch.no_grad():
        for p, mean in zip(params, state["average"][offset:]):
            p.copy_(mean)
    return offset + len(params)


def config(sizes: Sizes, latent: latents.Latent) -> dict:
    return {
        "_class_name": "WanModel", "family": "skyreels-df", "model_type": "t2v", "dim": sizes.dim, "ffn_dim": sizes.ffn, "freq_dim": sizes.freq_dim,
        "in_dim": sizes.z, "out_dim": sizes.z, "num_heads": sizes.heads, "num_layers": sizes.layers, "eps": 1e-6, "text_len": sizes.text_len,
        "num_res_blocks": vae.BLOCKS, "latents_mean": [0.0] * sizes.z, "latents_std": [round(float(v), 7) for v in latent.tables["std"]],
        "defaults": DEFAULTS,
    }  # fmt: skip


def blend(module: torch.nn.Module, exported: dict, share: float):
    """Takes only a `share` of what the module learned since it was exported. Something new that was learned in a short time at a high rate
    is mostly kept by half of it, and what was known before hardly suffers."""
    with torch.no_grad():
        for name, p in module.named_parameters():
            p.copy_(exported[name].lerp(p, share))


def write(model: Path, found: dict[str, Path], latent: latents.Latent, share: float = 1.0) -> list[str]:
    """Exports the parts of these `checkpoints` unless the exported ones are further along; returns what was written and what was not. Ends
    the program, without replacing anything, if the folder would become larger than its limit. `share`: see `blend`, of the transformer and
    the text encoder."""
    with ExitStack() as written:
        return _write(model, found, latent, share, written)


def _write(model: Path, found: dict[str, Path], latent: latents.Latent, share: float, written: ExitStack) -> list[str]:
    """As `write`. The files get their final names when `written` ends without an exception."""
    said, sizes_of = [], {f.name: f.stat().st_size for f in model.glob("*.safetensors")}

    def put(name: str, tensors: dict, **metadata) -> None:
        part = written.enter_context(files.whole(model / name))
        save_file({k: v.detach().to("cpu", torch.bfloat16).contiguous() for k, v in tensors.items()}, part, {"format": "pt", **metadata})
        sizes_of[name] = part.stat().st_size

    state = load(found["transformer"]) if "transformer" in found else None
    exported = read(model / TRANSFORMER)[1] if state and (model / TRANSFORMER).exists() else {}
    if state and (line := _behind("transformer", state["done"], json.loads(exported.get("done", "{}")))):
        said.append(line)
    elif state:
        sizes = Sizes(**state["sizes"])
        net, text = Transformer(sizes), TextEncoder(sizes, len(state["text"]["token_embedding.weight"]))
        put_average(text, state, put_average(net, state, 0))
        if share < 1:
            if (before := read_transformer(model, sizes)) is None:
                raise SystemExit(f"--share needs exported weights of these sizes in {model}")
            blend(net, before["transformer"], share)
            blend(text, before["text"], share)
        plan = found["transformer"].stem.removeprefix("transformer-")
        put(TRANSFORMER, net.state_dict(), sizes=json.dumps(asdict(sizes)), done=json.dumps(state["done"]), plan=plan)
        put(TEXT, text.state_dict())
        written.enter_context(files.whole(model / "config.json")).write_text(json.dumps(config(sizes, latent), indent=1) + "\n", encoding="utf-8")
        said.append(f"transformer and text encoder after {state['done']}")
    states = {p: load(f) for p, f in found.items() if p != "transformer"}
    old = read_vae(model) if states else None
    done = old["done"] if old else {}
    for part in list(states):
        if line := _behind(f"VAE {part}", states[part]["done"], done.get(part, {})):
            said.append(line)
            del states[part]
    if states:
        network = vae.Vae(latents.Z, latent.tables["std"])
        if old:
            network.load_state_dict(old["vae"])
        else:
            start.encoder(network, latent)
        named = dict(network.named_parameters())
        for part, state in states.items():
            with torch.no_grad():
                for name, mean in zip(state["names"], state["average"]):
                    named[name].copy_(mean)
            said.append(f"VAE {part} after {state['done']}")
        put(VAE, network.state_dict(), done=json.dumps(done | {p: s["done"] for p, s in states.items()}))
    total = sum(sizes_of.values())
    if total > LIMIT:
        raise SystemExit(f"the weights would take {total:,} bytes, more than {LIMIT:,}: nothing replaced")
    return said + [f"{total:,} bytes of weights"]
