// SPDX-License-Identifier: Apache-2.0
// Reads the tokenizer.json of the `tokenizers` library, as far as unigram tokenizers use it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/core/text.h"
#include "engine/models/umt5/tokenizer_files.h"

namespace denoir::umt5 {
namespace {

constexpr std::size_t max_steps = 32; ///< normalisers, and pre-tokenizers
constexpr std::size_t max_around = 4;
constexpr std::size_t max_replacement_text = 64;

std::int64_t id_from(const JsonReader& node) { return node.integer(0, max_token_id - 1); }

[[noreturn]] void refuse_type(const JsonReader& node, std::string_view type) {
    node.refuse(fmt::format("has the type \"{}\", which this program does not know", type),
                "use the tokenizer of UMT5");
}

// Base64 of the character map

std::vector<std::byte> from_base64(const JsonReader& node) {
    const std::string text = node.text(2 * Charsmap::max_bytes);
    std::vector<std::byte> out;
    std::uint32_t bits = 0, filled = 0;
    const std::size_t end = text.find_last_not_of('=') + 1;
    for (std::size_t i = 0; i < end; ++i) {
        const char c = text[i];
        const int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                          : c >= 'a' && c <= 'z' ? c - 'a' + 26
                          : c >= '0' && c <= '9' ? c - '0' + 52
                          : c == '+'             ? 62
                          : c == '/'             ? 63
                                                 : -1;
        if (value < 0) node.refuse("is not base64");
        bits = (bits << 6 | static_cast<std::uint32_t>(value)) & 0xFFFFFF;
        filled += 6;
        if (filled >= 8) {
            filled -= 8;
            out.push_back(static_cast<std::byte>(bits >> filled & 0xFF));
        }
    }
    if (text.size() - end > 2 || text.size() % 4 != 0) node.refuse("is not base64");
    return out;
}

// Normalisation

/// Reads {"String": s}, or {"Regex": r} of the forms c{n,} and c+ with one character c or \s, which tokenizers use for
/// spaces.
void read_pattern(const JsonReader& node, Normalizer& step) {
    if (node.has("String")) {
        step.pattern = node.at("String").text(max_replacement_text);
        if (step.pattern.empty()) node.refuse("is empty");
        return;
    }
    const JsonReader regex = node.at("Regex");
    const std::string text = regex.text(max_replacement_text);
    const std::size_t n = text.starts_with("\\s") ? 2 : text.empty() ? 0 : utf8_length(text);
    const std::string_view count = std::string_view(text).substr(n);
    const bool literal =
        n > 0 && (n == 2 || std::string_view("\\.^$|?*+()[]{}").find(text[0]) == std::string_view::npos);
    step.pattern = text.substr(0, n);
    if (count == "+")
        step.at_least = 1;
    else if (count.size() == 4 && count[0] == '{' && count[1] >= '1' && count[1] <= '9' && count.substr(2) == ",}")
        step.at_least = static_cast<std::size_t>(count[1] - '0');
    if (!literal || step.at_least == 0)
        regex.refuse("is a pattern this program does not know", "use the tokenizer of UMT5");
}

void read_normalizer(const JsonReader& node, std::vector<Normalizer>& steps) {
    using Kind = Normalizer::Kind;
    const std::string type = short_text(node.at("type"));
    if (type == "Sequence") {
        const JsonReader list = node.at("normalizers");
        for (std::size_t i = 0; i < list.items(max_steps); ++i) read_normalizer(list.item(i), steps);
        return;
    }
    if (steps.size() == max_steps) node.refuse("has too many steps");
    Normalizer step;
    if (type == "Precompiled") {
        step.kind = Kind::charsmap;
        if (!node.has("precompiled_charsmap")) return;
        // No tokenizer in use has two, and each takes memory.
        if (std::any_of(steps.begin(), steps.end(), [](const Normalizer& s) { return s.kind == Kind::charsmap; }))
            node.refuse("is a second map of characters");
        const JsonReader map = node.at("precompiled_charsmap");
        step.charsmap = Charsmap::read(from_base64(map), map.source().file, map.field());
    } else if (type == "Replace") {
        step.kind = Kind::replace;
        read_pattern(node.at("pattern"), step);
        step.content = node.at("content").text(max_replacement_text);
    } else if (type == "Strip") {
        step.kind = Kind::strip;
        step.left = node.flag("strip_left", true), step.right = node.flag("strip_right", true);
    } else if (type == "Prepend") {
        step.kind = Kind::prepend;
        step.content = node.at("prepend").text(max_replacement_text);
    } else {
        static constexpr std::pair<std::string_view, Kind> plain[] = {{"NFC", Kind::nfc},
                                                                      {"NFD", Kind::nfd},
                                                                      {"NFKC", Kind::nfkc},
                                                                      {"NFKD", Kind::nfkd},
                                                                      {"Lowercase", Kind::lower_case},
                                                                      {"Nmt", Kind::nmt}};
        const auto* known =
            std::find_if(std::begin(plain), std::end(plain), [&](const auto& p) { return p.first == type; });
        if (known == std::end(plain)) refuse_type(node, type);
        step.kind = known->second;
    }
    steps.push_back(std::move(step));
}

// Words

void read_pre_tokenizer(const JsonReader& node, std::vector<PreTokenizer>& steps) {
    const std::string type = short_text(node.at("type"));
    if (type == "Sequence") {
        const JsonReader list = node.at("pretokenizers");
        for (std::size_t i = 0; i < list.items(max_steps); ++i) read_pre_tokenizer(list.item(i), steps);
        return;
    }
    if (steps.size() == max_steps) node.refuse("has too many steps");
    PreTokenizer step;
    if (type == "WhitespaceSplit") {
        step.kind = PreTokenizer::Kind::white_space;
    } else if (type == "Metaspace") {
        step.replacement = node.at("replacement").text(4);
        if (step.replacement.empty() || utf8_length(step.replacement) != step.replacement.size())
            node.at("replacement").refuse("is not one character");
        const std::string scheme = node.has("prepend_scheme") ? short_text(node.at("prepend_scheme")) : "always";
        if (scheme != "always" && scheme != "first" && scheme != "never")
            node.at("prepend_scheme").refuse("is not always, first or never");
        // Older files have only this flag.
        const bool never = scheme == "never" || !node.flag("add_prefix_space", true);
        step.prepend = never               ? PreTokenizer::Prepend::never
                       : scheme == "first" ? PreTokenizer::Prepend::first
                                           : PreTokenizer::Prepend::always;
        step.split = node.flag("split", true);
    } else {
        refuse_type(node, type);
    }
    steps.push_back(std::move(step));
}

// Added tokens and the ids around a text

void read_added(const JsonReader& list, TokenizerModel& model) {
    std::vector<AddedToken> tokens;
    for (std::size_t i = 0; i < list.items(max_added); ++i) {
        const JsonReader node = list.item(i);
        AddedToken token;
        token.content = short_text(node.at("content"));
        token.id = id_from(node.at("id"));
        read_flags(node, false, token);
        tokens.push_back(std::move(token));
    }
    TokenAdder(model).add(tokens);
    // transformers keeps the last of several tokens with the same id.
    std::map<std::int64_t, AddedToken> by_id;
    for (AddedToken& token : tokens) by_id.insert_or_assign(token.id, std::move(token));
    for (auto& [id, token] : by_id) model.listed.push_back(std::move(token));
}

/// Reads the ids that the template, such as ["$A", "</s>"], puts before and behind the text.
void read_template(const JsonReader& node, TokenizerModel& model) {
    const std::string type = short_text(node.at("type"));
    if (type == "Sequence") {
        const JsonReader list = node.at("processors");
        for (std::size_t i = 0; i < list.items(max_steps); ++i) read_template(list.item(i), model);
        return;
    }
    if (type != "TemplateProcessing") refuse_type(node, type);
    const JsonReader single = node.at("single");
    const JsonReader tokens = node.at("special_tokens");
    bool seen_text = false;
    for (std::size_t i = 0; i < single.items(max_steps); ++i) {
        const JsonReader part = single.item(i);
        if (part.has("Sequence")) {
            if (seen_text) part.refuse("puts the text in twice");
            seen_text = true;
            continue;
        }
        const std::string name = short_text(part.at("SpecialToken").at("id"));
        const JsonReader ids = tokens.at(name).at("ids");
        for (std::size_t k = 0; k < ids.items(max_steps); ++k)
            (seen_text ? model.after : model.before).push_back(id_from(ids.item(k)));
    }
    if (!seen_text) single.refuse("leaves the text out");
    if (model.before.size() + model.after.size() > max_around) single.refuse("puts too many tokens around the text");
}

void read_model(const JsonReader& node, TokenizerModel& model) {
    const JsonReader type = node.at("type");
    if (short_text(type) != "Unigram")
        type.refuse(fmt::format("is \"{}\"; the UMT5 tokenizer is a Unigram model", short_text(type)),
                    "use the tokenizer of UMT5");
    const JsonReader vocabulary = node.at("vocab");
    const std::size_t n = vocabulary.items(Unigram::max_pieces);
    if (n == 0) vocabulary.refuse("is empty");
    std::vector<std::string> pieces;
    std::vector<double> scores;
    pieces.reserve(n), scores.reserve(n);
    for (const Json& entry : vocabulary.value()) {
        const auto place = [&] {
            return JsonReader(entry, node.source(), fmt::format("{}[{}]", vocabulary.field(), pieces.size()));
        };
        if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number())
            place().refuse("is not a piece with its score");
        if (entry[0].get_ref<const std::string&>().size() > Unigram::max_piece_bytes)
            place().refuse("is longer than 512 bytes");
        scores.push_back(entry[1].get<double>());
        if (!std::isfinite(scores.back())) place().refuse("has a score that is not a finite number");
        pieces.push_back(entry[0].get<std::string>());
    }
    const JsonReader unknown = node.at("unk_id");
    if (id_from(unknown) >= static_cast<std::int64_t>(n)) unknown.refuse("is not the place of a piece");
    model.vocabulary = static_cast<std::int64_t>(n);
    model.unigram = Unigram(std::move(pieces), std::move(scores), id_from(unknown), node.flag("byte_fallback", false));
}

} // namespace

