// SPDX-License-Identifier: Apache-2.0
#include "app/cli/choices.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/error.h"
#include "engine/session/request_choices.h"

namespace denoir::cli {

std::size_t choice(std::string_view option, std::string_view word, std::span<const std::string_view> words) {
    const auto found = std::find(words.begin(), words.end(), word);
    if (found != words.end()) return std::size_t(found - words.begin());
    const auto but_last = words.first(words.size() - 1);
    throw UsageError("", std::string(option), fmt::format("'{}' is unknown", printable(word, 40)),
                     fmt::format("use {} or {}", fmt::join(but_last, ", "), words.back()));
}

std::vector<std::string_view> option_choices(const Command& command, const Option& option) {
    if (command.name == "convert" && option.name == "--dtype") return words_of(convert_dtypes);
    if (option.name == "--progress") return words_of(progress_styles);
    if (option.name == "--match") return words_of(frame_matches);
    if (option.name == "--resize") return words_of(resizes);
    if (option.name == "--difference-mode") return words_of(difference_modes);
    if (option.name == "--depth") return words_of(depths);
    if (option.name == "--layout") return words_of(convert_layouts);
    if (option.name == "--quantize") return words_of(quantisations);
    if (option.name == "--lora-expert") return words_of(lora_experts);
    if (option.name == "--device") return {"cpu", "cuda"}; // and cuda:N
    return request_choices(option.name.substr(2));
}

} // namespace denoir::cli
