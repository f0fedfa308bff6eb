// SPDX-License-Identifier: Apache-2.0
// The special and added tokens that files beside a tokenizer file configure, and how transformers 4.57 adds them to it
// (PreTrainedTokenizerBase._from_pretrained, T5TokenizerFast, PreTrainedTokenizerFast.__init__).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "engine/core/file.h"
#include "engine/core/text.h"
#include "engine/models/umt5/tokenizer_files.h"

namespace denoir::umt5 {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_config_bytes = std::size_t{4} << 20; ///< UMT5's has 61 KB
constexpr int max_extra_ids = 10'000;                          ///< UMT5 has 300

/// The key of one special token, and T5's default for it (null: none).
struct Role {
    const char* name;
    const char* otherwise;
};
/// In the order in which transformers adds them.
constexpr std::array roles{Role{"bos_token", nullptr}, Role{"eos_token", "</s>"},  Role{"unk_token", "<unk>"},
                           Role{"sep_token", nullptr}, Role{"pad_token", "<pad>"}, Role{"cls_token", nullptr},
                           Role{"mask_token", nullptr}};

/// A JSON file that need not exist. Throws Error if it is not an object.
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

/// Reads a token from an object. It is special if `special` is set, whatever the object says.
NamedToken read_object(const JsonReader& node, bool special) {
    AddedToken token;
    token.content = short_text(node.at("content"));
    read_flags(node, special, token);
    return {std::move(token), false};
}

NamedToken read_special(const JsonReader& node) {
    if (node.value().is_object()) return read_object(node, true);
    return {special_token(short_text(node)), true};
}

/// Reads `added_tokens_decoder`: {"256299": {"content": "<extra_id_0>", …}}. The numbers only give the order; the ids
/// are those of the vocabulary.
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

/// All members of a token but its id.
auto description(const AddedToken& t) {
    return std::tuple(t.content, t.single_word, t.lstrip, t.rstrip, t.normalized, t.special);
}

/// Collects the tokens that transformers adds to a tokenizer in one list, in its order.
class ConfiguredTokens {
public:
    ConfiguredTokens(const TokenizerConfig& config, const TokenizerModel& model, const TokenAdder& adder)
        : config_(config), model_(model), adder_(adder) {
        for (const auto* list : {&config.special, &config.additional})
            for (const NamedToken& named : *list) of_roles_.insert(named.token.content);
    }

    /// Adds a token of the tokenizer file or of `added_tokens_decoder`. Its description wins over that of a role.
    void add_described(const AddedToken& token) {
        described_.insert(token.content);
        all_.push_back(token);
        all_.back().special |= of_roles_.contains(token.content);
    }

    void add_roles() {
        for (const NamedToken& named : config_.special) {
            const std::string& content = named.token.content;
            // A folder without these files must not lead to ids that the model was not trained with.
            if (!config_.there && model_.unigram.find(content) < 0) continue;
            const bool is_new = named.bare ? !known(content) : !described_.contains(content);
            if (seen_.insert(content).second && is_new) all_.push_back(named.token);
        }
    }

    void add_additional() {
        for (const NamedToken& named : config_.additional)
            if (!seen_.contains(named.token.content) && (!named.bare || !known(named.token.content)))
                all_.push_back(named.token);
    }

    /// Adds the extra ids, unless `additional_special_tokens` names some.
    void add_extra_ids() {
        constexpr int usual = 100; // T5's
        const auto is_extra_id = [](const NamedToken& named) {
            return named.token.content.find("<extra_id_") != std::string::npos;
        };
        if (std::ranges::any_of(config_.additional, is_extra_id)) return;
        for (int i = 0; i < config_.extra_ids.value_or(usual); ++i)
            if (AddedToken token = special_token(fmt::format("<extra_id_{}>", i)); !known(token.content))
                all_.push_back(std::move(token));
    }

    const std::vector<AddedToken>& all() const { return all_; }

private:
    bool known(const std::string& content) const { return described_.contains(content) || adder_.find(content); }

    const TokenizerConfig& config_;
    const TokenizerModel& model_;
    const TokenAdder& adder_;
    std::unordered_set<std::string> of_roles_;  ///< texts that are special, however they are described
    std::unordered_set<std::string> described_; ///< texts passed to add_described()
    std::unordered_set<std::string> seen_;      ///< texts of roles: if several have the same, the first counts
    std::vector<AddedToken> all_;
};

} // namespace

TokenAdder::TokenAdder(TokenizerModel& model) : model_(model), next_(model.unigram.size()) {
    for (std::size_t i = 0; i < model_.added.size(); ++i) note(i);
    for (const AddedPattern& pattern : model_.special_patterns) special_.insert(pattern.token);
}

const AddedToken* TokenAdder::find(const std::string& content) const {
    const auto known = places_.find(content);
    return known == places_.end() ? nullptr : &model_.added[known->second];
}

void TokenAdder::add(std::vector<AddedToken> tokens) {
    std::set<decltype(description({}))> seen;
    std::erase_if(tokens, [&](const AddedToken& token) {
        const AddedToken* there = find(token.content);
        return token.content.empty() || (there && description(*there) == description(token)) ||
               !seen.insert(description(token)).second;
    });
    std::vector<std::size_t> places;
    for (const AddedToken& token : tokens) places.push_back(place(token));
    for (const bool special : {true, false}) {
        auto its = places.begin();
        for (const AddedToken& token : tokens) {
            if (token.special == special) add_pattern(*its, token);
            ++its;
        }
    }
}

std::size_t TokenAdder::place(AddedToken token) {
    if (const auto known = places_.find(token.content); known != places_.end()) {
        AddedToken& there = model_.added[known->second];
        token.id = there.id;
        there = std::move(token);
        return known->second;
    }
    const std::int64_t piece = model_.unigram.find(token.content);
    token.id = piece >= 0 ? piece : next_;
    model_.added.push_back(std::move(token));
    note(model_.added.size() - 1);
    return model_.added.size() - 1;
}

void TokenAdder::add_pattern(std::size_t place, const AddedToken& token) {
    if (token.special ? special_.insert(place).second : !special_.contains(place))
        (token.special ? model_.special_patterns : model_.patterns).push_back({place, token.normalized});
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
    // The file whose value of `key` counts, even if it is null there; null if neither has the key.
    const auto file_of = [&](const char* key) -> const File* {
        if (!decoder && map.says(key)) return &map;
        return config.says(key) ? &config : nullptr;
    };
    out.special.clear();
    for (const Role& role : roles) {
        const File* file = file_of(role.name);
        if (!file && role.otherwise) out.special.push_back({special_token(role.otherwise), true});
        if (file && file->root().has(role.name)) out.special.push_back(read_special(file->root().at(role.name)));
    }
    constexpr const char* more = "additional_special_tokens";
    if (config.there && config.root().has(more)) out.additional = read_additional(config.root().at(more));
    if (!decoder && map.says(more) && !map.root().has(more)) out.additional.clear(); // a null here removes all
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

void add_tokens(TokenizerModel& model, const TokenizerConfig& config) {
    const std::vector<AddedToken> listed = std::exchange(model.listed, {});
    TokenAdder adder(model);
    ConfiguredTokens tokens(config, model, adder);
    if (config.decoder)
        for (const NamedToken& named : *config.decoder) tokens.add_described(named.token);
    else
        for (const AddedToken& token : listed) tokens.add_described(token);
    tokens.add_roles();
    if (config.there) {
        tokens.add_additional();
        tokens.add_extra_ids();
    }
    adder.add(tokens.all());
}

} // namespace denoir::umt5
