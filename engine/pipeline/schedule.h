// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to the pipeline.
#include "engine/pipeline/windows.h"
#include "engine/sampling/forcing_plan.h"
#include "engine/sampling/scheduler.h"

namespace denoir {

struct ModelFolder;

/// Sigmas and timesteps of a resolved request (spec/schedulers.md 2, lists A and B).
SigmaSchedule schedule_of(const Request&);

/// Rows of diffusion forcing in one of its windows (spec/pipelines.md 7.1).
ForcingPlan plan_of(const Request&, const Window&);

/// Below this share of 1000 a timestep is the low-noise expert's (spec/schedulers.md 8).
double expert_boundary(const Request&, const ModelFolder&);

} // namespace denoir
