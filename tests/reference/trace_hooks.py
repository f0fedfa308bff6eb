#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Dumps the activations of a PyTorch model under the names that `denoir-cli trace` uses, for `denoir-cli compare-traces`.

Works with the models of the original repositories (Wan2.1, Wan2.2, SkyReels-V2) and with those of diffusers and
transformers; needs PyTorch alone. In your own program:

    from trace_hooks import Trace

    with Trace("theirs.safetensors", layers="blocks.0.*,head") as trace:
        trace.attach(pipe)                     # a diffusers pipeline: text and image encoder, transformer, VAE
        pipe(prompt, ...)

    with Trace("theirs.safetensors") as trace: # an original repository
        trace.watch(model, "transformer")      # WanModel; conditional and unconditional pass take turns
        trace.watch(text_encoder.model, "text_encoder")
        trace.watch(vae.model, "vae")
        sample()

    denoir-cli trace request.json --out ours.safetensors
    denoir-cli compare-traces ours.safetensors theirs.safetensors --report report.html

Both must be asked for the same, or the first difference is one of what they are given: prompt and negative prompt, size,
frames, steps, dtype, guidance, shift, and the noise. A converted repository's scheduler brings a `flow_shift` of its own (3
in Wan's), where Denoir takes the original's default unless the request says `"shift"`. The noise is the tensor `latent` of
`latents/step_000.safetensors` in Denoir's run folder: give it to the pipeline as `latents`. A pipeline that makes one pass
a step, as with guidance 1, is attached with `guided=False`.

A key is COMPONENT/PART/.../LAYER: `transformer/step_003/cond/blocks.0.self_attn.q`. LAYER is the module's name in the
original repository; `X.input` is what module X is given, where that is no module's result. A layer that depends on the
prompt and the image alone (text_embedding, cross_attn.k and v, img_emb) is kept once: `transformer/cond/...`. The frames
of the VAE are told one by one, each layer counts its own: `vae_decoder/frame_000/decoder.conv1`. Every tensor is stored in
the dtype that PyTorch computed, without a batch axis: [tokens, channels], frames [channels, height, width].

