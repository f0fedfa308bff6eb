# SPDX-License-Identifier: Apache-2.0
"""The loops of spec pipelines.md over the tiny models: networks in float64, solvers and guidance in float32.

The precision is f32 throughout: nothing is rounded to bf16, neither SkyReels' pixels nor the latents of diffusion forcing.
"""

import numpy as np
import torch
from PIL import Image

from .forcing import timestep_matrix
from .schedulers import SOLVERS, UniPC, sigma_list
from .tea_cache import TeaCache


def wan_pixels(image: Image.Image) -> torch.Tensor:
    """-> [3,h,w] in -1..1, at the image's own size"""
    return (torch.from_numpy(np.asarray(image).copy()).permute(2, 0, 1).float() / 255 - 0.5) / 0.5


def wan_resized(image: Image.Image, width: int, height: int) -> torch.Tensor:
    """Resizes the float pixels with the bicubic filter without antialias. Overshoot is kept, nothing is cropped."""
    pixels = wan_pixels(image).double()[None]
    return torch.nn.functional.interpolate(pixels, size=(height, width), mode="bicubic", align_corners=False)[0]


def skyreels_cropped(image: Image.Image, width: int, height: int) -> Image.Image:
    """Crops the centre to the target's aspect ratio, without a resize (section 3.1). Edges are rounded half to even."""
    w, h = image.size
    if (w, h) == (width, height):
        return image
    new_w, new_h = (w, int(w * height / width)) if h / w > height / width else (int(h * width / height), h)
    edges = ((w - new_w) / 2, (h - new_h) / 2, (w + new_w) / 2, (h + new_h) / 2)
    return image.crop(tuple(round(e) for e in edges))


def skyreels_pixels(image: Image.Image, width: int, height: int) -> torch.Tensor:
    small = skyreels_cropped(image, width, height).resize((width, height), Image.LANCZOS)
    return torch.from_numpy(np.asarray(small).copy()).permute(2, 0, 1).float() / 255 * 2 - 1


def forcing_pixels(image: Image.Image, width: int, height: int) -> torch.Tensor:
    small = skyreels_cropped(image, width, height).resize((width, height), Image.BICUBIC)
    return torch.from_numpy(np.asarray(small).copy()).permute(2, 0, 1).float() / 127.5 - 1


def frame_pixels(image: Image.Image, width: int, height: int) -> torch.Tensor:
    """A frame of the video that is continued: its reader resizes it to the size, whatever its aspect ratio (section 7.6)."""
    small = image.resize((width, height), Image.BICUBIC)
    return torch.from_numpy(np.asarray(small).copy()).permute(2, 0, 1).float() / 127.5 - 1


def ti2v_pixels(image: Image.Image, width: int, height: int) -> torch.Tensor:
    """Resizes with the Lanczos filter until the target is covered, then crops the middle (section 5)."""
    scale = max(width / image.width, height / image.height)
    large = image.resize((round(image.width * scale), round(image.height * scale)), Image.LANCZOS)
    left, top = (large.width - width) // 2, (large.height - height) // 2
    return wan_pixels(large.crop((left, top, left + width, top + height)))


def diffusers_pixels(image: Image.Image, width: int, height: int) -> torch.Tensor:
    """As diffusers' VideoProcessor: resizes with the Lanczos filter to the size, whatever the aspect ratio."""
    small = image.resize((width, height), Image.LANCZOS)
    return torch.from_numpy(np.asarray(small).copy()).permute(2, 0, 1).float() / 255 * 2 - 1


def given_mask(frames: int, last: bool) -> torch.Tensor:
    """[4, T]: 1 where a pixel frame is given (dit.md section 9)."""
    given = torch.zeros(frames)
    given[0] = 1
    if last:
        given[-1] = 1
    return torch.cat([given[:1].repeat(4), given[1:]]).reshape(-1, 4).transpose(0, 1)


def image_condition(model, first: torch.Tensor, last: torch.Tensor | None, frames: int) -> torch.Tensor:
    """[20,T,h,w]: the mask, then the latents of a video that is grey except for its given frames."""
    video = torch.zeros(3, frames, *first.shape[1:], dtype=torch.float64)
    video[:, 0] = first
    if last is not None:
        video[:, -1] = last
    latent = model.vae().encode(video)[0].float()
    mask = given_mask(frames, last is not None)[:, :, None, None].expand(4, -1, *latent.shape[2:])
    return torch.cat([mask, latent])


def guided(velocity, text, empty, guidance: float, on=True, second: bool = False):
    """Guidance, with the conditional pass first. `velocity(context)` gives float32 [C,T,h,w]. `on`: whether guidance applies to the step, or
    [T] to each latent frame. `second`: whether the other pass is made even if it is not needed."""
    with_text = velocity(text)
    without = velocity(empty) if second or np.any(on) else with_text
    whole = without + np.float32(guidance) * (with_text - without)
    return np.where(np.broadcast_to(on, with_text.shape[1])[None, :, None, None], whole, with_text)


