// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

namespace denoir {

/// Where the usual layouts keep the tokenizer in a model's folder, and under which names. The first file that is there
/// counts, all of a folder before the next one's.
inline constexpr std::array tokenizer_folders{"", "google/umt5-xxl", "tokenizer", "umt5-xxl", "text_encoder"};
inline constexpr std::array tokenizer_names{"tokenizer.json", "spiece.model"};

} // namespace denoir
