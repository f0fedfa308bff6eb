// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/core/tensor.h"
#include "engine/weights/weights.h"

namespace denoir {

/// Checks a tensor from a run folder, which anyone may have written. Throws Error naming `field` if it is undefined,
/// not f32, of another shape, or not finite.
void check_stored(const char* field, const Tensor&, const Shape&);

/// Throws Error naming the file of these weights if what they computed is not finite: else the picture would be black
/// and nobody would know why. `what` names the result: "step 3", "the prompt"; `hint` says what to do.
void check_computed(const Weights& by, std::string_view what, const Tensor& host,
                    std::string_view hint = "its weights are damaged: download them again");

/// Index of the first NaN or infinity; empty if there is none. `host`: contiguous f32 in host memory.
std::optional<std::int64_t> first_not_finite(const Tensor& host);

} // namespace denoir
