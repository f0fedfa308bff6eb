// SPDX-License-Identifier: Apache-2.0
// Options whose value is one of a few words. Shell completion uses these tables, and so does reading those options that
// are not fields of a request. The first word is the default if the option may be left out.
#pragma once
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/cli/console.h"
#include "app/cli/options.h"
#include "engine/compare/outputs.h"
#include "engine/compare/pairs.h"
#include "engine/compare/source.h"
#include "engine/core/dtype.h"
#include "engine/core/named.h"
#include "engine/weights/convert.h"
#include "engine/weights/lora.h"

namespace denoir::cli {

/// auto stands for a line on a terminal, and for none otherwise.
inline constexpr std::array<Named<std::optional<ProgressStyle>>, 3> progress_styles{
    {{"auto", std::nullopt}, {"plain", ProgressStyle::plain}, {"none", ProgressStyle::none}}};
inline constexpr std::array<Named<FrameMatch>, 2> frame_matches{
    {{"index", FrameMatch::index}, {"time", FrameMatch::time}}};
inline constexpr std::array<Named<PairOptions::Resize>, 3> resizes{
    {{"no", PairOptions::Resize::refuse}, {"a", PairOptions::Resize::to_a}, {"b", PairOptions::Resize::to_b}}};
inline constexpr std::array<Named<DifferenceMode>, 2> difference_modes{
    {{"absolute", DifferenceMode::absolute}, {"signed", DifferenceMode::with_sign}}};
inline constexpr std::array<Named<SourceDepth>, 2> depths{{{"8", SourceDepth::bytes}, {"float", SourceDepth::floats}}};

/// The names in a table of Named values.
template <class Table> std::vector<std::string_view> words_of(const Table& table) {
    std::vector<std::string_view> out;
    for (const auto& named : table) out.push_back(named.name);
    return out;
}

/// The index of `word` among `words`. Throws UsageError naming the option if it is none of them.
std::size_t choice(std::string_view option, std::string_view word, std::span<const std::string_view> words);

/// The value of the word that was given, or the first of the table.
template <class T, std::size_t N>
T choice(const Arguments& args, std::string_view option, const std::array<Named<T>, N>& table) {
    return table[choice(option, args.get(option, std::string(table[0].name)), words_of(table))].value;
}

/// The words that the option takes; empty if it takes anything.
std::vector<std::string_view> option_choices(const Command&, const Option&);

} // namespace denoir::cli
