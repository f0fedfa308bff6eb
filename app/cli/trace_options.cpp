// SPDX-License-Identifier: Apache-2.0
#include "app/cli/trace_options.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/core/error.h"

namespace denoir::cli {

namespace {

/// The patterns of all --layers; each may hold several, separated by commas.
std::vector<std::string> patterns(const Arguments& args) {
    std::vector<std::string> all;
    for (const std::string& value : args.all("--layers"))
        for (std::size_t begin = 0; begin <= value.size();) {
            const std::size_t end = std::min(value.find(',', begin), value.size());
            if (end == begin)
                throw UsageError("", "--layers", "an empty pattern", "write a layer's name, with * for any letters");
            all.push_back(value.substr(begin, end - begin));
            begin = end + 1;
        }
    return all;
}

} // namespace

TraceSelection trace_selection(const Arguments& args) {
    refuse_empty(args, "--steps", "write it like 1,4-6,last");
    return {patterns(args), args.get("--steps")};
}

} // namespace denoir::cli
