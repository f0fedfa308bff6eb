// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#include "engine/core/error.h"

namespace denoir::cuda {
namespace {

std::vector<std::string> folders() {
    std::vector<std::string> all{""};
    if (const char* listed = std::getenv("DENOIR_CUDA_LIBRARIES"))
        for (std::string_view rest = listed; !rest.empty();) {
            const std::size_t end = std::min(rest.find(':'), rest.size());
            if (end > 0) all.push_back(std::string(rest.substr(0, end)) + "/");
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    for (const char* usual : {"/usr/local/cuda/lib64/", "/usr/local/cuda/lib/", "/opt/cuda/lib64/"})
        all.emplace_back(usual);
    return all;
}

} // namespace

void* open_library(std::initializer_list<const char*> names, std::string& why) {
    std::string found; // what the loader said of one that is there but cannot be opened
    for (const char* name : names)
        for (const std::string& folder : folders()) {
            if (void* library = ::dlopen((folder + name).c_str(), RTLD_NOW | RTLD_GLOBAL)) return library;
            const char* error = ::dlerror();
            if (error && found.empty() &&
                !std::string_view(error).starts_with(folder + name + ": cannot open shared object file"))
                found = error;
        }
    why = found.empty() ? fmt::format("{} is not installed", *names.begin()) : printable(found, 200);
    return nullptr;
}

} // namespace denoir::cuda
