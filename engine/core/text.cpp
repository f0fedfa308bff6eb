// SPDX-License-Identifier: Apache-2.0
#include "engine/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <system_error>

namespace denoir {
namespace {

/// The run of digits at `at`, without leading zeros. Moves `at` behind it.
std::string_view digits_at(std::string_view text, std::size_t& at) {
    while (at < text.size() && text[at] == '0') ++at;
    const std::size_t begin = at;
    while (at < text.size() && is_ascii_digit(text[at])) ++at;
    return text.substr(begin, at - begin);
}

/// Whether a decimal number that f64 cannot hold is too large for it, and not too small.
bool is_huge(std::string_view number) {
    const std::size_t e = number.find_first_of("eE"), point = std::min(number.find('.'), std::min(e, number.size()));
    const std::size_t first = number.find_first_of("123456789");
    std::int64_t exponent = 0;
    if (e != std::string_view::npos) {
        const char* digits = number.data() + e + 1 + (number[e + 1] == '+');
        if (std::from_chars(digits, number.data() + number.size(), exponent).ec != std::errc())
            return number[e + 1] != '-';
        constexpr std::int64_t beyond = std::int64_t{1} << 40; // more digits than any text has
        exponent = std::clamp(exponent, -beyond, beyond);
    }
    return exponent + static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) > 0;
}

} // namespace

std::size_t utf8_length(std::string_view s) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(s[i]); };
    const std::uint8_t b = byte(0);
    const std::size_t n = b < 0x80                ? 1
                          : b >= 0xC2 && b < 0xE0 ? 2
                          : b >= 0xE0 && b < 0xF0 ? 3
                          : b >= 0xF0 && b < 0xF5 ? 4
                                                  : 0;
    if (n == 0 || n > s.size()) return 0;
    for (std::size_t i = 1; i < n; ++i)
        if (!is_utf8_continuation(s[i])) return 0;
    if ((b == 0xE0 && byte(1) < 0xA0) || (b == 0xED && byte(1) > 0x9F)) return 0;
    if ((b == 0xF0 && byte(1) < 0x90) || (b == 0xF4 && byte(1) > 0x8F)) return 0;
    return n;
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        std::uint64_t eight = 0;
        if (i + 8 <= text.size()) { // faster for ASCII, of which headers of 100 MB mostly consist
            std::memcpy(&eight, text.data() + i, 8);
            if ((eight & 0x8080808080808080u) == 0) {
                i += 8;
                continue;
            }
        }
        const std::size_t n = utf8_length(text.substr(i));
        if (n == 0) return i;
        i += n;
    }
    return std::nullopt;
}

void append_utf8(std::string& out, std::uint32_t code) {
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | (code >> shift & 0x3F)); };
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xC0 | code >> 6);
        tail(0);
    } else if (code < 0x10000) {
        out += static_cast<char>(0xE0 | code >> 12);
        tail(6), tail(0);
    } else {
        out += static_cast<char>(0xF0 | code >> 18);
        tail(12), tail(6), tail(0);
    }
}

std::optional<double> read_double(std::string_view text) {
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size() || problem == std::errc::invalid_argument) return std::nullopt;
    if (problem != std::errc::result_out_of_range) return value;
    const double size = is_huge(text) ? std::numeric_limits<double>::infinity() : 0;
    return text.starts_with('-') ? -size : size;
}

std::string bytes_text(double bytes) {
    constexpr double kib = 1024, mib = kib * kib, gib = mib * kib;
    // A number that would be rounded to 1024.0 is given in the next unit.
    constexpr double last = 1023.95;
    if (bytes >= last * mib) return fmt::format("{:.2f} GiB", bytes / gib);
    if (bytes >= last * kib) return fmt::format("{:.1f} MiB", bytes / mib);
    return bytes >= kib - 0.5 ? fmt::format("{:.1f} KiB", bytes / kib) : fmt::format("{:.0f} B", bytes);
}

std::string counted(std::uint64_t n, std::string_view what) {
    return std::to_string(n).append(" ").append(what).append(n == 1 ? "" : "s");
}

bool natural_less(std::string_view a, std::string_view b) {
    std::size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        if (is_ascii_digit(a[i]) && is_ascii_digit(b[j])) {
            const std::string_view m = digits_at(a, i), n = digits_at(b, j);
            if (m.size() != n.size()) return m.size() < n.size();
            if (m != n) return m < n;
        } else {
            if (a[i] != b[j]) return a[i] < b[j];
            ++i, ++j;
        }
    }
    const bool a_ends = i == a.size(), b_ends = j == b.size();
    return a_ends != b_ends ? a_ends : a < b;
}

std::string file_slug(std::string_view text, std::size_t limit, std::string_view also) {
    std::string out;
    for (const char c : text) {
        if (out.size() >= limit) break;
        if (is_ascii_alphanumeric(c) || also.find(c) != std::string_view::npos)
            out += c;
        else if (!out.empty() && out.back() != '-')
            out += '-';
    }
    while (!out.empty() && !is_ascii_alphanumeric(out.back())) out.pop_back();
    return out;
}

char lower_ascii(char c) { return is_ascii_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower_ascii(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return lower_ascii(c); });
    return lower;
}

} // namespace denoir
