// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/family.h"

#include <algorithm>
#include <array>
#include <utility>

namespace denoir {
namespace {

constexpr std::array families{std::pair{Family::wan, std::string_view("wan")},
                              std::pair{Family::skyreels, std::string_view("skyreels")},
                              std::pair{Family::skyreels_df, std::string_view("skyreels-df")},
                              std::pair{Family::wan22, std::string_view("wan2.2")}};

} // namespace

std::string_view name(Family family) {
    return std::ranges::find_if(families, [&](const auto& f) { return f.first == family; })->second;
}

std::optional<Family> family_from_name(std::string_view wanted) {
    const auto it = std::ranges::find_if(families, [&](const auto& f) { return f.second == wanted; });
    return it == families.end() ? std::nullopt : std::optional(it->first);
}

} // namespace denoir