def sample(model, request: dict, noise: torch.Tensor, forward, clip=None, condition=None, clean=None, low=None) -> torch.Tensor:
    """Text to video, image to video, first and last frame. All frames have the same timestep, except TI2V's `clean` first latent frame
    [z,1,h,w], which stays at time 0 and is not changed. `low`: the forward of Wan 2.2's low-noise expert, with a guidance of its own."""
    kind, list_id = SOLVERS[request.get("sampler", "unipc")]
    sigmas, timesteps = sigma_list(list_id, request["steps"], request["shift"])
    solver, latent = kind(sigmas), noise.numpy().copy()
    text, empty = model.encode_text(request["prompt"]), model.encode_text(request["negative_prompt"])
    if clean is not None:
        latent[:, :1] = clean
    cache = {}
    if options := request.get("cache"):  # both passes are counted, even if guidance 1 needs only one
        steps = request["steps"]
        calls = steps if request.get("family") == "skyreels" else 2 * steps
        cache = {"cache": TeaCache(options, steps, calls, condition is not None)}
    for t in timesteps:
        times = torch.tensor(float(t))
        if clean is not None:  # one for each token; those of the first frame are 0
            frame = latent.shape[2] * latent.shape[3] // 4
            times = torch.full((latent.shape[1] * frame,), float(t))
            times[:frame] = 0

        late = low is not None and float(t) < model.boundary * 1000
        expert, guidance = (low, request.get("guidance_low", request["guidance"])) if late else (forward, request["guidance"])

        def velocity(context):
            out = expert(torch.from_numpy(latent), times, context, clip=clip, condition=condition, **cache)
            return out.float().numpy()

        on = guidance != 1 and float(t) >= request.get("guidance_until", 0)
        v = guided(velocity, text, empty, guidance, on, second=bool(cache))
        latent = solver.step(v, latent)
        if clean is not None:
            latent[:, :1] = clean
    return torch.from_numpy(np.ascontiguousarray(latent))


def window_frames(frames: int, base: int, overlap: int) -> list[int]:
    """Latent frames of each window (section 7.5): sizes in pixel frames go in."""
    frames, base, overlap = ((n - 1) // 4 + 1 for n in (frames, base, overlap))
    if frames <= base:
        return [frames]
    count = 1 + (frames - base - 1) // (base - overlap) + 1
    done = [i * (base - overlap) + overlap for i in range(1, count)]
    return [base] + [min(frames - finished + overlap, base) for finished in done]


def force_long(
    model, request: dict, noise: torch.Tensor, forward, before=None, last=None, video=None
) -> list[torch.Tensor]:
    """Diffusion forcing window by window; `noise` holds the noise of all windows, one after the other. Each window begins with the last
    pictures so far, encoded again; at first these are of `video`, the pictures of `before` (section 7.6). -> the final latents of each."""
    options = request["forcing"]
    overlap = options.get("overlap", 17)
    parts = noise.split(window_frames(request["frames"], options.get("base", request["frames"]), overlap), dim=1)
    done, pictures = [], video
    for i, part in enumerate(parts):
        if done:
            made = model.vae().decode(done[-1]).clamp(-1, 1)
            pictures = made if pictures is None else torch.cat([pictures, made[:, overlap:]], 1)
            before = model.vae().encode(pictures[:, -overlap:])[0].float()
        done.append(force(model, request, part.clone(), forward, before, last if i == len(parts) - 1 else None))
    return done


def force(model, request: dict, noise: torch.Tensor, forward, before=None, last=None) -> torch.Tensor:
    """Diffusion forcing within one window (section 7): every latent frame has its own solver and timesteps. `before`: the latents that
    the clip begins with, those of its first image or of what it continues."""
    options = request["forcing"]
    block, latent, ready = options.get("block", 1), noise.clone(), 0
    if before is not None:
        ready = before.shape[1] - before.shape[1] % (block if options.get("causal_attention") else 1)
        latent[:, :ready] = before[:, :ready]
    if last is not None:
        latent = torch.cat([latent, last], dim=1)
    sigmas, template = sigma_list("A", request["steps"], request["shift"])
    frames = latent.shape[1]
    matrix, update, _ = timestep_matrix(template, frames, options.get("ar_step", 0), ready, block)
    if last is not None:
        matrix[:, -1], update[:, -1] = 0, False
    solvers = [UniPC(sigmas, aliased=True) for _ in range(frames)]
    text, empty = model.encode_text(request["prompt"]), model.encode_text(request["negative_prompt"])
    causal = block if options.get("causal_attention") else 0
    cache = {}
    if request.get("cache"):
        # SkyReels' formula counts the clip's own frames, not the rows that an end image adds, in which nothing moves.
        steps = int(update.any(axis=1).sum())
        cache = {"cache": TeaCache(request["cache"], steps, steps)}
    for times, changes in zip(matrix, update):

        def velocity(context):
            out = forward(
                latent,
                torch.from_numpy(times).float(),
                context,
                fps=0 if request["fps"] == 16 else 1,
                causal_block=causal,
                **cache,
            )
            return out.float().numpy()

        on = (request["guidance"] > 1) & (times >= request.get("guidance_until", 0))
        v = guided(velocity, text, empty, request["guidance"], on, second=bool(cache) and request["guidance"] > 1)
        for f in np.flatnonzero(changes):
            latent[:, f] = torch.from_numpy(solvers[f].step(v[:, f], latent[:, f].numpy().copy()))
    return latent if last is None else latent[:, :-1]
