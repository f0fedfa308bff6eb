// SPDX-License-Identifier: Apache-2.0
// The tokenizer.json of the `tokenizers` library, as far as unigram tokenizers use it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/core/json.h"
#include "engine/core/text.h"
#include "engine/models/umt5/json_node.h"
#include "engine/models/umt5/tokenizer_files.h"

namespace denoir::umt5 {
namespace {

constexpr std::size_t max_steps = 32; ///< of normalisation, of cutting
constexpr std::size_t max_around = 4;
constexpr std::size_t max_replacement_text = 64;

// Base64 of the character map

std::vector<std::byte> from_base64(const Node& node) {
    const std::string text = node.string(2 * Charsmap::max_bytes);
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

/// {"String": s}, or of {"Regex": r} the forms c{n,} and c+ of one character c or \s: those that tokenizers use for
/// spaces.
void read_pattern(const Node& node, Normalizer& step) {
    if (node.has("String")) {
        step.pattern = node.at("String").string(max_replacement_text);
        if (step.pattern.empty()) node.refuse("is empty");
        return;
    }
    const Node regex = node.at("Regex");
    const std::string text = regex.string(max_replacement_text);
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

void read_normalizer(const Node& node, std::vector<Normalizer>& steps) {
    using Kind = Normalizer::Kind;
    const std::string type = node.at("type").string();
    if (type == "Sequence") {
        const Node list = node.at("normalizers");
        for (std::size_t i = 0; i < list.items(max_steps); ++i) read_normalizer(list.at(i), steps);
        return;
    }
    if (steps.size() == max_steps) node.refuse("has too many steps");
    Normalizer step;
    if (type == "Precompiled") {
        step.kind = Kind::charsmap;
        if (!node.has("precompiled_charsmap")) return;
        // None of the tokenizers in use has two, and each is read into memory.
        if (std::any_of(steps.begin(), steps.end(), [](const Normalizer& s) { return s.kind == Kind::charsmap; }))
            node.refuse("is a second map of characters");
        const Node map = node.at("precompiled_charsmap");
        step.charsmap = Charsmap::read(from_base64(map), map.file, map.path);
    } else if (type == "Replace") {
        step.kind = Kind::replace;
        read_pattern(node.at("pattern"), step);
        step.content = node.at("content").string(max_replacement_text);
    } else if (type == "Strip") {
        step.kind = Kind::strip;
        step.left = node.flag("strip_left", true), step.right = node.flag("strip_right", true);
    } else if (type == "Prepend") {
        step.kind = Kind::prepend;
        step.content = node.at("prepend").string(max_replacement_text);
    } else {
        static constexpr std::pair<std::string_view, Kind> plain[] = {{"NFC", Kind::nfc},
                                                                      {"NFD", Kind::nfd},
                                                                      {"NFKC", Kind::nfkc},
                                                                      {"NFKD", Kind::nfkd},
                                                                      {"Lowercase", Kind::lower_case},
                                                                      {"Nmt", Kind::nmt}};
        const auto* known =
            std::find_if(std::begin(plain), std::end(plain), [&](const auto& p) { return p.first == type; });
        if (known == std::end(plain)) node.unknown_type(type);
        step.kind = known->second;
    }
    steps.push_back(std::move(step));
}

// Words

void read_pre_tokenizer(const Node& node, std::vector<PreTokenizer>& steps) {
    const std::string type = node.at("type").string();
    if (type == "Sequence") {
        const Node list = node.at("pretokenizers");
        for (std::size_t i = 0; i < list.items(max_steps); ++i) read_pre_tokenizer(list.at(i), steps);
        return;
    }
    if (steps.size() == max_steps) node.refuse("has too many steps");
    PreTokenizer step;
    if (type == "WhitespaceSplit") {
        step.kind = PreTokenizer::Kind::white_space;
    } else if (type == "Metaspace") {
        step.replacement = node.at("replacement").string(4);
        if (step.replacement.empty() || utf8_length(step.replacement) != step.replacement.size())
            node.at("replacement").refuse("is not one character");
        const std::string scheme = node.has("prepend_scheme") ? node.at("prepend_scheme").string() : "always";
        if (scheme != "always" && scheme != "first" && scheme != "never")
            node.at("prepend_scheme").refuse("is not always, first or never");
        // Older files say it with a flag alone.
        const bool never = scheme == "never" || !node.flag("add_prefix_space", true);
        step.prepend = never               ? PreTokenizer::Prepend::never
                       : scheme == "first" ? PreTokenizer::Prepend::first
                                           : PreTokenizer::Prepend::always;
        step.split = node.flag("split", true);
    } else {
        node.unknown_type(type);
    }
    steps.push_back(std::move(step));
}

// Added tokens and the ids around a text

void read_added(const Node& list, TokenizerModel& model) {
    for (std::size_t i = 0; i < list.items(max_added); ++i) {
        const Node node = list.at(i);
        AddedToken token;
        token.content = node.at("content").string();
        token.id = node.at("id").id();
        if (token.content.empty()) continue;
        if (const std::int64_t known = model.unigram.find(token.content); known >= 0) token.id = known;
        token.single_word = node.flag("single_word", false);
        token.lstrip = node.flag("lstrip", false);
        token.rstrip = node.flag("rstrip", false);
        token.normalized = node.flag("normalized", !node.flag("special", false));
        model.vocabulary = std::max(model.vocabulary, token.id + 1);
        model.added.push_back(std::move(token));
    }
}

/// The ids that the template puts before and behind the text, e.g. ["$A", "</s>"].
void read_template(const Node& node, TokenizerModel& model) {
    const std::string type = node.at("type").string();
    if (type == "Sequence") {
        const Node list = node.at("processors");
        for (std::size_t i = 0; i < list.items(max_steps); ++i) read_template(list.at(i), model);
        return;
    }
    if (type != "TemplateProcessing") node.unknown_type(type);
    const Node single = node.at("single");
    const Node tokens = node.at("special_tokens");
    bool seen_text = false;
    for (std::size_t i = 0; i < single.items(max_steps); ++i) {
        const Node part = single.at(i);
        if (part.has("Sequence")) {
            if (seen_text) part.refuse("puts the text in twice");
            seen_text = true;
            continue;
        }
        const std::string name = part.at("SpecialToken").at("id").string();
        const Node ids = tokens.at(name.c_str()).at("ids");
        for (std::size_t k = 0; k < ids.items(max_steps); ++k)
            (seen_text ? model.after : model.before).push_back(ids.at(k).id());
    }
    if (!seen_text) single.refuse("leaves the text out");
    if (model.before.size() + model.after.size() > max_around) single.refuse("puts too many tokens around the text");
}

void read_model(const Node& node, TokenizerModel& model) {
    const Node type = node.at("type");
    if (type.string() != "Unigram")
        type.refuse(fmt::format("is \"{}\"; the UMT5 tokenizer is a Unigram model", type.string()),
                    "use the tokenizer of UMT5");
    const Node vocabulary = node.at("vocab");
    const std::size_t n = vocabulary.items(Unigram::max_pieces);
    if (n == 0) vocabulary.refuse("is empty");
    std::vector<std::string> pieces;
    std::vector<double> scores;
    pieces.reserve(n), scores.reserve(n);
    for (const Json& entry : vocabulary.json) {
        const auto place = [&] {
            return Node{entry, fmt::format("{}[{}]", vocabulary.path, pieces.size()), node.file};
        };
        if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number())
            place().refuse("is not a piece with its score");
        if (entry[0].get_ref<const std::string&>().size() > Unigram::max_piece_bytes)
            place().refuse("is longer than 512 bytes");
        scores.push_back(entry[1].get<double>());
        if (!std::isfinite(scores.back())) place().refuse("has a score that is not a finite number");
        pieces.push_back(entry[0].get<std::string>());
    }
    const Node unknown = node.at("unk_id");
    if (unknown.id() >= static_cast<std::int64_t>(n)) unknown.refuse("is not the place of a piece");
    model.vocabulary = static_cast<std::int64_t>(n);
    model.unigram = Unigram(std::move(pieces), std::move(scores), unknown.id(), node.flag("byte_fallback", false));
}

} // namespace

TokenizerModel read_tokenizer_json(std::string_view text, std::string_view file) {
    if (text.size() > max_tokenizer_bytes)
        throw Error(std::string(file), "size", "is larger than 64 MiB: this is not a tokenizer", "get the file again");
    const Json json = parse_json(text, file);
    const Node root{json, "", file};
    TokenizerModel model;
    read_model(root.at("model"), model);
    if (root.has("normalizer")) read_normalizer(root.at("normalizer"), model.normalizers);
    if (root.has("pre_tokenizer")) read_pre_tokenizer(root.at("pre_tokenizer"), model.pre_tokenizers);
    if (root.has("added_tokens")) read_added(root.at("added_tokens"), model);
    if (root.has("post_processor")) read_template(root.at("post_processor"), model);
    // The encoder was trained on prompts that end in </s>; a file that forgets to say so does not change that.
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