Data are written as they come; memory does not grow. The order of the data in the file is the order of execution.
"""

import fnmatch
import json
import os
import re
import shutil
import struct
import sys

import torch

_DTYPES = {
    torch.float32: "F32",
    torch.float16: "F16",
    torch.bfloat16: "BF16",
    torch.float64: "F64",
    torch.int64: "I64",
    torch.int32: "I32",
    torch.uint8: "U8",
    torch.bool: "BOOL",
}

# ------------------------------------------------------------------------------------------------------------- names
# (pattern of a module's path, layer, ...): "layer" is told its result, "<layer" what it is given. The first that fits
# counts. Paths that fit nothing are passed over.

_B = r"(blocks\.\d+)"
_TRANSFORMER = [
    (r"patch_embedding", "patch_embedding"),
    (r"time_embedding\.0", "<time_embedding.input", "time_embedding.0"),
    (r"(time_embedding\.[12]|time_projection\.[01]|fps_embedding|fps_projection\.[012])", r"\1"),
    (r"(text_embedding\.[012]|img_emb\.proj\.[0-4])", r"\1"),
    (_B, r"\1"),
    (_B + r"\.norm1", r"\1.norm1"),
    (_B + r"\.norm([23])", r"<\1.norm\2.input", r"\1.norm\2"),
    (_B + r"\.self_attn\.q", r"<\1.self_attn.input", r"\1.self_attn.q"),
    (_B + r"\.(self|cross)_attn\.o", r"<\1.\2_attn.o.input", r"\1.\2_attn.o"),
    (_B + r"\.((?:self|cross)_attn\.(?:q|k|v|norm_q|norm_k|k_img|v_img|norm_k_img))", r"\1.\2"),
    (_B + r"\.ffn\.0", r"<\1.ffn.input", r"\1.ffn.0"),
    (_B + r"\.ffn\.([12])", r"\1.ffn.\2"),
    (r"head\.norm", "head.norm"),
    (r"head\.head", "<head.head.input", "head"),
]
_TRANSFORMER_DIFFUSERS = [
    (r"patch_embedding", "patch_embedding"),
    (r"condition_embedder\.time_embedder\.linear_1", "<time_embedding.input", "time_embedding.0"),
    (r"condition_embedder\.time_embedder\.act", "time_embedding.1"),
    (r"condition_embedder\.time_embedder\.linear_2", "time_embedding.2"),
    (r"condition_embedder\.act_fn", "time_projection.0"),
    (r"condition_embedder\.time_proj", "time_projection.1"),
    (r"fps_embedding", "fps_embedding"),
    (r"fps_projection\.net\.0\.proj", "fps_projection.0"),
    (r"fps_projection\.net\.0", "fps_projection.1"),
    (r"fps_projection\.net\.2", "fps_projection.2"),
    (r"condition_embedder\.text_embedder\.linear_1", "text_embedding.0"),
    (r"condition_embedder\.text_embedder\.act_1", "text_embedding.1"),
    (r"condition_embedder\.text_embedder\.linear_2", "text_embedding.2"),
    (r"condition_embedder\.image_embedder\.norm1", "img_emb.proj.0"),
    (r"condition_embedder\.image_embedder\.ff\.net\.0\.proj", "img_emb.proj.1"),
    (r"condition_embedder\.image_embedder\.ff\.net\.0", "img_emb.proj.2"),
    (r"condition_embedder\.image_embedder\.ff\.net\.2", "img_emb.proj.3"),
    (r"condition_embedder\.image_embedder\.norm2", "img_emb.proj.4"),
    (_B, r"\1"),
    (_B + r"\.norm1", r"\1.norm1"),
    (_B + r"\.norm2", r"<\1.norm3.input", r"\1.norm3"),  # diffusers numbers the norms in the order of their use
    (_B + r"\.norm3", r"<\1.norm2.input", r"\1.norm2"),
    (_B + r"\.attn1\.to_q", r"<\1.self_attn.input", r"\1.self_attn.q"),
    (_B + r"\.attn1\.to_([kv])", r"\1.self_attn.\2"),
    (_B + r"\.attn2\.to_([qkv])", r"\1.cross_attn.\2"),
    (_B + r"\.attn1\.(norm_[qk])", r"\1.self_attn.\2"),
    (_B + r"\.attn2\.(norm_[qk])", r"\1.cross_attn.\2"),
    (_B + r"\.attn1\.to_out\.0", r"<\1.self_attn.o.input", r"\1.self_attn.o"),
    (_B + r"\.attn2\.to_out\.0", r"<\1.cross_attn.o.input", r"\1.cross_attn.o"),
    (_B + r"\.attn2\.add_([kv])_proj", r"\1.cross_attn.\2_img"),
    (_B + r"\.attn2\.norm_added_k", r"\1.cross_attn.norm_k_img"),
    (_B + r"\.ffn\.net\.0\.proj", r"<\1.ffn.input", r"\1.ffn.0"),
    (_B + r"\.ffn\.net\.0", r"\1.ffn.1"),
    (_B + r"\.ffn\.net\.2", r"\1.ffn.2"),
    (r"norm_out", "head.norm"),
    (r"proj_out", "<head.head.input", "head"),
]
_TEXT = [
    (r"token_embedding", "<tokens", "token_embedding"),
    (_B, r"\1"),
    (_B + r"\.norm1", r"\1.norm1"),
    (_B + r"\.norm2", r"<\1.norm2.input", r"\1.norm2"),
    (_B + r"\.attn\.([qkv])", r"\1.attn.\2"),
    (_B + r"\.attn\.o", r"<\1.attn.o.input", r"\1.attn.o"),
    (_B + r"\.ffn\.(gate\.[01]|fc1)", r"\1.ffn.\2"),
    (_B + r"\.ffn\.fc2", r"<\1.ffn.fc2.input", r"\1.ffn.fc2"),
    (r"norm", "norm"),
]
_E = r"encoder\.block\.(\d+)"
_TEXT_HF = [
    (r"shared|encoder\.embed_tokens", "<tokens", "token_embedding"),
    (_E, r"blocks.\1"),
    (_E + r"\.layer\.0\.layer_norm", r"blocks.\1.norm1"),
    (_E + r"\.layer\.1\.layer_norm", r"<blocks.\1.norm2.input", r"blocks.\1.norm2"),
    (_E + r"\.layer\.0\.SelfAttention\.([qkv])", r"blocks.\1.attn.\2"),
    (_E + r"\.layer\.0\.SelfAttention\.o", r"<blocks.\1.attn.o.input", r"blocks.\1.attn.o"),
    (_E + r"\.layer\.1\.DenseReluDense\.wi_0", r"blocks.\1.ffn.gate.0"),
    (_E + r"\.layer\.1\.DenseReluDense\.act", r"blocks.\1.ffn.gate.1"),
    (_E + r"\.layer\.1\.DenseReluDense\.wi_1", r"blocks.\1.ffn.fc1"),
    (_E + r"\.layer\.1\.DenseReluDense\.wo", r"<blocks.\1.ffn.fc2.input", r"blocks.\1.ffn.fc2"),
    (r"encoder\.final_layer_norm", "norm"),
]
_T = r"(?:visual\.)?transformer\.(\d+)"
_IMAGE = [
    (r"(?:visual\.)?patch_embedding", "<pixels", "visual.patch_embedding"),
    (r"(?:visual\.)?pre_norm", "<visual.pre_norm.input", "visual.pre_norm"),
    (_T, r"visual.transformer.\1"),
    (_T + r"\.norm1", r"visual.transformer.\1.norm1"),
    (_T + r"\.norm2", r"<visual.transformer.\1.norm2.input", r"visual.transformer.\1.norm2"),
    (_T + r"\.attn\.to_qkv", r"visual.transformer.\1.attn.to_qkv"),
    (_T + r"\.attn\.proj", r"<visual.transformer.\1.attn.proj.input", r"visual.transformer.\1.attn.proj"),
    (_T + r"\.mlp\.([012])", r"visual.transformer.\1.mlp.\2"),
]
_H = r"vision_model\.encoder\.layers\.(\d+)"
_IMAGE_HF = [
    (r"vision_model\.embeddings\.patch_embedding", "<pixels", "visual.patch_embedding"),
    (r"vision_model\.pre_layrnorm", "<visual.pre_norm.input", "visual.pre_norm"),
    (_H, r"visual.transformer.\1"),
    (_H + r"\.layer_norm1", r"visual.transformer.\1.norm1"),
    (_H + r"\.layer_norm2", r"<visual.transformer.\1.norm2.input", r"visual.transformer.\1.norm2"),
    # The three become one, as in the original.
    (_H + r"\.self_attn\.([qkv])_proj", r"visual.transformer.\1.attn.to_qkv|\2"),
    (_H + r"\.self_attn\.out_proj", r"<visual.transformer.\1.attn.proj.input", r"visual.transformer.\1.attn.proj"),
    (_H + r"\.mlp\.fc1", r"visual.transformer.\1.mlp.0"),
    (_H + r"\.mlp\.activation_fn", r"visual.transformer.\1.mlp.1"),
    (_H + r"\.mlp\.fc2", r"visual.transformer.\1.mlp.2"),
]
_R = r"((?:encoder|decoder)\.(?:[\w.]+?\.\d+|middle\.[02]))"
_VAE = [
    (r"conv1|conv2|(?:encoder|decoder)\.conv1|(?:encoder|decoder)\.head\.[012]", r"\g<0>"),
    (r"(?:encoder|decoder)\.middle\.1", r"\g<0>"),
    (r"(?:encoder|decoder)\.middle\.1\.(?:norm|to_qkv)", r"\g<0>"),
    (r"((?:encoder|decoder)\.middle\.1)\.proj", r"<\1.proj.input", r"\1.proj"),
    (_R + r"\.residual\.([012346])", r"\1.residual.\2"),
    (_R + r"\.(shortcut|resample\.1|time_conv)", r"\1.\2"),
]


def _vae_diffusers(path: str):
    """Returns the original name of a module of AutoencoderKLWan, as names.py does for weights, or None for other
    modules."""
    if path in ("quant_conv", "post_quant_conv"):
        return [{"quant_conv": "conv1", "post_quant_conv": "conv2"}[path]]
    if m := re.fullmatch(r"(encoder|decoder)\.conv_in", path):
        return [f"{m[1]}.conv1"]
    if m := re.fullmatch(r"(encoder|decoder)\.(norm_out|nonlinearity|conv_out)", path):
        return [f"{m[1]}.head." + {"norm_out": "0", "nonlinearity": "1", "conv_out": "2"}[m[2]]]
    if m := re.fullmatch(r"(encoder|decoder)\.mid_block\.attentions\.0(?:\.(norm|to_qkv|proj))?", path):
        name = f"{m[1]}.middle.1"
        if m[2] == "proj":
            return [f"<{name}.proj.input", f"{name}.proj"]
        return [f"{name}.{m[2]}" if m[2] else name]
    block = None
    if m := re.fullmatch(r"(encoder|decoder)\.mid_block\.resnets\.(\d+)(.*)", path):
        block, rest = f"{m[1]}.middle.{2 * int(m[2])}", m[3]
    elif m := re.fullmatch(r"encoder\.down_blocks\.(\d+)((?:\.(?!resnets|downsamplers).*)?)", path):
        block, rest = f"encoder.downsamples.{m[1]}", m[2]
    elif m := re.fullmatch(r"decoder\.up_blocks\.(\d+)\.(resnets|upsamplers)\.(\d+)(.*)", path):
        index = 4 * int(m[1]) + (int(m[3]) if m[2] == "resnets" else 3)
        block, rest = f"decoder.upsamples.{index}", m[4]
    if block is None:
        return None
    inner = {
        "": "",
        ".norm1": ".residual.0",
        ".nonlinearity": ".residual.1|4",  # one module, which is called twice
        ".conv1": ".residual.2",
        ".norm2": ".residual.3",
        ".conv2": ".residual.6",
        ".conv_shortcut": ".shortcut",
        ".resample.1": ".resample.1",
        ".time_conv": ".time_conv",
    }
    return [block + inner[rest]] if rest in inner else None


def _by_rules(rules):
    compiled = [(re.compile(pattern), layers) for pattern, *layers in rules]

    def layers_of(path: str):
        for pattern, layers in compiled:
            if m := pattern.fullmatch(path):
                return [m.expand(layer) for layer in layers]
        return None

    return layers_of


_IS_BLOCK = re.compile(r"encoder\.down_blocks\.\d+|decoder\.up_blocks\.\d+\.(resnets|upsamplers)\.\d+")
_KEPT_ONCE = re.compile(r"text_embedding\.|img_emb\.|blocks\.\d+\.cross_attn\.(norm_)?[kv](_img)?$")


def _layout(model, component: str):
    """Returns the function that gives the layers of a module's path, and whether the model is diffusers' or
    transformers'."""
    paths = {name for name, _ in model.named_modules()}
    has = paths.__contains__
    if component.startswith("transformer"):
        if has("condition_embedder"):
            return _by_rules(_TRANSFORMER_DIFFUSERS), True
        if has("text_embedding.0"):
            return _by_rules(_TRANSFORMER), False
    elif component == "text_encoder":
        if has("encoder.block.0"):
            return _by_rules(_TEXT_HF), True
        if has("token_embedding"):
            return _by_rules(_TEXT), False
    elif component == "image_encoder":
        if has("vision_model.encoder"):
            return _by_rules(_IMAGE_HF), True
        if has("transformer.0.attn.to_qkv") or has("visual.transformer.0.attn.to_qkv"):
            return _by_rules(_IMAGE), False
    elif component == "vae":
        if has("quant_conv"):  # a resampling is traced by its convolutions
            return lambda p: _vae_diffusers(p) if has(f"{p}.conv1") or not _IS_BLOCK.fullmatch(p) else None, True
        if has("encoder.middle.1"):
            inner, whole = _by_rules(_VAE), ("residual.0", "downsamples.0", "upsamples.0")
            return lambda p: inner(p) or ([p] if "." in p and any(has(f"{p}.{child}") for child in whole) else None), False
    else:
        raise ValueError(f"no such component: {component} (transformer, transformer_low, text_encoder, image_encoder, vae)")
    raise ValueError(f"{type(model).__name__} is no {component} that is known here")


