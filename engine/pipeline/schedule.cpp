// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/schedule.h"

#include "engine/weights/model_folder.h"

namespace denoir {

SigmaSchedule schedule_of(const Request& r) { return sigma_schedule(usual_sigmas(*r.sampler), *r.steps, *r.shift); }

ForcingPlan plan_of(const Request& r, const Window& w) {
    return forcing_plan(schedule_of(r), {.frames = w.frames,
                                         .base = w.frames,
                                         .ar_step = r.forcing->ar_step,
                                         .ready = w.ready,
                                         .block = r.forcing->block,
                                         .end_frames = w.last && !r.last_image.empty() ? 1 : 0});
}

double expert_boundary(const Request& r, const ModelFolder& model) {
    const auto it = model.model_index.find("boundary_ratio");
    if (it != model.model_index.end() && it->is_number()) return it->get<double>();
    return *r.mode == Mode::t2v ? 0.875 : 0.9; // spec/schedulers.md 8: of the model, whatever images it takes
}

} // namespace denoir
