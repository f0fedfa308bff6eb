// SPDX-License-Identifier: Apache-2.0
#include "engine/models/umt5/unigram.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "engine/core/text.h"

namespace denoir::umt5 {
namespace {

constexpr double unknown_penalty = 10; ///< an unknown character costs this much more than the rarest piece

/// A score as the reference reads it from tokenizer.json: all digits as one integer, rounded, then divided by a power
/// of ten and rounded again (serde_json without its exact mode). In a row of equal characters the last bit decides
/// which of several splits wins, so we do the same, and for spiece.model as well: both files then give the same ids.
double as_read_by_reference(double score) {
    char text[32];
    const auto [end, error] = std::to_chars(text, text + sizeof text, std::abs(score), std::chars_format::scientific);
    std::uint64_t digits = 0;
    int exponent = 0;
    const char* c = text;
    for (; c != end && *c != 'e'; ++c) {
        if (*c == '.') continue;
        digits = digits * 10 + static_cast<std::uint64_t>(*c - '0'); // at most 17 of them
        --exponent;
    }
    if (error != std::errc() || c == end) return score;
    int written = 0;
    std::from_chars(c + (c[1] == '+' ? 2 : 1), end, written);
    exponent += written + 1;
    if (exponent < -300 || exponent > 300) return score;
    double power = 1; // correctly rounded, as a literal would be
    const std::string literal = fmt::format("1e{}", std::abs(exponent));
    std::from_chars(literal.data(), literal.data() + literal.size(), power);
    const double value = exponent < 0 ? static_cast<double>(digits) / power : static_cast<double>(digits) * power;
    return score < 0 ? -value : value;
}

/// Compares bytes as unsigned (as std::string does); a beginning comes before the longer piece.
struct ByPiece {
    const std::vector<std::string>& pieces;
    bool operator()(std::int32_t a, std::string_view b) const { return pieces[static_cast<std::size_t>(a)] < b; }
    bool operator()(std::int32_t a, std::int32_t b) const {
        const int order = pieces[static_cast<std::size_t>(a)].compare(pieces[static_cast<std::size_t>(b)]);
        return order != 0 ? order < 0 : a < b;
    }
};

} // namespace

Unigram::Unigram(std::vector<std::string> pieces, std::vector<double> scores, std::int64_t unknown, bool byte_fallback)
    : pieces_(std::move(pieces)),
      scores_(std::move(scores)),
      sorted_(pieces_.size()),
      unknown_(unknown),
      byte_fallback_(byte_fallback) {
    std::transform(scores_.begin(), scores_.end(), scores_.begin(), as_read_by_reference);
    std::iota(sorted_.begin(), sorted_.end(), 0);
    std::sort(sorted_.begin(), sorted_.end(), ByPiece{pieces_});
    const auto piece = [&](std::size_t i) -> const std::string& {
        return pieces_[static_cast<std::size_t>(sorted_[i])];
    };
    std::size_t kept = 0;
    for (std::size_t i = 0; i < sorted_.size(); ++i) {
        const bool repeated = i + 1 < sorted_.size() && piece(i) == piece(i + 1);
        if (!repeated && !piece(i).empty()) sorted_[kept++] = sorted_[i];
    }
    sorted_.resize(kept);
    unknown_score_ = (scores_.empty() ? 0 : *std::min_element(scores_.begin(), scores_.end())) - unknown_penalty;
}

std::int64_t Unigram::find(std::string_view piece) const {
    const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), piece, ByPiece{pieces_});
    return found != sorted_.end() && pieces_[static_cast<std::size_t>(*found)] == piece ? *found : -1;
}

/// The Viterbi algorithm over byte positions: takes every start in turn and its pieces from short to long. A path is
/// replaced only by a better one, not by an equal one.
std::vector<Unigram::Node> Unigram::best_path(std::string_view word) const {
    std::vector<Node> ends(word.size() + 1);
    const auto offer = [&](std::size_t start, std::size_t length, std::int64_t id, double score) {
        Node& end = ends[start + length];
        const double total = score + ends[start].score;
        if (end.id < 0 || total > end.score) end = {total, id, start};
    };
    for (std::size_t start = 0; start < word.size();) {
        const std::size_t character = std::max<std::size_t>(utf8_length(word.substr(start)), 1);
        bool single = false;
        // The pieces that begin with word[start, start + n) are neighbours in `sorted_`; the range shrinks as n grows.
        auto first = sorted_.begin(), last = sorted_.end();
        for (std::size_t n = 0; start + n < word.size(); ++n) {
            const auto byte = static_cast<std::uint8_t>(word[start + n]);
            const auto at = [&](std::int32_t id) {
                return static_cast<std::uint8_t>(pieces_[static_cast<std::size_t>(id)][n]);
            };
            first = std::partition_point(first, last, [&](std::int32_t id) { return at(id) < byte; });
            last = std::partition_point(first, last, [&](std::int32_t id) { return at(id) == byte; });
            if (first == last) break;
            if (const auto id = static_cast<std::size_t>(*first); pieces_[id].size() == n + 1) {
                offer(start, n + 1, *first, scores_[id]);
                single |= n + 1 == character;
                ++first; // this piece ends here; the others are longer
            }
        }
        if (!single) offer(start, character, unknown_, unknown_score_);
        start += character;
    }
    return ends;
}

void Unigram::append_unknown(std::string_view text, std::vector<std::int64_t>& ids) const {
    if (const std::int64_t id = find(text); id >= 0) {
        ids.push_back(id);
        return;
    }
    std::vector<std::int64_t> bytes;
    if (byte_fallback_) {
        for (char c : text) bytes.push_back(find(fmt::format("<0x{:02X}>", static_cast<std::uint8_t>(c))));
        if (std::find(bytes.begin(), bytes.end(), -1) != bytes.end()) bytes.clear();
    }
    if (bytes.empty()) bytes.push_back(unknown_);
    ids.insert(ids.end(), bytes.begin(), bytes.end());
}

void Unigram::encode(std::string_view word, std::vector<std::int64_t>& ids) const {
    const std::vector<Node> ends = best_path(word);
    std::vector<std::size_t> path; // the ends of the pieces, last one first
    for (std::size_t end = word.size(); end > 0; end = ends[end].start) path.push_back(end);
    std::reverse(path.begin(), path.end());
    for (std::size_t i = 0; i < path.size(); ++i) {
        const Node& node = ends[path[i]];
        if (node.id != unknown_) {
            ids.push_back(node.id);
            continue;
        }
        while (i + 1 < path.size() && ends[path[i + 1]].id == unknown_) ++i;
        append_unknown(word.substr(node.start, path[i] - node.start), ids);
    }
}

} // namespace denoir::umt5
