// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/models/umt5/tokenizer_files.h"

namespace denoir::umt5 {

/// SentencePiece's numbers, which GGUF uses as well.
enum class PieceType { normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5, byte = 6 };

/// The pieces of a unigram model while its file is read; a spiece.model and a GGUF file hold the same ones.
struct Pieces {
    std::string_view file, list; ///< for errors; `list` is the field that holds the pieces
    std::vector<std::string> texts;
    std::vector<double> scores;
    std::vector<PieceType> types;

    [[noreturn]] void refuse(std::string field, std::string message) const;
    /// Appends a piece. Throws Error naming its place if it is invalid.
    void add(std::string_view text, float score, std::uint64_t type);
    /// Appends an empty piece, so that no text becomes this id.
    void add_unused();
};

/// Ids with a meaning.
struct Marks {
    std::int64_t unknown = 0;
    std::string_view unknown_field;  ///< the field that `unknown` was read from, for errors
    std::optional<std::int64_t> end; ///< empty: the id of </s>
};

/// The fast tokenizer that transformers makes of a spiece.model with these pieces. Throws Error.
TokenizerModel model_of(Pieces pieces, const Marks& marks, std::vector<Normalizer> normalizers,
                        const SentencePieceOptions& options);

} // namespace denoir::umt5
