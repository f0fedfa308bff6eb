// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/core/tensor.h"
#include "engine/weights/weights.h"

namespace denoir {

/// A tensor of a run folder, which anyone may have written: throws Error naming `field` where it is undefined, not f32,
/// of another shape or not finite.
void check_stored(const char* field, const Tensor&, const Shape&);

/// Throws Error naming the file of these weights where what they computed holds numbers that are not finite: a picture
/// would be black, and nobody would know why. `what`: "step 3", "the prompt"; `hint`: what to do.
void check_computed(const Weights& by, std::string_view what, const Tensor& host,
                    std::string_view hint = "its weights are damaged: download them again");

/// Contiguous f32 on the host: the index of the first value that is NaN or infinite.
std::optional<std::int64_t> first_not_finite(const Tensor& host);

} // namespace denoir
