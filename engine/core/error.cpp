// SPDX-License-Identifier: Apache-2.0
#include "engine/core/error.h"

#include <cstdint>

#include "engine/core/text.h"

namespace denoir {
namespace {

constexpr std::size_t line_limit = 360;

bool is_control(std::string_view c) {
    const auto b = static_cast<std::uint8_t>(c[0]);
    if (c.size() == 1) return b < 0x20 || b == 0x7F;
    if (c.size() == 2 && b == 0xC2 && static_cast<std::uint8_t>(c[1]) < 0xA0) return true;
    // Line separators and the characters that reorder text on a terminal.
    if (c.size() == 3 && b == 0xE2) {
        const auto m = static_cast<std::uint8_t>(c[1]), l = static_cast<std::uint8_t>(c[2]);
        return (m == 0x80 && ((l >= 0x8E && l <= 0x8F) || (l >= 0xA8 && l <= 0xAE))) ||
               (m == 0x81 && l >= 0xA6 && l <= 0xA9);
    }
    return false;
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
    std::string clean;
    for (std::size_t i = 0; i < text.size() && clean.size() < 4096;) {
        const std::size_t n = utf8_length(text.substr(i));
        if (n == 0 || is_control(text.substr(i, n)))
            clean += '?';
        else
            clean += text.substr(i, n);
        i += n ? n : 1;
    }
    if (clean.size() <= limit) return clean;
    const std::string dots = "…";
    std::size_t head = (limit - dots.size()) * 2 / 3, tail = clean.size() - (limit - dots.size() - head);
    while (head > 0 && (static_cast<std::uint8_t>(clean[head]) & 0xC0) == 0x80) --head;
    while (tail < clean.size() && (static_cast<std::uint8_t>(clean[tail]) & 0xC0) == 0x80) ++tail;
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
