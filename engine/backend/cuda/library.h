// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <dlfcn.h>

#include <initializer_list>
#include <string>

namespace denoir::cuda {

/// Opens the first of these shared libraries that is found: by the loader's rules, then in the folders of
/// DENOIR_CUDA_LIBRARIES (separated by colons), then where the CUDA toolkit usually lies. Null, with the reason in
/// `why`, if there is none. A library is never closed.
void* open_library(std::initializer_list<const char*> names, std::string& why);

/// Sets `function` to the library's function of this name. Sets it to null and returns false if there is none.
template <class F> bool find(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(::dlsym(library, name));
    return function != nullptr;
}

} // namespace denoir::cuda
