// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime_api.h>

namespace denoir::cuda {

/// Throws Error for a call of the CUDA runtime that failed: out of memory with what to do, everything else by its name.
void check(cudaError_t code, const char* doing);
/// For launch.h.
void check_launch(int code);
void check_code(int code);

} // namespace denoir::cuda
