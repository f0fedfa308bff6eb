// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <string_view>

#include "engine/core/named.h"

namespace denoir {

/// Which reference a checkpoint belongs to; decides defaults and cast points, never arithmetic by itself.
enum class Family { wan, skyreels, skyreels_df, wan22 };
inline constexpr std::array<Named<Family>, 4> families{{{"wan", Family::wan},
                                                        {"skyreels", Family::skyreels},
                                                        {"skyreels-df", Family::skyreels_df},
                                                        {"wan2.2", Family::wan22}}};
constexpr std::string_view name(Family family) { return name_of(families, family); }

} // namespace denoir
