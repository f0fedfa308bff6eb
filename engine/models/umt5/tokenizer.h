// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/models/umt5/clean.h"

namespace denoir::umt5 {

struct TokenizerModel;

/// A unigram vocabulary in lists, as GGUF files have it under `tokenizer.ggml.…` (spec/umt5.md 4.1). The views point
/// into the file.
struct PieceLists {
    std::vector<std::string_view> texts;
    std::vector<float> scores;
    std::vector<std::int32_t> types; ///< SentencePiece's numbers (PieceType); empty: all are normal
    std::span<const std::byte> charsmap;
    std::optional<std::int64_t> unknown; ///< empty: the first piece of that type
    std::optional<std::int64_t> end;     ///< empty: the id of </s>
};

/// Text to ids, as transformers' fast T5 tokenizer does it with the same file (spec/umt5.md 4). Immutable after
/// loading, usable from any thread; a copy shares the vocabulary.
class Tokenizer {
public:
    /// Loads a spiece.model or tokenizer.json, told apart by content, or a folder that holds one (tokenizer_folders).
    /// Throws Error naming file and field.
    static Tokenizer load(const std::filesystem::path& file_or_folder);
    /// Reads the bytes of a spiece.model that are stored elsewhere (tensor `spiece_model` of a safetensors file).
    /// `origin` is the file's name in errors. Throws Error.
    static Tokenizer from_model_bytes(std::span<const std::byte> bytes, std::string_view origin);
    /// Reads the pieces of a GGUF file; the views are not kept. `origin` is the file's name in errors. Throws Error.
    static Tokenizer from_lists(const PieceLists& lists, std::string_view origin);

    /// The ids of a text from clean(), with </s> at the end, at most `text_len` (>= 2) of them. Longer texts are cut
    /// off at the end, and `*cut`, if not null, is set to whether that happened. Malformed UTF-8 becomes U+FFFD. Throws
    /// Error naming the tokenizer's file if its normaliser turns the text into megabytes.
    std::vector<std::int64_t> encode(std::string_view cleaned, int text_len, bool* cut = nullptr) const;

    /// One more than the largest id that encode() can return: 256,300 for UMT5.
    int vocabulary() const;

private:
    explicit Tokenizer(TokenizerModel model);
    std::shared_ptr<const TokenizerModel> model_;
};

} // namespace denoir::umt5
