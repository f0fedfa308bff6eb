# SPDX-License-Identifier: Apache-2.0
"""The cases scheduler, timestep-matrix and noise."""

import numpy as np
import torch

from . import noise
from .files import Fixtures, relative_error
from .forcing import timestep_matrix
from .schedulers import SOLVERS, sigma_list
from .values import named_values, normal, uniform

LISTS = {  # spec schedulers.md 2: printed sigmas and timesteps for four steps
    ("A", 8): ([0.99987489, 0.959846258, 0.888691187, 0.727008104, 0], [999, 959, 888, 727]),
    ("A", 5): ([0.999799848, 0.937265456, 0.833055377, 0.624687374, 0], [999, 937, 833, 624]),
    ("A", 3): ([0.999666452, 0.899639785, 0.749624789, 0.499666572, 0], [999, 899, 749, 499]),
    ("A", 1): ([0.999000013, 0.749249995, 0.499500006, 0.249750003, 0], [999, 749, 499, 249]),
    ("B", 8): ([1, 0.959999979, 0.888888896, 0.727272749, 0], [1000, 960, 888, 727]),
    ("B", 5): ([1, 0.9375, 0.833333313, 0.625, 0], [1000, 937, 833, 625]),
    ("C", 8): ([0.99987489, 0.95984626, 0.88869119, 0.7270081, 0], [999, 959, 888, 727]),
    ("D", 8): ([0.999998987, 0.960051179, 0.889086246, 0.728064597, 0], [999, 960, 889, 728]),
}
A_30_8 = (
    "999 995 991 986 980 975 969 963 956 948 941 932 922 912 901 888 874 859 841 822 799 773 743 708 666 615 551 470 "
    "363 216"
)
D_30_8 = (
    "999 995 991 986 981 975 969 963 956 949 941 932 923 912 901 889 875 859 842 822 800 774 744 709 667 616 553 473 "
    "367 221"
)
TOYS = {  # section 4: x = 1, v = x / 2 + 0.3 + 0.1 i
    ("unipc", "A", 4, 8, False): [0.9679771, 0.9030190, 0.7418392, 0.0359728],
    ("unipc", "A", 4, 5, False): [0.9499725, 0.8560993, 0.6551717, 0.0757206],
    ("dpmpp", "B", 4, 8, False): [0.9680000, 0.9051378, 0.7456463, 0.0381386],
    ("dpmpp", "B", 4, 5, False): [0.9500000, 0.8588541, 0.6595540, 0.0784434],
    ("euler", "A", 4, 8, False): [0.9679771, 0.9050768, 0.7510675, 0.0418465],
    ("unipc", "A", 6, 8, False): [0.9804736, 0.9484949, 0.8945940, 0.7977159, 0.5884726, -0.0845926],
    ("unipc", "A", 4, 8, True): [0.9679771, 0.8745570, 0.7136972, 0.0180605],
}


def solver(sampler: str, sigmas, aliased: bool = False):
    kind = SOLVERS[sampler][0]
    return kind(sigmas, aliased=True) if aliased else kind(sigmas)


def _check_goldens():
    for (kind, shift), (sigmas, timesteps) in LISTS.items():
        s, t = sigma_list(kind, 4, shift)
        assert np.abs(s - np.array(sigmas)).max() < 2e-9 + 6e-8 and list(t) == timesteps, (kind, shift, s, t)
    for kind, want in (("A", A_30_8), ("D", D_30_8)):
        assert " ".join(map(str, sigma_list(kind, 30, 8)[1])) == want, kind
    for (sampler, kind, steps, shift, aliased), want in TOYS.items():
        s = solver(sampler, sigma_list(kind, steps, shift)[0], aliased)
        x = np.ones((), dtype=np.float32)
        for i, value in enumerate(want):
            x = s.step(np.float32(0.5) * x + np.float32(0.3) + np.float32(0.1) * np.float32(i), x)
            assert abs(float(x) - value) < 4e-6, (sampler, kind, steps, shift, aliased, i, float(x), value)


def _diffusers_run(sampler: str, sigmas, timesteps, latent, velocities):
    """Runs diffusers' solver with our list instead of its own."""
    from diffusers import DPMSolverMultistepScheduler, UniPCMultistepScheduler

    common = dict(prediction_type="flow_prediction", use_flow_sigmas=True, flow_shift=1.0, solver_order=2)
    theirs = (
        UniPCMultistepScheduler(**common)
        if sampler == "unipc"
        else DPMSolverMultistepScheduler(**common, algorithm_type="dpmsolver++")
    )
    theirs.set_timesteps(len(velocities))
    theirs.sigmas = torch.from_numpy(sigmas.copy())
    theirs.timesteps = torch.from_numpy(timesteps.copy())
    theirs.set_begin_index(0)
    x, out = latent, []
    for t, v in zip(theirs.timesteps, velocities):
        x = theirs.step(v, t, x, return_dict=False)[0]
        out.append(x)
    return out


