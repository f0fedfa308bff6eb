// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "engine/pipeline/request.h"

namespace denoir {

/// How noisy a latent is after each step of a resolved request: sigma from near 1 (step 0, the start) down to 0 (after
/// the last one), one value more than steps. With diffusion forcing the mean over the latent frames of a window; each
/// of a clip's windows falls to 0.
std::vector<double> noise_levels(const Request&);

} // namespace denoir
