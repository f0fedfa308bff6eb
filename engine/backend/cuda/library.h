// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <initializer_list>
#include <string>

namespace denoir::cuda {

/// Opens the first of these shared libraries: by the loader's rules, then in the folders of DENOIR_CUDA_LIBRARIES
/// (separated by colons), then where the CUDA toolkit usually lies. Null, with the reason in `why`. Never closed.
void* open_library(std::initializer_list<const char*> names, std::string& why);

/// A function of it, or null.
void* find_function(void* library, const char* name);

} // namespace denoir::cuda
