// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/tensor.h"

namespace denoir {

/// A tensor of a run folder, which anyone may have written: throws Error naming `field` where it is undefined, not f32,
/// of another shape or not finite.
void check_stored(const char* field, const Tensor&, const Shape&);

} // namespace denoir
