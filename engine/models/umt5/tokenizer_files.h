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
    bool single_word = false; ///< only where no letter or digit touches it
    bool lstrip = false;      ///< takes the white space before it along
    bool rstrip = false;      ///< and behind it
    bool normalized = false;  ///< looked for after normalisation
    bool special = false;
};

/// One that only its text is told of.
inline AddedToken special_token(std::string content) {
    return {std::move(content), 0, false, false, false, false, true};
}

/// One way in which an added token is looked for: as its text stands, or as normalisation leaves it.
struct AddedLook {
    std::size_t token = 0; ///< its place among the added ones
    bool normalized = false;
};

/// What a tokenizer file says, checked, as plain data.
struct TokenizerModel {
    std::string file; ///< for what shows only when a text is encoded
    Unigram unigram;
    std::vector<Normalizer> normalizers;
    std::vector<PreTokenizer> pre_tokenizers;
    std::vector<AddedToken> added;               ///< each text once, as it was told last
    std::vector<AddedLook> special_looks, looks; ///< the first that was told of a special token; all of the others
    std::vector<AddedToken> listed; ///< all of a tokenizer.json, by the ids that it gives them, until add_tokens
    std::vector<std::int64_t> before, after; ///< ids around every text; `after` ends in </s>
    std::int64_t vocabulary = 0;             ///< the largest id plus one
};

/// Puts tokens into a model one by one, each text once, as the `tokenizers` library does it: the id of a text that is
/// no piece follows the largest, whatever a file says.
class TokenAdder {
public:
    explicit TokenAdder(TokenizerModel& model);
    /// All of one list; a text that is there already is told anew, under the same id. A text that is special in one
    /// place of the list is so in the others. What was said before the list, or in it, is not said again.
    void add(std::vector<AddedToken> tokens);
    const AddedToken* find(const std::string& content) const; ///< as it was told last; null: not there

private:
    std::size_t place(AddedToken token);
    void look_for(std::size_t place, const AddedToken& told);
    void note(std::size_t i);
    TokenizerModel& model_;
    std::int64_t next_; ///< the id of the next text that is no piece
    std::unordered_map<std::string, std::size_t> places_;
    std::unordered_set<std::size_t> special_; ///< places of those in `special_looks`
};

/// Largest file that is read, of either kind.
constexpr std::size_t max_tokenizer_bytes = std::size_t{64} << 20;
constexpr std::int64_t max_token_id = 2'000'000;
constexpr std::size_t max_added = 100'000; ///< tokens in one list

/// A tokenizer's file of JSON, for its reader.
JsonSource tokenizer_source(std::string_view file);
/// A token, a type: no longer than a piece.
std::string short_text(const JsonReader&);
/// How a token is looked for, as the object `node` tells it; what it leaves out is as in the `tokenizers` library.
/// `special`: it is one whatever the object says.
void read_flags(const JsonReader& node, bool special, AddedToken& token);

/// A token as a configuration names it.
struct NamedToken {
    AddedToken token; ///< its id is the model's matter
    bool bare = true; ///< the text alone: an added token of that text keeps what the tokenizer file says of it
};

/// What stands beside a tokenizer file, in tokenizer_config.json and special_tokens_map.json.
struct TokenizerConfig {
    bool there = false; ///< one of the files is
    std::optional<int> extra_ids;
    bool legacy = true;
    std::optional<std::vector<NamedToken>> decoder; ///< `added_tokens_decoder`, by rising id
    /// bos_token, eos_token, …: T5's own where the files say nothing
    std::vector<NamedToken> special{{special_token("</s>")}, {special_token("<unk>")}, {special_token("<pad>")}};
    std::vector<NamedToken> additional; ///< `additional_special_tokens`
};

/// Reads both files, as far as they are in `folder`, in the way of transformers: special_tokens_map.json counts only
/// where the other has no `added_tokens_decoder`. What this program does not use is passed over. Throws Error naming
/// file and field.
TokenizerConfig read_tokenizer_config(const std::filesystem::path& folder);

/// Adds to a tokenizer the tokens that transformers' T5TokenizerFast adds while loading it: those of the configuration
/// and, where there is one, the extra ids; without one </s>, <unk> and <pad>. Texts that are no piece yet get new ids.
void add_tokens(TokenizerModel& model, const TokenizerConfig& config);

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

/// The lists of a GGUF file, read to the same ids as the spiece.model they were made of: rows without a piece fall
/// away, `<extra_id_…>` stand behind the last piece where the file does not name them. Throws Error naming the key.
TokenizerModel read_piece_lists(const PieceLists& lists, std::string_view file);

/// A tokenizer.json of the `tokenizers` library with a Unigram model. Parts of it that we do not know are refused by
/// name.
TokenizerModel read_tokenizer_json(std::string_view text, std::string_view file);

} // namespace denoir::umt5
