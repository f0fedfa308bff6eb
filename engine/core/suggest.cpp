// SPDX-License-Identifier: Apache-2.0
#include "engine/core/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/text.h"

namespace denoir {
namespace {

std::string folded(std::string_view word) {
    std::string out;
    for (const char c : word) out += c == '-' ? '_' : lower_ascii(c);
    return out;
}

/// Optimal string alignment distance.
std::size_t distance(const std::string& a, const std::string& b) {
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j) {
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[a.size()][b.size()];
}

} // namespace

std::string closest(std::string_view word, std::span<const std::string_view> candidates) {
    constexpr std::size_t longest = 64; // names in files may be very long
    if (word.empty() || word.size() > longest) return {};
    const std::string want = folded(word);
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(1, want.size() / 3) + 1;
    for (const std::string_view candidate : candidates) {
        if (candidate.size() > longest) continue;
        const std::string have = folded(candidate);
        const bool prefix = want.size() >= 3 && have.size() > want.size() && have.starts_with(want);
        const std::size_t d = prefix ? 1 : distance(want, have);
        if (d < best_distance) best_distance = d, best = std::string(candidate);
    }
    return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates, std::string otherwise) {
    const std::string near = closest(word, candidates);
    return near.empty() ? otherwise : fmt::format("did you mean {}?", printable(near));
}

} // namespace denoir
