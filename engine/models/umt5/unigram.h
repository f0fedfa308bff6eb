// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace denoir::umt5 {

/// The unigram language model of a tokenizer: pieces with log probabilities. A word becomes the likeliest sequence of
/// pieces. Follows the `tokenizers` library, which the reference uses: every piece takes part, whatever its
/// SentencePiece type, and sums are in f64.
class Unigram {
public:
    static constexpr std::size_t max_pieces = 1'000'000;
    static constexpr std::size_t max_piece_bytes = 512;

    Unigram() = default;
    /// The id of a piece is its index. `pieces` must be well-formed UTF-8, scores finite, `unknown` an index. Of equal
    /// pieces the last counts.
    Unigram(std::vector<std::string> pieces, std::vector<double> scores, std::int64_t unknown, bool byte_fallback);

    /// Appends the ids of one word (well-formed UTF-8). Neighbouring unknown characters become one `<unk>` or, with
    /// byte fallback, one `<0x..>` piece per byte if the model has them all.
    void encode(std::string_view word, std::vector<std::int64_t>& ids) const;

    /// The id of a piece; -1 if there is no such piece.
    std::int64_t find(std::string_view piece) const;
    std::int64_t size() const { return static_cast<std::int64_t>(pieces_.size()); }

private:
    struct Node {
        double score = 0;
        std::int64_t id = -1; ///< of the piece that ends here on the best path; -1: not reached yet
        std::size_t start = 0;
    };
    std::vector<Node> best_path(std::string_view word) const;
    void append_unknown(std::string_view text, std::vector<std::int64_t>& ids) const;

    std::vector<std::string> pieces_;
    std::vector<double> scores_;
    std::vector<std::int32_t> sorted_; ///< ids by piece in byte order, one per distinct piece
    std::int64_t unknown_ = 0;
    double unknown_score_ = 0;
    bool byte_fallback_ = false;
};

} // namespace denoir::umt5
