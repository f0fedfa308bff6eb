// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>
#include <vector>

namespace denoir {

/// The words that a field of a request may be, in the order in which messages list them; empty if any value may be
/// given.
std::vector<std::string_view> request_choices(std::string_view key);

} // namespace denoir