def _scheduler_cases(f: Fixtures):
    shape = (4, 2, 3, 5)
    runs = [
        ("unipc", steps, shift, None)
        for steps, shift in ((1, 8), (2, 3), (3, 1), (4, 8), (6, 5), (10, 16), (30, 8), (30, 12), (7, 2.5))
    ]
    runs += [
        ("dpmpp", steps, shift, None) for steps, shift in ((1, 5), (2, 8), (3, 3), (4, 5), (6, 1), (10, 12), (30, 5))
    ]
    runs += [("euler", steps, shift, None) for steps, shift in ((1, 1), (2, 5), (3, 8), (6, 3), (30, 16))]
    runs += [
        ("unipc", 4, 8, "C"),
        ("unipc", 3, 1, "C"),
        ("unipc", 4, 8, "D"),
        ("unipc", 10, 5, "D"),
        ("euler", 6, 8, "D"),
        ("dpmpp", 6, 5, "C"),
        ("unipc", 2, 1, "D"),
    ]
    for sampler, steps, shift, kind in runs:
        list_id = kind or SOLVERS[sampler][1]
        name = f"sched-{sampler}-{steps}-s{str(shift).replace('.', 'p')}" + (f"-{kind.lower()}" if kind else "")
        sigmas, timesteps = sigma_list(list_id, steps, shift)
        small = shape if steps <= 10 else (2, 1, 2, 3)
        latent = normal(name + "/latent", small)
        # Velocities like those of a model: mostly (noise - a picture), a little different at every step.
        velocities = [
            latent - uniform(name + "/x0", small, 1.5) + 0.3 * normal(f"{name}/v{i}", small) for i in range(steps)
        ]
        run, x, expect = solver(sampler, sigmas), latent.numpy(), {}
        for i, v in enumerate(velocities):
            x = run.step(v.numpy(), x)
            expect[f"latent_{i + 1}"] = torch.from_numpy(np.ascontiguousarray(x))
        note = f"{sampler}, {steps} steps, shift {shift}, list {list_id}"
        if sampler != "euler":
            theirs = _diffusers_run(sampler, sigmas, timesteps, latent, velocities)
            error = max(relative_error(expect[f"latent_{i + 1}"], y) for i, y in enumerate(theirs))
            assert error < 2e-5, (name, error)
            note += f" (diffusers' solver on this list: {error:.0e})"
        settings = {"sampler": sampler, "steps": steps, "shift": shift}
        if kind:
            settings["sigmas"] = kind
        expect["sigmas"], expect["timesteps"] = torch.from_numpy(sigmas), torch.from_numpy(timesteps.astype(np.float32))
        inputs = {"latent": latent} | {f"velocity_{i}": v for i, v in enumerate(velocities)}
        f.case(name, "scheduler", [], inputs, expect, tol=1e-4, note=note, settings=settings)


WORKED = {  # spec pipelines.md 7.1, N = 4, shift 8: rows of timesteps and of updates
    "sync-3": (dict(frames=3), "999 999 999 UUU|959 959 959 UUU|888 888 888 UUU|727 727 727 UUU"),
    "sync-3-ready-1": (dict(frames=3, ready=1), "0 999 999 .UU|0 959 959 .UU|0 888 888 .UU|0 727 727 .UU"),
    "async-4": (
        dict(frames=4, ar_step=2),
        "999 999 999 999 U...|959 999 999 999 U...|888 999 999 999 UU..|727 959 999 999 UU..|0 888 999 999 .UU.|"
        "0 727 959 999 .UU.|0 0 888 999 ..UU|0 0 727 959 ..UU|0 0 0 888 ...U|0 0 0 727 ...U",
    ),
    "async-4-block-2": (
        dict(frames=4, ar_step=2, block=2),
        "999 999 999 999 UU..|959 959 999 999 UU..|888 888 999 999 UUUU|727 727 959 959 UUUU|"
        "0 0 888 888 ..UU|0 0 727 727 ..UU",
    ),
    "async-6-block-2-ready-2": (
        dict(frames=6, ar_step=2, block=2, ready=2),
        "0 0 999 999 999 999 ..UU..|0 0 959 959 999 999 ..UU..|0 0 888 888 999 999 ..UUUU|"
        "0 0 727 727 959 959 ..UUUU|0 0 0 0 888 888 ....UU|0 0 0 0 727 727 ....UU",
    ),
}


