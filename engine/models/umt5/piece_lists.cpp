// SPDX-License-Identifier: Apache-2.0
// The vocabulary in the metadata of GGUF files (spec/umt5.md 4.1), as llama.cpp's converter writes it for a
// spiece.model.
#include <fmt/format.h>

#include <algorithm>

#include "engine/models/umt5/pieces.h"
#include "engine/models/umt5/tokenizer.h"

namespace denoir::umt5 {
namespace {

/// Whether this is an entry for a row of the embedding without a piece. The converter calls such entries [PAD256000]
/// and gives them a score far below all others.
bool is_filler(std::string_view text, PieceType type) {
    constexpr std::string_view begin = "[PAD";
    return type == PieceType::unused && text.size() > begin.size() + 1 && text.starts_with(begin) &&
           text.ends_with(']') && text.find_first_not_of("0123456789", begin.size()) == text.size() - 1;
}

} // namespace

TokenizerModel read_piece_lists(const PieceLists& lists, std::string_view file) {
    Pieces pieces{file, "tokenizer.ggml.tokens", {}, {}, {}};
    const std::size_t n = lists.texts.size();
    if (n == 0) pieces.refuse(std::string(pieces.list), "is empty or missing");
    const auto count = [&](std::string_view key, std::size_t values) {
        if (values != n) pieces.refuse(std::string(key), fmt::format("has {} values for {} tokens", values, n));
    };
    count("tokenizer.ggml.scores", lists.scores.size());
    if (!lists.types.empty()) count("tokenizer.ggml.token_type", lists.types.size());
    std::int64_t unknown = lists.unknown.value_or(-1);
    const auto type_of = [&](std::size_t i) {
        if (!lists.types.empty()) return static_cast<PieceType>(lists.types[i]);
        return static_cast<std::int64_t>(i) == unknown ? PieceType::unknown : PieceType::normal;
    };
    if (!lists.unknown)
        for (std::size_t i = n; i-- > 0;)
            if (type_of(i) == PieceType::unknown) unknown = static_cast<std::int64_t>(i);

    std::size_t end = n;
    while (end > 0 && is_filler(lists.texts[end - 1], type_of(end - 1))) --end;
    bool extra_ids = false;
    for (std::size_t i = 0; i < end; ++i) {
        const std::string_view text = lists.texts[i];
        // Extra ids are not pieces of the model: their score must not change what an unknown character costs.
        const bool extra = text.starts_with("<extra_id_");
        extra_ids |= extra;
        if (is_filler(text, type_of(i)))
            pieces.add_unused();
        else if (extra)
            pieces.add(text, 0, static_cast<std::uint64_t>(PieceType::control));
        else
            pieces.add(text, lists.scores[i], static_cast<std::uint64_t>(type_of(i)));
    }
    std::vector<Normalizer> normalizers;
    if (!lists.charsmap.empty()) {
        Normalizer map;
        map.kind = Normalizer::Kind::charsmap;
        map.charsmap = Charsmap::read(lists.charsmap, file, "tokenizer.ggml.precompiled_charsmap");
        normalizers.push_back(std::move(map));
    }
    SentencePieceOptions options;
    if (extra_ids) options.extra_ids = 0;
    if (lists.end && (*lists.end < 0 || *lists.end >= static_cast<std::int64_t>(end)))
        pieces.refuse("tokenizer.ggml.eos_token_id", "is not the place of a token");
    const Marks marks{unknown, "tokenizer.ggml.unknown_token_id", lists.end};
    return model_of(std::move(pieces), marks, std::move(normalizers), options);
}

} // namespace denoir::umt5