def _first_tensor(value):
    """The tensor in what a module returns: a tensor, a tuple, a list of samples, or an output object."""
    while not torch.is_tensor(value):
        if hasattr(value, "sample") and torch.is_tensor(value.sample):
            value = value.sample
        elif isinstance(value, (tuple, list)) and value:
            value = value[0]
        else:
            return None
    return value


def _one_for_all(rows):
    """If all frames have the same time, keeps one row, since Denoir computes it once."""
    return rows[:1] if len(rows) > 1 and bool((rows == rows[:1]).all()) else rows


# -------------------------------------------------------------------------------------------------------------- file


class Trace:
    """Writes to `path` when closed without an exception. `layers` are patterns as in --layers of denoir-cli trace,
    separated by commas; `steps` are the numbers of the steps to keep, None for all."""

    def __init__(self, path, layers: str = "", steps=None, metadata: dict | None = None):
        self.path = os.fspath(path)
        self.patterns = [p for p in layers.split(",") if p]
        self.steps = None if steps is None else set(steps)
        self.metadata = {"denoir_trace": "1", "order": "execution", "source": f"pytorch {torch.__version__}"}
        self.metadata |= metadata or {}
        self.table, self.offset, self.handles, self.undo = {}, 0, [], []
        self._temporary = f"{self.path}.partial-{os.getpid()}"
        self._data = open(self._temporary + ".data", "wb")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.close(keep=kind is None)

    def wants(self, key: str) -> bool:
        component, layer = key.split("/")[0], key.rsplit("/", 1)[-1]
        if self.steps is not None and (m := re.search(r"/step_(\d+)/", key)) and max(1, int(m[1])) not in self.steps:
            return False
        return not self.patterns or any(
            fnmatch.fnmatchcase(f"{component}/{layer}" if "/" in p else layer, p) for p in self.patterns
        )

    def write(self, key: str, tensor: torch.Tensor) -> None:
        """Writes one tensor as it is. A key that is there already is left alone."""
        if key in self.table or not self.wants(key):
            return
        tensor = tensor.detach().to("cpu").contiguous()
        if tensor.dtype not in _DTYPES:
            tensor = tensor.float()
        flat = tensor.reshape(-1)
        data = flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""
        self._data.write(data)
        self.table[key] = {
            "dtype": _DTYPES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [self.offset, self.offset + len(data)],
        }
        self.offset += len(data)

    def close(self, keep: bool = True) -> None:
        """Removes every hook and writes the file."""
        for handle in self.handles:
            handle.remove()
        for restore in self.undo:
            restore()
        self.handles, self.undo = [], []
        self._data.close()
        try:
            if keep:
                header = json.dumps({"__metadata__": self.metadata, **self.table}, separators=(",", ":")).encode()
                header += b" " * (-len(header) % 8)
                with open(self._temporary, "wb") as out, open(self._temporary + ".data", "rb") as data:
                    out.write(struct.pack("<Q", len(header)) + header)
                    shutil.copyfileobj(data, out, 1 << 22)
                    out.flush()
                    os.fsync(out.fileno())
                os.replace(self._temporary, self.path)
        finally:
            for name in (self._temporary, self._temporary + ".data"):
                if os.path.exists(name):
                    os.unlink(name)

    # ----------------------------------------------------------------------------------------------------- watching

    def attach(self, pipe, guided: bool = True) -> None:
        """Watches every model of a diffusers pipeline. `guided` False means guidance 1, with one transformer pass a
        step."""
        for name in ("text_encoder", "image_encoder", "vae", "transformer"):
            if getattr(pipe, name, None) is not None:
                self.watch(getattr(pipe, name), name, branches=("cond", "uncond") if guided else ("cond",))
        if getattr(pipe, "transformer_2", None) is not None:
            self.watch(pipe.transformer_2, "transformer_low", branches=("cond", "uncond") if guided else ("cond",))

    def watch(self, model, component: str, branches=("cond", "uncond")) -> "Watch":
        """Watches one model. `component` is transformer, transformer_low, text_encoder, image_encoder or vae;
        `branches` are the passes of a step in the order of their calls."""
        return Watch(self, model, component, tuple(branches))


