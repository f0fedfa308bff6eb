// SPDX-License-Identifier: Apache-2.0
#include "engine/core/error.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "engine/core/text.h"

namespace denoir {
namespace {

constexpr std::size_t line_limit = 360;

/// Code points that a line cannot show as they are: control characters, line separators, characters that reorder or
/// join text on a terminal, blanks that are invisible or look like a space, private and unassigned ones.
constexpr std::pair<char32_t, char32_t> unprintable[] = {
    {0x00, 0x1F},       {0x7F, 0xA0},       {0xAD, 0xAD},       {0x600, 0x605},     {0x61C, 0x61C},
    {0x6DD, 0x6DD},     {0x70F, 0x70F},     {0x890, 0x891},     {0x8E2, 0x8E2},     {0x1680, 0x1680},
    {0x180E, 0x180E},   {0x2000, 0x200F},   {0x2028, 0x202F},   {0x205F, 0x206F},   {0x3000, 0x3000},
    {0xE000, 0xF8FF},   {0xFDD0, 0xFDEF},   {0xFEFF, 0xFEFF},   {0xFFF0, 0xFFFB},   {0xFFFE, 0xFFFF},
    {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},
    {0xE0000, 0xE00FF}, {0xE01F0, 0x10FFFF}};

bool is_unprintable(std::string_view c) {
    char32_t point = static_cast<std::uint8_t>(c[0]);
    if (c.size() > 1) point &= 0xFFu >> (c.size() + 1);
    for (const char byte : c.substr(1)) point = point << 6 | (static_cast<std::uint8_t>(byte) & 0x3F);
    return std::any_of(std::begin(unprintable), std::end(unprintable),
                       [&](const auto& range) { return range.first <= point && point <= range.second; });
}

std::string compose(const std::string& file, const std::string& field, const std::string& message,
                    const std::string& hint) {
    std::string line;
    if (!file.empty()) line += printable(file, 120) + ": ";
    if (!field.empty()) line += printable(field, 100) + ": ";
    line += printable(message, 220);
    if (!hint.empty()) line += "; " + printable(hint, 140);
    return line.size() > line_limit ? printable(line, line_limit) : line;
}

} // namespace

std::string printable(std::string_view text, std::size_t limit) {
    // Skips the middle of a long text: four bytes leave at least one, so that this much of either end is enough.
    const std::size_t enough = 4 * limit + 4;
    std::string ends;
    if (text.size() / 2 > enough) text = ends.append(text.substr(0, enough)).append(text.substr(text.size() - enough));
    std::string clean;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t n = utf8_length(text.substr(i));
        if (n == 0 || is_unprintable(text.substr(i, n)))
            clean += '?';
        else
            clean += text.substr(i, n);
        i += n ? n : 1;
    }
    if (clean.size() <= limit) return clean;
    const std::string dots = "…";
    std::size_t head = (limit - dots.size()) * 2 / 3, tail = clean.size() - (limit - dots.size() - head);
    while (head > 0 && is_utf8_continuation(clean[head])) --head;
    while (tail < clean.size() && is_utf8_continuation(clean[tail])) ++tail;
    return clean.substr(0, head) + dots + clean.substr(tail);
}

Error::Error(std::string file, std::string field, std::string message, std::string hint)
    : file_(std::move(file)),
      field_(std::move(field)),
      message_(std::move(message)),
      hint_(std::move(hint)),
      line_(compose(file_, field_, message_, hint_)) {}

Error Error::in_file(std::string_view file) const {
    return file_.empty() ? Error(std::string(file), field_, message_, hint_) : *this;
}

} // namespace denoir
