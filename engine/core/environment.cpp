// SPDX-License-Identifier: Apache-2.0
#include "engine/core/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>

#include "engine/core/error.h"
#include "engine/core/log.h"

namespace denoir {

std::string_view environment_word(const char* variable, std::span<const std::string_view> known) {
    const char* set = std::getenv(variable);
    const std::string_view word = set ? set : "";
    const auto it = std::find(known.begin(), known.end(), word);
    if (it != known.end()) return *it;
    if (word.empty()) return {};
    // Never destroyed, since another thread may still call this while the process ends.
    static auto* const mutex = new std::mutex;
    static auto* const said = new std::set<std::string, std::less<>>;
    {
        const std::lock_guard lock(*mutex);
        if (!said->emplace(variable).second) return {};
    }
    log::warning(Error("", variable, fmt::format("'{}' is unknown and does nothing", printable(word, 40)),
                       fmt::format("use {}", fmt::join(known, ", ")))
                     .what());
    return {};
}

} // namespace denoir