def _matrix_cases(f: Fixtures):
    def case(name, steps, shift, frames, ar_step=0, block=1, ready=0, base=None, note=""):
        template = sigma_list("A", steps, shift)[1]
        timesteps, update, windows = timestep_matrix(template, frames, ar_step, ready, block, base)
        settings = {
            "frames": frames,
            "steps": steps,
            "ar_step": ar_step,
            "block": block,
            "ready": ready,
            "base": frames if base is None else base,
            "shift": shift,
        }
        f.case(
            f"tmat-{name}",
            "timestep-matrix",
            [],
            None,
            {"timesteps": torch.from_numpy(timesteps), "update": torch.from_numpy(update).float()},
            tol=1e-6,
            note=f"{note or 'own implementation of the rule'}; matrix of {timesteps.shape}",
            settings=settings,
        )
        return timesteps, update, windows

    for name, (arguments, rows) in WORKED.items():
        timesteps, update, _ = case(name, 4, 8, note="worked example of the specification", **arguments)
        got = "|".join(
            " ".join(str(int(t)) for t in ts) + " " + "".join("U" if u else "." for u in us)
            for ts, us in zip(timesteps, update)
        )
        assert got == rows, (name, got)
    _, _, windows = case("window-5-base-3", 4, 8, 5, ar_step=2, base=3, note="worked example with a window")
    assert windows == [(0, 3)] * 6 + [(1, 4)] * 2 + [(2, 5)] * 4, windows
    for (frames, ready), rows in {(25, 0): 50, (25, 5): 45, (20, 5): 40}.items():
        timesteps, _, _ = case(
            f"real-{frames}-ready-{ready}",
            30,
            8,
            frames,
            ar_step=5,
            block=5,
            ready=ready,
            note="size printed in the specification",
        )
        assert len(timesteps) == rows
    picks = (named_values("timestep-matrix", 10 * 6) * 0.5 + 0.5).reshape(10, 6)
    for i, p in enumerate(picks):
        block = 1 + int(p[0] * 3)
        blocks = 1 + int(p[1] * 6)
        steps = 1 + int(p[2] * 9)
        ar_step = int(p[3] * (steps + 3))
        ready = block * int(p[4] * blocks)
        case(f"random-{i}", steps, (1, 3, 5, 8)[int(p[5] * 4)], blocks * block, ar_step, block, ready)
    case("part-ready", 5, 8, 6, ar_step=3, block=3, ready=2, note="two frames ready of a block of three: none is")


def _noise_cases(f: Fixtures):
    for seed, shape in (
        (42, "16"),
        (0, "1"),
        (99, "15"),
        (7, "17"),
        (1234567, "100"),
        (42, "16,3,6,10"),
        (2**32 + 5, "2,9"),
        (2**63 + 11, "33"),
        (2**64 - 1, "16,1,2,6"),
        (2**64 - 1, "3"),
    ):
        size = [int(n) for n in shape.split(",")]
        count = int(np.prod(size))
        want = noise.torch_cpu(seed, count)
        generator = torch.Generator("cpu")
        generator.manual_seed(seed)
        error = np.abs(torch.randn(count, generator=generator).numpy() - want).max()
        assert error < 3e-6, (seed, count, error)
        if seed == 42 and count == 16:
            assert np.abs(want[:6] - [1.9269, 1.4873, 0.9007, -2.1055, 0.6784, -1.2345]).max() < 6e-5
        f.case(
            f"noise-cpu-{seed}-{shape.replace(',', 'x')}",
            "noise",
            [],
            None,
            {"noise": torch.from_numpy(want).reshape(size)},
            tol=2e-6,
            settings={"kind": "torch-cpu", "seed": seed, "shape": shape},
            note=f"torch.randn here: {error:.0e}",
        )
    printed = {
        0: [-0.9246626, -0.4253441, -2.6438457, 0.1451839, -0.1208665, -0.5797256],
        42: [0.194019, 2.161374, -0.172051, 0.849060, -1.924399, 0.652986],
    }
    for seed, values in printed.items():
        want = noise.torch_cuda(seed, 6, 132)
        assert np.abs(want - values).max() < 1e-6
        f.case(
            f"noise-cuda-{seed}",
            "noise",
            [],
            None,
            {"noise": torch.from_numpy(want)},
            tol=2e-6,
            settings={"kind": "torch-cuda:132", "seed": seed, "shape": "6"},
            note="published values of a CUDA generator",
        )
    # With one multiprocessor of 2048 threads, small tensors are enough to reach lanes 1 to 3 and a second call.
    for seed, count, sms in ((5, 9000, 1), (2**40 + 3, 5000, 2)):
        want = noise.torch_cuda(seed, count, sms)
        f.case(
            f"noise-cuda-{seed}-{sms}sm",
            "noise",
            [],
            None,
            {"noise": torch.from_numpy(want)},
            tol=2e-6,
            settings={"kind": f"torch-cuda:{sms}", "seed": seed, "shape": str(count)},
            note="own implementation; lanes 1 to 3 are not confirmed by a card",
        )


def make(fixtures: Fixtures):
    _check_goldens()
    _scheduler_cases(fixtures)
    _matrix_cases(fixtures)
    _noise_cases(fixtures)
