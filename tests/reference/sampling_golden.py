# SPDX-License-Identifier: Apache-2.0
"""Writes tests/fixtures/sampling/solvers.json: diffusers' UniPC and DPM++ 2M driven over the lists of the original repositories.

Covers what `denoir-cli module scheduler` cannot show: latents in bf16 and the buffer that the first step overwrites
(spec/schedulers.md 6). Numbers are f32 written with 9 digits, which read back exactly."""
import json
import pathlib

import numpy as np
import torch
from diffusers import DPMSolverMultistepScheduler, FlowMatchEulerDiscreteScheduler, UniPCMultistepScheduler


def shifted(base, shift):
    return shift * base / (1 + (shift - 1) * base)


def schedule(name, steps, shift):
    """List A or B: f64 sigmas, and the whole times that are cut from them before the cast to f32."""
    start = float(np.float32(0.999)) if name == "A" else 1.0
    sigmas = shifted(np.linspace(start, 0, steps + 1)[:-1], shift)
    return np.append(sigmas, 0).astype(np.float32), (sigmas * 1000).astype(np.int64)


def solver(kind, sigmas, times):
    common = dict(num_train_timesteps=1000, solver_order=2, prediction_type="flow_prediction", use_flow_sigmas=True,
                  flow_shift=1.0, lower_order_final=True, final_sigmas_type="zero", thresholding=False)
    s = UniPCMultistepScheduler(solver_type="bh2", **common) if kind == "unipc" else DPMSolverMultistepScheduler(
        algorithm_type="dpmsolver++", solver_type="midpoint", euler_at_final=False, **common)
    s.set_timesteps(len(times))
    s.sigmas, s.timesteps = torch.from_numpy(sigmas), torch.from_numpy(times)
    s.num_inference_steps = len(times)
    s.set_begin_index(0)
    return s


def run(kind, steps, shift, alias, bf16, seed):
    sigmas, times = schedule("A" if kind == "unipc" else "B", steps, shift)
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(1, 8, generator=generator).to(torch.bfloat16 if bf16 else torch.float32)
    s = solver(kind, sigmas, times)
    case = {"sampler": kind, "steps": steps, "shift": shift, "alias": alias, "bf16": bf16, "start": x.float()[0].tolist(),
            "velocities": [], "latents": []}
    buffer = x.clone()
    for i in range(steps):
        v = torch.randn(1, 8, generator=generator) - 0.3 * buffer.float()
        # The solvers of the original repositories keep `sample` itself; a view that is written later changes with it.
        out = s.step(v, times[i], buffer if alias else buffer.clone(), return_dict=False)[0]
        buffer[...] = out
        case["velocities"].append(v[0].tolist())
        case["latents"].append(buffer.float()[0].tolist())
    return case


def euler_list(steps, shift):
    s = FlowMatchEulerDiscreteScheduler(num_train_timesteps=1000, shift=shift)
    s.set_timesteps(steps)
    return {"steps": steps, "shift": shift, "timesteps": s.timesteps.tolist(), "sigmas": s.sigmas.tolist()}


torch.set_num_threads(1)
cases = [run("unipc", n, s, a, b, 100 + n) for n, s in ((1, 8.0), (2, 5.0), (3, 3.0), (4, 8.0), (7, 1.0), (30, 8.0), (50, 5.0))
         for a, b in ((False, False), (True, False), (True, True), (False, True))]
cases += [run("dpmpp", n, s, False, b, 200 + n) for n, s in ((1, 5.0), (2, 8.0), (3, 3.0), (4, 8.0), (20, 5.0), (30, 12.0)) for b in (False, True)]
lists = [euler_list(n, s) for n, s in ((1, 5.0), (4, 8.0), (10, 3.0), (30, 1.0))]
text = json.dumps({"solvers": cases, "flow_match_euler": lists}, separators=(",", ":"), default=float)
text = json.dumps(json.loads(text, parse_float=lambda t: float(f"{np.float32(t):.9g}")), separators=(",", ":"))
out = pathlib.Path(__file__).resolve().parent.parent / "fixtures" / "sampling"
out.mkdir(parents=True, exist_ok=True)
(out / "solvers.json").write_text(text.replace('},{', '},\n{') + "\n")
print(len(cases), "runs,", len(text), "bytes")