class Watch:
    """The hooks on one model. Its calls are counted, unless `place(step, branch)` says where the next one belongs."""

    def __init__(self, trace: Trace, model, component: str, branches):
        self.trace, self.component, self.branches = trace, component, branches
        self.layers_of, self.modern = _layout(model, component)
        self.calls, self.part, self.fixed = 0, "", None
        self.tokens = self.rows = None  # for the transformer: the length of the latent and the rows of time
        self.length = None  # for the text: how many tokens are real
        self.frames, self.turns, self.parts_of_three, self.attention = {}, {}, {}, None
        self.vae_prefix = {"encoder": "vae_encoder/condition", "decoder": "vae_decoder"}
        self._hook(model)

    def place(self, step: int, branch: str) -> None:
        self.fixed = f"step_{step:03}/{branch}"

    # -- where a call belongs

    def _begins(self, _module, args, kwargs):
        self.turns = {}
        if self.component == "vae":
            return
        if self.component.startswith("transformer"):
            step, branch = divmod(self.calls, len(self.branches))
            self.part = self.fixed or f"step_{step + 1:03}/{self.branches[branch]}"
        elif self.component == "text_encoder":
            self.part = self.branches[self.calls] if self.calls < len(self.branches) else f"call_{self.calls + 1}"
            mask = kwargs.get("attention_mask", kwargs.get("mask", args[1] if len(args) > 1 else None))
            self.length = int(mask[0].sum()) if torch.is_tensor(mask) else None
        else:
            self.part = ("first", "last")[self.calls] if self.calls < 2 else f"call_{self.calls + 1}"
        self.calls += 1
        self.fixed = None

    def _ends(self, _module, _args, _kwargs, output):
        if self.component.startswith("transformer") and (velocity := _first_tensor(output)) is not None:
            self._write("velocity", velocity[0] if velocity.ndim == 5 else velocity)

    def _write(self, layer: str, tensor: torch.Tensor) -> None:
        part = self.part
        if self.component.startswith("transformer") and _KEPT_ONCE.match(layer):
            part = part.rsplit("/", 1)[-1]
        self.trace.write(f"{self.component}/{part}/{layer}", tensor)

    # -- what a tensor is

    def _tell(self, layer: str, tensor: torch.Tensor) -> None:
        if self.component == "vae":
            return self._tell_frames(layer, tensor)
        if layer == "tokens":
            tensor = tensor[0] if tensor.ndim > 1 else tensor
        elif layer.endswith("patch_embedding"):
            tensor = tensor[0].flatten(1).transpose(0, 1)
            self.tokens = tensor.shape[0]
        elif layer.startswith(("time_", "fps_")):
            tensor = tensor.reshape(-1, tensor.shape[-1])
            if layer == "time_projection.1":
                self.rows = tensor.shape[0]
            tensor = _one_for_all(tensor)
        elif layer == "e0":
            tensor = _one_for_all(self._rows_of_time(tensor))
        else:
            tensor = tensor[0]
            # The original repositories pad the sequence of tokens, and the padding is cut off.
            if self.tokens and self.component.startswith("transformer") and not _KEPT_ONCE.match(layer):
                tensor = tensor[: self.tokens]
        if self.component == "text_encoder" and self.length is not None:
            tensor = tensor[: self.length]
        if layer == "pixels":
            self._write(layer, tensor)
        elif "|" in layer:
            self._tell_together(layer, tensor)
        else:
            self._write(layer, tensor)

    def _rows_of_time(self, e0):
        """Keeps the rows that the time embedding made: [1, 6, C], or one for each token."""
        if e0.ndim == 3:
            return e0[:1]
        e0 = e0[0]
        if e0.shape[0] == 6 and e0.shape[1] != 6:
            e0 = e0.transpose(0, 1)
        return e0[:: e0.shape[0] // self.rows] if self.rows and e0.shape[0] % self.rows == 0 else e0

    def _tell_together(self, layer: str, tensor) -> None:
        name, which = layer.split("|")
        kept = self.parts_of_three.setdefault(name, {})
        kept[which] = tensor
        if len(kept) == 3:
            self._write(name, torch.cat([kept[k] for k in "qkv"], dim=-1))
            del self.parts_of_three[name]

    def _tell_frames(self, layer: str, tensor) -> None:
        if "|" in layer:  # one module, which is called twice in each block
            stem, which = layer.split("|")
            turn = self.turns[layer] = self.turns.get(layer, 0) + 1
            layer = stem if turn % 2 else stem[: -len(stem.rsplit(".", 1)[-1])] + which
        prefix = self.vae_prefix["encoder" if layer.startswith("encoder.") or layer == "conv1" else "decoder"]
        if tensor.ndim == 5:
            tensor = tensor[0].transpose(0, 1)
        for frame in tensor:  # [frames, C, h, w]
            number = self.frames[layer] = self.frames.get(layer, -1) + 1
            self.trace.write(f"{prefix}/frame_{number:03}/{layer}", frame)

    # -- hooks

    def _hook(self, model) -> None:
        keep = self.trace.handles.append
        keep(model.register_forward_pre_hook(self._begins, with_kwargs=True))
        blocks = {}
        for path, module in model.named_modules():
            if not path or isinstance(module, torch.nn.Identity):
                continue
            for layer in self.layers_of(path) or ():
                if layer.startswith("<"):
                    keep(module.register_forward_pre_hook(self._input_hook(layer[1:]), with_kwargs=True))
                else:
                    keep(module.register_forward_hook(self._output_hook(layer)))
            if m := re.fullmatch(r"blocks\.(\d+)\.(attn1|self_attn)", path):
                blocks[path] = f"blocks.{m[1]}.self_attn"
                keep(module.register_forward_pre_hook(self._entering(blocks[path]), with_kwargs=True))
                keep(module.register_forward_hook(self._leaving))
            if path == "blocks.0" and self.component.startswith("transformer"):
                keep(module.register_forward_pre_hook(self._time_hook, with_kwargs=True))
        keep(model.register_forward_hook(self._ends, with_kwargs=True))
        if self.component.startswith("transformer"):
            self._hook_rotation(model)

    def _output_hook(self, layer):
        def hook(_module, _args, output):
            if (tensor := _first_tensor(output)) is not None:
                self._tell(layer, tensor)

        return hook

    def _input_hook(self, layer):
        def hook(_module, args, kwargs):
            if (tensor := _first_tensor(args or list(kwargs.values()))) is not None:
                self._tell(layer, tensor)

        return hook

    def _time_hook(self, _module, args, kwargs):
        """Traces the block's time: diffusers calls block(x, context, temb, …), the originals block(x, e=e0, …)."""
        e0 = kwargs.get("e", kwargs.get("temb", args[2] if self.modern and len(args) > 2 else None))
        if e0 is None and not self.modern and len(args) > 1:
            e0 = args[1]
        if torch.is_tensor(e0):
            self._tell("e0", e0)

    def _entering(self, name):
        def hook(_module, _args, _kwargs):
            self.attention = [name, ["rope_q", "rope_k"]]

        return hook

    def _leaving(self, *_):
        self.attention = None

    def _rotated(self, tensor) -> None:
        """Traces the rotated queries and then the keys, [1, tokens, heads, head size]."""
        if self.attention and self.attention[1]:
            self._tell(f"{self.attention[0]}.{self.attention[1].pop(0)}", tensor.flatten(2))

    def _hook_rotation(self, model) -> None:
        """Puts a wrapper around the rotation, which is a function and no module, for as long as the trace is open."""
        file = sys.modules[type(model).__module__]
        name = "dispatch_attention_fn" if self.modern else "rope_apply"
        inner = getattr(file, name, None)
        if inner is None:
            return

        def outer(*args, **kwargs):
            if self.modern:
                self._rotated(args[0] if args else kwargs["query"])
                self._rotated(args[1] if len(args) > 1 else kwargs["key"])
                return inner(*args, **kwargs)
            out = inner(*args, **kwargs)
            self._rotated(out)
            return out

        setattr(file, name, outer)
        self.trace.undo.append(lambda: setattr(file, name, inner))
