// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to the pipeline. The latents that a window begins with and that the transformer sees, [C,T,h,w] f32 host.
#include "engine/core/tensor.h"
#include "engine/pipeline/request.h"
#include "engine/pipeline/windows.h"

namespace denoir {

/// The noise of a window. One generator draws for all windows, in their order; a file holds their noise one behind the
/// other. `shape`: of the first window. Throws Error naming the noise file that has another shape than the run needs.
Tensor draw_noise(const Request&, Shape shape, const Window&);

/// A window before its first step: noise, the given frames over its first ones, an end image [C,1,h,w] behind it; both
/// undefined where there are none.
Tensor window_latent(const Request&, const Tensor& noise, const Tensor& given, const Tensor& end);

/// The clean frames [C,P,h,w] over the first ones of `latent`.
void put_prefix(const Tensor& prefix, Tensor& latent);

/// What the transformer sees of the first `ready` frames in a step of the run: some noise mixed in (spec/pipelines.md
/// 7.4). Each step's noise depends on the seed and the step alone, so that a resumed run sees the same.
Tensor with_condition_noise(const Request&, const Tensor& latent, int ready, int step);

} // namespace denoir
