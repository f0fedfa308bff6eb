// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <string>
#include <utility>

#include "engine/core/error.h"

namespace denoir::test {

/// The message of the Error that `run` throws, or "accepted" if it throws none.
template <std::invocable Run> std::string refusal(Run&& run) {
    try {
        std::forward<Run>(run)();
    } catch (const Error& e) {
        return e.what();
    }
    return "accepted";
}

} // namespace denoir::test
