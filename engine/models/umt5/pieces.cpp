// SPDX-License-Identifier: Apache-2.0
#include "engine/models/umt5/pieces.h"

#include <fmt/format.h>

#include <cmath>
#include <unordered_set>

#include "engine/core/error.h"
#include "engine/core/text.h"

namespace denoir::umt5 {
namespace {

void check_pieces(const Pieces& pieces, const Marks& marks) {
    if (pieces.texts.empty()) pieces.refuse(std::string(pieces.list), "is empty: this is not a SentencePiece model");
    std::unordered_set<std::string_view> seen;
    for (std::size_t i = 0; i < pieces.texts.size(); ++i)
        if (!pieces.texts[i].empty() && !seen.insert(pieces.texts[i]).second)
            pieces.refuse(fmt::format("{}[{}]", pieces.list, i), "repeats an earlier piece");
    const auto n = static_cast<std::int64_t>(pieces.texts.size());
    if (marks.unknown < 0 || marks.unknown >= n ||
        pieces.types[static_cast<std::size_t>(marks.unknown)] != PieceType::unknown)
        pieces.refuse(std::string(marks.unknown_field), "does not name the piece for unknown characters");
}

void add_extra_ids(Pieces& pieces, const SentencePieceOptions& options) {
    constexpr std::size_t umt5_pieces = 256'000;
    const int extra = options.extra_ids.value_or(pieces.texts.size() == umt5_pieces ? 300 : 100);
    for (int i = extra - 1; i >= 0; --i) { // in descending order: the largest id is <extra_id_0>
        pieces.texts.push_back(fmt::format("<extra_id_{}>", i));
        pieces.scores.push_back(0);
        pieces.types.push_back(PieceType::control);
    }
}

} // namespace

void Pieces::refuse(std::string field, std::string message) const {
    throw Error(std::string(file), std::move(field), std::move(message), "get the file again");
}

void Pieces::add(std::string_view text, float score, std::uint64_t type) {
    const auto bad = [&](std::string message) {
        refuse(fmt::format("{}[{}]", list, texts.size()), std::move(message));
    };
    if (texts.size() == Unigram::max_pieces) refuse(std::string(list), "are more than a million");
    if (text.empty()) bad("is empty");
    if (text.size() > Unigram::max_piece_bytes) bad("is longer than 512 bytes");
    if (find_invalid_utf8(text) || text.find('\0') != std::string_view::npos) bad("is not UTF-8 text");
    if (!std::isfinite(score)) bad("has a score that is not a finite number");
    if (type < 1 || type > 6) bad(fmt::format("has the unknown type {}", type));
    texts.emplace_back(text);
    scores.push_back(score);
    types.push_back(static_cast<PieceType>(type));
}

void Pieces::add_unused() {
    texts.emplace_back();
    scores.push_back(0);
    types.push_back(PieceType::unused);
}

TokenizerModel model_of(Pieces pieces, const Marks& marks, std::vector<Normalizer> normalizers,
                        const SentencePieceOptions& options) {
    check_pieces(pieces, marks);
    TokenizerModel model;
    model.normalizers = std::move(normalizers);
    add_extra_ids(pieces, options);
    std::vector<AddedToken> added;
    for (std::size_t i = 0; i < pieces.texts.size(); ++i)
        if (pieces.types[i] == PieceType::control || pieces.types[i] == PieceType::user_defined) {
            added.push_back({pieces.texts[i]});
            added.back().special = pieces.types[i] == PieceType::control;
        }
    model.vocabulary = static_cast<std::int64_t>(pieces.texts.size());
    model.unigram = Unigram(std::move(pieces.texts), std::move(pieces.scores), marks.unknown, false);
    TokenAdder(model).add(added);

    // The steps that transformers adds when it converts such a file to a fast tokenizer. The first removes white space
    // at the end, which the map may have made (of U+200B, U+200F) or a special token may follow; the second leaves one
    // space of several.
    Normalizer end_of_text;
    end_of_text.kind = Normalizer::Kind::strip, end_of_text.left = false;
    model.normalizers.push_back(end_of_text);
    Normalizer spaces;
    spaces.kind = Normalizer::Kind::replace, spaces.pattern = ' ', spaces.at_least = 2, spaces.content = ' ';
    model.normalizers.push_back(spaces);
    PreTokenizer words;
    words.prepend = options.legacy ? PreTokenizer::Prepend::always : PreTokenizer::Prepend::first;
    model.pre_tokenizers.push_back(words);
    const std::int64_t end = marks.end.value_or(model.unigram.find("</s>"));
    if (end < 0) pieces.refuse(std::string(pieces.list), "have no </s>, which ends every prompt");
    model.after = {end};
    return model;
}

} // namespace denoir::umt5
