// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace denoir {

/// The candidate that `word` was probably meant to be: the nearest by edit distance (insertions, deletions,
/// replacements, swapped neighbours; case is ignored, `-` and `_` are equal). Empty if none is within a third of the
/// word's length (at least one change); a candidate that begins with `word` (three letters or more) counts as near.
std::string closest(std::string_view word, std::span<const std::string_view> candidates);

/// The hint of an error about an unknown `word`: "did you mean X?" with the closest candidate; `otherwise` where none
/// is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates, std::string otherwise);

} // namespace denoir
