// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/models/umt5/normalizer.h"
#include "engine/models/umt5/unigram.h"

namespace denoir::umt5 {

/// A token that is recognised in the text itself, before the language model sees it ("</s>", "<extra_id_5>").
struct AddedToken {
    std::string content;
    std::int64_t id = 0;
    bool single_word = false; ///< only where no letter or digit touches it
    bool lstrip = false;      ///< takes the white space before it along
    bool rstrip = false;      ///< and behind it
    bool normalized = false;  ///< looked for after normalisation
};

/// What a tokenizer file says, checked, as plain data.
struct TokenizerModel {
    std::string file; ///< for what shows only when a text is encoded
    Unigram unigram;
    std::vector<Normalizer> normalizers;
    std::vector<PreTokenizer> pre_tokenizers;
    std::vector<AddedToken> added;
    std::vector<std::int64_t> before, after; ///< ids around every text; `after` ends in </s>
    std::int64_t vocabulary = 0;             ///< the largest id plus one
};

/// Largest file that is read, of either kind.
constexpr std::size_t max_tokenizer_bytes = std::size_t{64} << 20;
constexpr std::int64_t max_token_id = 2'000'000;

/// What stands beside a SentencePiece model in tokenizer_config.json.
struct SentencePieceOptions {
    std::optional<int> extra_ids; ///< `<extra_id_…>` behind the pieces; none: 300 for UMT5's 256,000 pieces, else 100
    bool legacy = true;           ///< false: a space is put before the very first word only
};

/// A SentencePiece ModelProto (spiece.model), read as the fast tokenizer that transformers makes of it: unigram with
/// every piece, the map of characters, no white space at the end, runs of spaces made one, no byte fallback even where
/// the model was trained with it, </s> behind the text. The wire format is walked here, no library sees the file.
/// Throws Error.
TokenizerModel read_sentencepiece(std::span<const std::byte> bytes, std::string_view file,
                                  const SentencePieceOptions& = {});

/// A tokenizer.json of the `tokenizers` library with a Unigram model. Parts of it that we do not know are refused by
/// name.
TokenizerModel read_tokenizer_json(std::string_view text, std::string_view file);

} // namespace denoir::umt5
