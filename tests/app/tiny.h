// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/session/render.h"

namespace denoir::app {

/// Five frames of 48x32 in three steps with the tiny random model, which takes some tens of milliseconds.
inline Request tiny_request() {
    Request r;
    r.model = DENOIR_TINY_MODEL;
    r.prompt = "A red balloon.";
    r.width = 48, r.height = 32, r.frames = 5, r.steps = 3;
    r.seed = 7;
    r.dtype = DType::f32;
    r.threads = 2;
    return r;
}

} // namespace denoir::app
