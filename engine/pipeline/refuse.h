// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to the pipeline.
#include <string>
#include <utility>

#include "engine/core/error.h"

namespace denoir {

/// Throws UsageError naming a field of the request.
[[noreturn]] inline void refuse(std::string field, std::string message, std::string hint) {
    throw UsageError({}, std::move(field), std::move(message), std::move(hint));
}

} // namespace denoir
