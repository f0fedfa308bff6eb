// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/models/umt5/tokenizer_files.h"

namespace denoir::umt5 {

/// SentencePiece's numbers, which GGUF took over.
enum class PieceType { normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5, byte = 6 };

/// The pieces of a unigram model while its file is read; a spiece.model and a GGUF file hold the same ones.
struct Pieces {
    std::string_view file, list; ///< for errors; `list` is the field that holds the pieces
    std::vector<std::string> texts;
    std::vector<double> scores;
    std::vector<PieceType> types;

    [[noreturn]] void refuse(std::string field, std::string message) const;
    /// The next piece, checked. Throws Error naming its place.
    void add(std::string_view text, float score, std::uint64_t type);
    /// The id of the next piece, which no text becomes.
    void add_nothing();
};

/// Ids with a meaning, and the field that told the first.
struct Marks {
    std::int64_t unknown = 0;
    std::string_view unknown_field;
    std::optional<std::int64_t> end; ///< nothing: that of </s>
};

/// A model of these pieces as transformers makes a fast tokenizer of a spiece.model.
TokenizerModel model_of(Pieces pieces, const Marks& marks, std::vector<Normalizer> normalizers,
                        const SentencePieceOptions& options);

} // namespace denoir::umt5
