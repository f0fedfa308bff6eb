// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace denoir::cuda {

/// Throws Error if there is no driver (version 0) or only one for an older major version of CUDA than `needed`.
/// Versions are numbered as CUDA does it, 13010 for 13.1. `index` is the card that was asked for.
void check_driver(int index, int driver, int needed);

} // namespace denoir::cuda
