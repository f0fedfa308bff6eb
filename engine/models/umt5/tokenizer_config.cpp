// SPDX-License-Identifier: Apache-2.0
// The special and added tokens that stand beside a tokenizer file, and how transformers 4.57 adds them to it
// (PreTrainedTokenizerBase._from_pretrained, T5TokenizerFast, PreTrainedTokenizerFast.__init__).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "engine/core/file.h"
#include "engine/core/text.h"
#include "engine/models/umt5/tokenizer_files.h"

namespace denoir::umt5 {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_config_bytes = std::size_t{4} << 20; ///< UMT5's has 61 KB
constexpr int max_extra_ids = 10'000;                          ///< UMT5 has 300

/// The names under which one token is kept, in the order in which transformers adds them; with T5's defaults.
struct Role {
    const char* name;
    const char* otherwise;
};
constexpr std::array roles{Role{"bos_token", nullptr}, Role{"eos_token", "</s>"},  Role{"unk_token", "<unk>"},
                           Role{"sep_token", nullptr}, Role{"pad_token", "<pad>"}, Role{"cls_token", nullptr},
                           Role{"mask_token", nullptr}};

/// One file, or nothing where it is not there.
struct File {
    JsonSource source;
    Json json;
    bool there = false;

    explicit File(const fs::path& path) : source(tokenizer_source(path.string())) {
        std::error_code ignored;
        if (!fs::is_regular_file(path, ignored)) return;
        json = parse_json(read_text(path, max_config_bytes), source.file);
        root().check_object();
        there = true;
    }
    JsonReader root() const { return {json, source}; }
    bool says(const char* key) const { return there && json.contains(key); }
};

/// A token as an object tells it; `special`: it is one whatever the object says.
NamedToken read_object(const JsonReader& node, bool special) {
    AddedToken token;
    token.content = short_text(node.at("content"));
    token.single_word = node.flag("single_word", false);
    token.lstrip = node.flag("lstrip", false);
    token.rstrip = node.flag("rstrip", false);
    token.normalized = node.flag("normalized", !(special || node.flag("special", false)));
    return {std::move(token), false};
}

NamedToken read_special(const JsonReader& node) {
    if (node.value().is_object()) return read_object(node, true);
    return {AddedToken{short_text(node)}, true};
}

/// `added_tokens_decoder`: {"256299": {"content": "<extra_id_0>", …}}. The numbers only give the order; the ids are
/// those of the vocabulary.
std::vector<NamedToken> read_decoder(const JsonReader& node, const std::unordered_set<std::string>& special) {
    node.check_object();
    if (node.value().size() > max_added) node.refuse(fmt::format("has more than {} items", max_added));
    std::vector<std::pair<std::int64_t, NamedToken>> by_id;
    for (const auto& [key, value] : node.value().items()) {
        const JsonReader entry = node.member(key, value); // node.at(key) would search a long list each time
        const auto id = read_whole<std::int64_t>(key);
        if (!id || *id < 0 || *id >= max_token_id)
            entry.refuse(fmt::format("is not under an id from 0 to {}", max_token_id - 1));
        entry.check_object();
        by_id.emplace_back(*id, read_object(entry, special.contains(short_text(entry.at("content")))));
    }
    std::stable_sort(by_id.begin(), by_id.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<NamedToken> tokens;
    for (auto& [id, token] : by_id) tokens.push_back(std::move(token));
    return tokens;
}

std::vector<NamedToken> read_additional(const JsonReader& list) {
    std::vector<NamedToken> tokens;
    for (std::size_t i = 0; i < list.items(max_added); ++i) tokens.push_back(read_special(list.item(i)));
    return tokens;
}

} // namespace

TokenAdder::TokenAdder(TokenizerModel& model) : model_(model), next_(model.unigram.size()) {
    for (std::size_t i = 0; i < model_.added.size(); ++i) note(i);
}

void TokenAdder::add(AddedToken token, bool replace) {
    if (token.content.empty()) return;
    if (const auto known = places_.find(token.content); known != places_.end()) {
        AddedToken& there = model_.added[known->second];
        if (!replace) return;
        token.id = there.id;
        token.normalized = token.normalized && there.normalized; // the text is still found as it was first told
        there = std::move(token);
        return;
    }
    const std::int64_t piece = model_.unigram.find(token.content);
    token.id = piece >= 0 ? piece : next_;
    model_.added.push_back(std::move(token));
    note(model_.added.size() - 1);
}

void TokenAdder::note(std::size_t i) {
    const AddedToken& token = model_.added[i];
    places_.emplace(token.content, i);
    next_ = std::max(next_, token.id + 1);
    model_.vocabulary = std::max(model_.vocabulary, token.id + 1);
}

TokenizerConfig read_tokenizer_config(const fs::path& folder) {
    const File config(folder / "tokenizer_config.json"), map(folder / "special_tokens_map.json");
    TokenizerConfig out;
    out.there = config.there || map.there;
    const bool decoder = config.says("added_tokens_decoder") && !config.json["added_tokens_decoder"].is_null();
    // The value of `key` from the file that counts for it; a null counts too.
    const auto file_of = [&](const char* key) -> const File* {
        if (!decoder && map.says(key)) return &map;
        return config.says(key) ? &config : nullptr;
    };
    out.special.clear();
    for (const Role& role : roles) {
        const File* file = file_of(role.name);
        if (!file && role.otherwise) out.special.push_back({AddedToken{role.otherwise}, true});
        if (file && file->root().has(role.name)) out.special.push_back(read_special(file->root().at(role.name)));
    }
    constexpr const char* more = "additional_special_tokens";
    if (config.there && config.root().has(more)) out.additional = read_additional(config.root().at(more));
    if (!decoder && map.says(more) && !map.root().has(more)) out.additional.clear(); // null: as if nobody had named any
    if (!decoder && map.there && map.root().has(more))
        for (NamedToken& token : read_additional(map.root().at(more))) out.additional.push_back(std::move(token));
    if (decoder) {
        std::unordered_set<std::string> special;
        for (const auto* list : {&out.special, &out.additional})
            for (const NamedToken& named : *list) special.insert(named.token.content);
        out.decoder = read_decoder(config.root().at("added_tokens_decoder"), special);
    }
    if (config.there && config.root().has("extra_ids"))
        out.extra_ids = int(config.root().at("extra_ids").integer(0, max_extra_ids));
    if (config.says("legacy") && config.json["legacy"].is_boolean()) out.legacy = config.json["legacy"].get<bool>();
    return out;
}

void add_tokens(TokenizerModel& model, const TokenizerConfig& config, bool listed) {
    TokenAdder adder(model);
    if (!config.there) {
        // No id beyond what the model was trained with only because its folder is not complete.
        for (const NamedToken& named : config.special)
            if (model.unigram.find(named.token.content) >= 0) adder.add(named.token, false);
        return;
    }
    // Tokens of which it is said already how they look; an object of the same text under a role does not change that.
    std::unordered_set<std::string> told;
    if (config.decoder)
        for (const NamedToken& named : *config.decoder) told.insert(named.token.content);
    else if (listed)
        for (const AddedToken& token : model.added) told.insert(token.content);
    if (config.decoder)
        for (const NamedToken& named : *config.decoder) adder.add(named.token, true);
    std::unordered_set<std::string> seen; // of one text under several roles the first counts
    for (const NamedToken& named : config.special)
        if (seen.insert(named.token.content).second)
            adder.add(named.token, !named.bare && !told.contains(named.token.content));
    const bool own_ids = std::any_of(config.additional.begin(), config.additional.end(), [](const NamedToken& named) {
        return named.token.content.find("<extra_id_") != std::string::npos;
    });
    for (const NamedToken& named : config.additional)
        if (!seen.contains(named.token.content)) adder.add(named.token, !named.bare);
    constexpr int usual = 100; // T5's
    for (int i = 0; !own_ids && i < config.extra_ids.value_or(usual); ++i)
        adder.add(AddedToken{fmt::format("<extra_id_{}>", i)}, false);
}

} // namespace denoir::umt5
