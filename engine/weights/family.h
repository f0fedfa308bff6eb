// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string_view>

namespace denoir {

/// Which reference a checkpoint belongs to; decides defaults and cast points, never arithmetic by itself.
enum class Family { wan, skyreels, skyreels_df, wan22 };
std::string_view name(Family); ///< "wan", "skyreels", "skyreels-df", "wan2.2"
std::optional<Family> family_from_name(std::string_view);

} // namespace denoir
