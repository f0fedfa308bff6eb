// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace denoir::cuda {

/// Throws Error where there is no driver (version 0) or one for an older major version of CUDA than `needed`; versions
/// as CUDA counts them, 13010 for 13.1. Card `index` was asked for.
void check_driver(int index, int driver, int needed);

} // namespace denoir::cuda
