// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime_api.h>

namespace denoir::cuda {

/// Throws Error for a call of the CUDA runtime that failed; `doing` says what it was for. Only a lack of memory has a
/// message of its own; every other failure is named by its code.
void check(cudaError_t code, const char* doing);
/// Throw Error as launch.h says.
void check_launch(int code);
void check_code(int code);

} // namespace denoir::cuda
