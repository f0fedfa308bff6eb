// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/core/json_reader.h"
#include "engine/models/umt5/normalizer.h"
#include "engine/models/umt5/tokenizer.h"
#include "engine/models/umt5/unigram.h"

namespace denoir::umt5 {

/// A token that is recognised in the text itself, before the language model sees it ("</s>", "<extra_id_5>").
struct AddedToken {
    std::string content;
    std::int64_t id = 0;
    bool single_word = false; ///< found only where no letter or digit touches it
    bool lstrip = false;      ///< includes the white space before it
    bool rstrip = false;      ///< includes the white space behind it
    bool normalized = false;  ///< looked for after normalisation
    bool special = false;
};

/// The special token with this text, and defaults for everything else.
inline AddedToken special_token(std::string content) {
    return {std::move(content), 0, false, false, false, false, true};
}

/// One form in which an added token is looked for: its text as it is, or as normalisation leaves it.
struct AddedPattern {
    std::size_t token = 0; ///< place of the token in TokenizerModel::added
    bool normalized = false;
};

/// The checked contents of a tokenizer file.
struct TokenizerModel {
    std::string file; ///< for errors that come up only when a text is encoded
    Unigram unigram;
    std::vector<Normalizer> normalizers;
    std::vector<PreTokenizer> pre_tokenizers;
    std::vector<AddedToken> added;              ///< one for each text, as described last
    std::vector<AddedPattern> special_patterns; ///< one for each special token, as described first
    std::vector<AddedPattern> patterns;         ///< one for each description of the other tokens
    std::vector<AddedToken> listed;             ///< of a tokenizer.json, by its own ids; add_tokens() empties the list
    std::vector<std::int64_t> before, after;    ///< ids around every text; `after` ends in </s>
    std::int64_t vocabulary = 0;                ///< the largest id plus one
};

/// Puts tokens into a model, each text once, as the `tokenizers` library does it: a text that is a piece has the
/// piece's id, any other the next one after the largest, whatever a file says.
class TokenAdder {
public:
    explicit TokenAdder(TokenizerModel& model);
    /// Adds a list of tokens. A text that the model has already gets the new description, but keeps its id. A text that
    /// one token of the list makes special is looked for as a special one. Tokens without a text, and descriptions that
    /// repeat the model's or an earlier one of the list, are passed over.
    void add(std::vector<AddedToken> tokens);
    /// The added token with this text as it was described last; null if there is none.
    const AddedToken* find(const std::string& content) const;

private:
    std::size_t place(AddedToken token);
    void add_pattern(std::size_t place, const AddedToken& token);
    void note(std::size_t i);
    TokenizerModel& model_;
    std::int64_t next_; ///< the id of the next text that is no piece
    std::unordered_map<std::string, std::size_t> places_;
    std::unordered_set<std::size_t> special_; ///< the tokens of `special_patterns`
};

/// Size of the largest file that is read, of either kind.
constexpr std::size_t max_tokenizer_bytes = std::size_t{64} << 20;
constexpr std::int64_t max_token_id = 2'000'000;
constexpr std::size_t max_added = 100'000; ///< tokens in one list

/// The source for a JsonReader of a tokenizer's JSON file.
JsonSource tokenizer_source(std::string_view file);
/// A string no longer than a piece (a token, a type). Throws Error.
std::string short_text(const JsonReader&);
/// Reads a token's flags from the object `node`; those it leaves out are as in the `tokenizers` library. The token is
/// special if `special` is set, whatever the object says.
void read_flags(const JsonReader& node, bool special, AddedToken& token);

/// A token that a configuration names.
struct NamedToken {
    AddedToken token; ///< without its id, which the model decides
    bool bare = true; ///< only the text is given: an added token with this text keeps the tokenizer file's flags
};

/// The contents of tokenizer_config.json and special_tokens_map.json beside a tokenizer file.
struct TokenizerConfig {
    bool there = false; ///< at least one of the files exists
    std::optional<int> extra_ids;
    bool legacy = true;
    std::optional<std::vector<NamedToken>> decoder; ///< `added_tokens_decoder`, by rising id
    /// bos_token, eos_token, …; T5's defaults for those that the files do not have
    std::vector<NamedToken> special{{special_token("</s>")}, {special_token("<unk>")}, {special_token("<pad>")}};
    std::vector<NamedToken> additional; ///< `additional_special_tokens`
};

/// Reads those of the two files that exist in `folder` as transformers does: special_tokens_map.json counts only if the
/// other has no `added_tokens_decoder`. Keys that this program does not use are ignored. Throws Error naming file and
/// field.
TokenizerConfig read_tokenizer_config(const std::filesystem::path& folder);

/// Adds to a tokenizer the tokens that transformers' T5TokenizerFast adds while loading it: those of the configuration
/// and the extra ids or, without a configuration, those of </s>, <unk> and <pad> that are pieces. The configuration's
/// texts that are no pieces get new ids.
void add_tokens(TokenizerModel& model, const TokenizerConfig& config);

/// The values of tokenizer_config.json that a SentencePiece model needs.
struct SentencePieceOptions {
    std::optional<int> extra_ids; ///< number of `<extra_id_…>`; empty: 300 for UMT5's 256,000 pieces, else 100
    bool legacy = true;           ///< false: a space is put before the very first word only
};

/// Reads a SentencePiece ModelProto (spiece.model) as the fast tokenizer that transformers makes of it: unigram with
/// every piece, the character map, no white space at the end, one space for a run of them, </s> behind the text, and no
/// byte fallback even if the model was trained with it. Throws Error.
TokenizerModel read_sentencepiece(std::span<const std::byte> bytes, std::string_view file,
                                  const SentencePieceOptions& = {});

/// Reads the lists of a GGUF file so that texts get the same ids as with the spiece.model they were made of: trailing
/// entries for rows without a piece are dropped, and `<extra_id_…>` follow the last piece if the file does not name
/// them. Throws Error naming the key.
TokenizerModel read_piece_lists(const PieceLists& lists, std::string_view file);

/// Reads a tokenizer.json of the `tokenizers` library with a Unigram model. Throws Error, also for parts that this
/// program does not know; it names them.
TokenizerModel read_tokenizer_json(std::string_view text, std::string_view file);

} // namespace denoir::umt5
