// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/tensor.h"
#include "engine/weights/weights.h"

namespace denoir {

/// A tensor of a run folder, which anyone may have written: throws Error naming `field` where it is undefined, not f32,
/// of another shape or not finite.
void check_stored(const char* field, const Tensor&, const Shape&);

/// Throws Error naming the file of these weights where what they computed holds numbers that are not finite: a picture
/// would be black, and nobody would know why. `what`: "step 3", "the prompt".
void check_computed(const Weights& by, std::string_view what, const Tensor& host);

} // namespace denoir