JsonSource tokenizer_source(std::string_view file) {
    return {std::string(file), {}, "get the tokenizer file again", false};
}

std::string short_text(const JsonReader& in) { return in.text(Unigram::max_piece_bytes); }

void read_flags(const JsonReader& node, bool special, AddedToken& token) {
    token.single_word = node.flag("single_word", false);
    token.lstrip = node.flag("lstrip", false);
    token.rstrip = node.flag("rstrip", false);
    token.special = special || node.flag("special", false);
    token.normalized = node.flag("normalized", !token.special);
}

TokenizerModel read_tokenizer_json(std::string_view text, std::string_view file) {
    if (text.size() > max_tokenizer_bytes)
        throw Error(std::string(file), "size", "is larger than 64 MiB: this is not a tokenizer", "get the file again");
    const Json json = parse_json(text, file);
    const JsonSource source = tokenizer_source(file);
    const JsonReader root(json, source);
    TokenizerModel model;
    read_model(root.at("model"), model);
    if (root.has("normalizer")) read_normalizer(root.at("normalizer"), model.normalizers);
    if (root.has("pre_tokenizer")) read_pre_tokenizer(root.at("pre_tokenizer"), model.pre_tokenizers);
    if (root.has("added_tokens")) read_added(root.at("added_tokens"), model);
    if (root.has("post_processor")) read_template(root.at("post_processor"), model);
    // The encoder was trained on prompts that end in </s>, so that it is added even if the file does not say so.
    if (model.before.empty() && model.after.empty()) {
        const std::int64_t end = model.unigram.find("</s>");
        if (end < 0) root.at("model").at("vocab").refuse("has no </s>, which ends every prompt");
        model.after = {end};
    }
    for (const std::int64_t id : model.before) model.vocabulary = std::max(model.vocabulary, id + 1);
    for (const std::int64_t id : model.after) model.vocabulary = std::max(model.vocabulary, id + 1);
    return model;
}

} // namespace denoir::umt5
