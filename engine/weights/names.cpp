// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <unordered_map>

#include "engine/core/text.h"
#include "engine/weights/limits.h"
#include "engine/weights/name_rules.h"

namespace denoir {
namespace {

struct Table {
    Component component;
    Layout layout;
    std::vector<NameRule> rules;
    std::unordered_map<std::string, const NameRule*> by_original, by_other; // split q/k/v: by_original leads to part 0

    Table(Component c, Naming naming)
        : component(c), layout(naming.layout), rules(name_rules(c, naming.layout, naming.blocks)) {
        for (const NameRule& rule : rules)
            by_original.emplace(rule.original, &rule), by_other.emplace(rule.other, &rule);
    }
};

const std::list<Table>& tables() {
    static const std::list<Table> all = [] {
        std::list<Table> t; // a list, since tables must not be moved: they point into themselves
        for (const Component c : networks)
            for (const Layout l : all_layouts)
                if ((l != Layout::open_clip || c == Component::clip) && (l != Layout::llama || c == Component::umt5))
                    t.emplace_back(c, l);
        return t;
    }();
    return all;
}

/// The table of a VAE of another depth: made when it is asked for, and kept.
const Table* other_depth(Component component, Naming naming) {
    static std::mutex mutex;
    static std::map<std::tuple<Component, Layout, int>, Table> all;
    const std::lock_guard lock(mutex);
    return &all.try_emplace({component, naming.layout, naming.blocks}, component, naming).first->second;
}

const Table* find_table(Component component, Naming naming) {
    if (is_vae(component) && naming.blocks != VaeDepth().blocks && naming.layout <= Layout::diffusers)
        return other_depth(component, naming);
    const auto it = std::ranges::find_if(
        tables(), [&](const Table& t) { return t.component == component && t.layout == naming.layout; });
    return it == tables().end() ? nullptr : &*it;
}

// Matching

bool is_index(std::string_view segment) {
    return !segment.empty() && segment.size() <= 6 && std::ranges::all_of(segment, is_ascii_digit);
}

struct Match {
    const NameRule* rule = nullptr;
    std::vector<std::string_view> indices;
};

/// Finds the pattern that fits `name`, whose numbers may each stand for themselves ("ffn.0") or for a `#`.
Match match(const std::unordered_map<std::string, const NameRule*>& rules, std::string_view name) {
    constexpr std::ptrdiff_t most_segments = 10;
    if (std::ranges::count(name, '.') >= most_segments) return {};
    std::vector<std::string_view> segments;
    std::vector<std::size_t> numeric;
    for (std::size_t begin = 0; begin <= name.size();) {
        const std::size_t end = std::min(name.find('.', begin), name.size());
        segments.push_back(name.substr(begin, end - begin));
        if (is_index(segments.back())) numeric.push_back(segments.size() - 1);
        begin = end + 1;
    }
    if (numeric.size() > 3) return {};
    for (unsigned mask = 0; mask < 1u << numeric.size(); ++mask) {
        std::string key;
        std::vector<std::string_view> indices;
        for (std::size_t s = 0, n = 0; s < segments.size(); ++s) {
            const bool any = n < numeric.size() && numeric[n] == s && (mask >> n & 1u);
            if (n < numeric.size() && numeric[n] == s) ++n;
            if (any) indices.push_back(segments[s]);
            if (s) key += '.';
            key += any ? std::string_view("#") : segments[s];
        }
        if (const auto it = rules.find(key); it != rules.end()) return {it->second, std::move(indices)};
    }
    return {};
}

std::string fill(std::string_view pattern, const std::vector<std::string_view>& indices) {
    std::string result;
    std::size_t next = 0;
    for (const char c : pattern) {
        if (c == '#')
            result += indices[next++];
        else
            result += c;
    }
    return result;
}

constexpr std::array<std::string_view, 9> leaves{"weight",       "bias",           "scale_weight",
                                                 "weight_scale", "weight_scale_2", "scale_input",
                                                 "input_scale",  "output_scale",   "comfy_quant"};

/// `name` cut in two: what a pattern may match, and the leaf (with its dot).
std::pair<std::string_view, std::string_view> cut_leaf(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || std::ranges::find(leaves, name.substr(dot + 1)) == leaves.end())
        return {name, {}};
    return {name.substr(0, dot), name.substr(dot)};
}

struct Found {
    Match match;
    std::string_view leaf;
};

Found find_rule(const std::unordered_map<std::string, const NameRule*>& rules, std::string_view name) {
    if (Match whole = match(rules, name); whole.rule && whole.rule->kind == NameKind::tensor)
        return {std::move(whole), {}};
    const auto [module, leaf] = cut_leaf(name);
    if (leaf.empty()) return {};
    Match found = match(rules, module);
    if (!found.rule || found.rule->kind == NameKind::tensor) return {};
    return {std::move(found), leaf};
}

bool rank_fits(const Found& found, int rank) {
    if (found.leaf == ".bias") return rank == 1;
    if (found.leaf != ".weight") return true;
    switch (found.match.rule->kind) {
    case NameKind::linear:
        return rank == 2;
    case NameKind::norm:
        return rank == 1;
    case NameKind::conv3d:
        return rank == 5;
    case NameKind::patch:
        return rank == 5 || rank == 2; // load.cpp: to_canonical_shapes()
    case NameKind::conv2d:
        return rank == 4;
    case NameKind::tensor:
        return true;
    }
    return false;
}

/// `name`, or the other name of the text encoder's table, which transformers keeps under either or both.
std::string alias(Component component, Layout layout, std::string_view name) {
    constexpr std::string_view twin = "encoder.embed_tokens.";
    if (component == Component::umt5 && layout == Layout::diffusers && name.starts_with(twin))
        return "shared." + std::string(name.substr(twin.size()));
    return std::string(name);
}

bool is_lora_key(std::string_view name) {
    for (std::size_t at = name.find("lora"); at != std::string_view::npos; at = name.find("lora", at + 4)) {
        const std::string_view behind = name.substr(at + 4);
        if (behind.starts_with('_') || (behind.starts_with('.') && at > 0 && name[at - 1] == '.')) return true;
    }
    return name.ends_with(".diff") || name.ends_with(".diff_b") || name.ends_with(".set_weight");
}

/// Whether this is T5, which has UMT5's names but a table of position biases only in its first block.
bool is_plain_t5(std::span<const NamedRank> tensors, Layout layout) {
    std::size_t blocks = 0, tables = 0;
    for (const NamedRank& t : tensors) {
        const auto canonical = canonical_name(Component::umt5, layout, t.name);
        if (!canonical || !canonical->name.starts_with("blocks.")) continue;
        if (canonical->name.ends_with(".norm1.weight")) ++blocks;
        if (canonical->name.ends_with(".pos_embedding.embedding.weight")) ++tables;
    }
    return blocks > 2 && tables <= 1; // even a part of UMT5 with so many blocks has more tables
}

/// Takes `beginning` off `rest`; false if `rest` does not begin with it.
bool take_prefix(std::string_view& rest, std::string_view beginning) {
    if (!rest.starts_with(beginning)) return false;
    rest.remove_prefix(beginning.size());
    return true;
}

/// Takes an index of at most four digits and its dot off `rest`; -1 if there is none.
int take_index(std::string_view& rest) {
    int index = -1;
    const auto [end, problem] =
        std::from_chars(rest.data(), rest.data() + std::min<std::size_t>(rest.size(), 4), index);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return problem == std::errc() && take_prefix(rest, ".") ? index : -1;
}

/// What the names of a VAE's decoder tell about its depth.
class DecoderNames {
public:
    void note(std::string_view rest) {
        rest.remove_prefix(known_prefix(rest).size());
        if (take_prefix(rest, "decoder.up_blocks.")) { // diffusers
            const int level = take_index(rest);
            levels_.insert(level);
            if (level == 0 && take_prefix(rest, "resnets."))
                first_level_blocks_ = std::max(first_level_blocks_, take_index(rest) + 1);
        } else if (take_prefix(rest, "decoder.upsamples.")) {
            const int index = take_index(rest);
            if (take_prefix(rest, "upsamples.")) { // Wan 2.2's original
                levels_.insert(index);
                const int block = take_index(rest);
                if (index == 0 && rest.starts_with("residual."))
                    first_level_blocks_ = std::max(first_level_blocks_, block + 1);
            } else { // Wan 2.1's original: one flat list
                const bool sampling = rest.starts_with("resample.") || rest.starts_with("time_conv.");
                (sampling ? flat_samplings_ : flat_blocks_).insert(index);
            }
        }
    }

    VaeDepth depth() const {
        VaeDepth depth;
        if (!levels_.empty()) depth.levels = static_cast<int>(levels_.size());
        if (first_level_blocks_ >= 0) depth.blocks = first_level_blocks_;
        if (!flat_samplings_.empty())
            depth = {static_cast<int>(flat_samplings_.size()) + 1, *flat_samplings_.begin()};
        else if (!flat_blocks_.empty())
            depth = {1, static_cast<int>(flat_blocks_.size())};
        // A hostile file may name any number; released VAEs have four levels of three blocks.
        constexpr int most_levels = 8, fewest_blocks = 2, most_blocks = 17;
        return {std::clamp(depth.levels, 1, most_levels), std::clamp(depth.blocks, fewest_blocks, most_blocks)};
    }

private:
    std::set<int> levels_;
    int first_level_blocks_ = -1;                ///< -1: no name tells
    std::set<int> flat_samplings_, flat_blocks_; ///< their indices
};

} // namespace

std::string_view name(Layout layout) {
    switch (layout) {
    case Layout::original:
        return "original";
    case Layout::diffusers:
        return "diffusers";
    case Layout::open_clip:
        return "open_clip";
    case Layout::llama:
        return "llama.cpp";
    }
    return "";
}

VaeDepth vae_depth(std::span<const std::string_view> names) {
    DecoderNames decoder;
    for (const std::string_view name : names) decoder.note(name);
    return decoder.depth();
}

std::optional<CanonicalName> canonical_name(Component component, Naming naming, std::string_view name) {
    const Table* table = find_table(component, naming);
    if (!table) return std::nullopt;
    const std::string plain = alias(component, naming.layout, name);
    const Found found = find_rule(table->by_other, plain);
    if (!found.match.rule) return std::nullopt;
    return CanonicalName{fill(found.match.rule->original, found.match.indices) + std::string(found.leaf),
                         found.match.rule->part};
}

std::optional<std::string> layout_name(Component component, Naming naming, std::string_view canonical, int part) {
    const Table* table = find_table(component, naming);
    if (!table) return std::nullopt;
    const Found found = find_rule(table->by_original, canonical);
    if (!found.match.rule) return std::nullopt;
    const NameRule* rule = found.match.rule;
    if (rule->part >= 0)
        for (const NameRule& r : table->rules)
            if (r.original == rule->original && r.part == std::max(part, 0)) rule = &r;
    return fill(rule->other, found.match.indices) + std::string(found.leaf);
}

bool is_split(Component component, Naming naming, std::string_view canonical) {
    const Table* table = find_table(component, naming);
    const Found found = table ? find_rule(table->by_original, canonical) : Found{};
    return found.match.rule && found.match.rule->part >= 0;
}

std::string without_wrappers(std::string_view name) {
    static constexpr std::array<std::string_view, 3> wrappers{"_fsdp_wrapped_module.", "_checkpoint_wrapped_module.",
                                                              "_orig_mod."};
    std::size_t mark = name.find('_'); // all begin with it
    while (mark != std::string_view::npos && mark > 0 && name[mark - 1] != '.') mark = name.find('_', mark + 1);
    if (mark == std::string_view::npos) return std::string(name);
    std::string plain;
    while (!name.empty()) {
        const auto wrapper = std::ranges::find_if(wrappers, [&](std::string_view w) { return name.starts_with(w); });
        const std::size_t part = std::min(name.find('.'), name.size() - 1) + 1;
        if (wrapper == wrappers.end()) plain += name.substr(0, part);
        name.remove_prefix(part);
    }
    return plain;
}

std::string plain_name(std::string_view name) {
    std::string plain = without_wrappers(name);
    for (const auto& [theirs, ours] : {std::pair{quanto_numbers, ".weight"}, {quanto_scale, ".weight_scale"}})
        if (plain.ends_with(theirs)) plain.replace(plain.size() - theirs.size(), theirs.size(), ours);
    return plain;
}

std::string_view known_prefix(std::string_view name) {
    static constexpr std::array<std::string_view, 11> prefixes{"text_encoders.umt5xxl.transformer.",
                                                               "model.diffusion_model.",
                                                               "first_stage_model.",
                                                               "diffusion_model.",
                                                               "umt5xxl.transformer.",
                                                               "pipe.dit.",
                                                               "module.",
                                                               "model.",
                                                               "dit.",
                                                               "vae.",
                                                               "net."}; // one that begins another comes after it
    constexpr int most = 4; // a hostile file could otherwise have any number of prefixes, and so of networks
    std::string_view rest = name;
    for (int i = 0; i < most; ++i) {
        const auto* const it = std::ranges::find_if(prefixes, [&](std::string_view p) { return rest.starts_with(p); });
        if (it == prefixes.end()) break;
        rest.remove_prefix(it->size());
    }
    return name.substr(0, name.size() - rest.size());
}

std::string_view hangs_on(std::string_view name) {
    const auto [layer, leaf] = cut_leaf(name);
    return leaf.empty() || leaf == ".weight" || leaf == ".bias" ? std::string_view() : layer;
}

bool is_activation_scale(std::string_view leaf) {
    return leaf == "scale_input" || leaf == "input_scale" || leaf == "output_scale";
}

bool is_ignorable(Component component, std::string_view name) {
    const std::string_view last = last_part(name);
    if (is_activation_scale(last) || last == "scaled_fp8" || last == "comfy_quant" || last == "spiece_model" ||
        last == "position_ids" || last == "log_scale" || last == "logit_scale" || last == "_extra_state")
        return true;
    // A mark of the release in some repackaged files; the counters of a trainer.
    if (name.starts_with("model_type.") || name.starts_with("model_ema.")) return true;
    switch (component) {
    case Component::transformer: // tables of rotations, which are computed
        return name.find(".norm_added_q.") != std::string_view::npos || name == "freqs" || name.starts_with("rope.");
    case Component::umt5: // the decoder, also by its names in GGUF files
        return name.starts_with("decoder.") || name.starts_with("dec.") || name.starts_with("lm_head.") ||
               name == "output.weight";
    case Component::clip: {
        // The text half, in the three namings; layers of the vision tower that Wan never applies.
        static constexpr std::array<std::string_view, 10> beginnings{
            "textual.",        "text_model.", "token_embedding.",   "transformer.resblocks.", "positional_embedding",
            "text_projection", "ln_final.",   "visual_projection.", "visual.post_norm.",      "visual.head"};
        return std::ranges::any_of(beginnings, [&](std::string_view b) { return name.starts_with(b); });
    }
    default:
        return false;
    }
}

Recognised recognise(std::span<const NamedRank> tensors) {
    if (std::ranges::any_of(tensors, [](const NamedRank& t) { return is_lora_key(t.name); }))
        return {Component::lora, Layout::original};
    if (tensors.size() > max_network_tensors) return {};
    const bool has_visual =
        std::ranges::any_of(tensors, [](const NamedRank& t) { return t.name.starts_with("visual."); });
    Recognised best;
    std::size_t best_count = 0;
    for (const Table& table : tables()) {
        const bool bare = !has_visual && table.component == Component::clip && table.layout != Layout::diffusers;
        std::size_t fits = 0, others = 0, left = tensors.size();
        for (const NamedRank& t : tensors) {
            // A folder may hold hundreds of checkpoints, so names are looked at only until the table is decided.
            if (fits + left <= best_count || fits + left < others) break;
            --left;
            const std::string plain =
                bare ? "visual." + std::string(t.name) : alias(table.component, table.layout, t.name);
            const Found found = find_rule(table.by_other, plain);
            if (found.match.rule && rank_fits(found, t.rank))
                ++fits;
            else if (!is_ignorable(table.component, t.name))
                ++others;
        }
        if (fits > best_count && fits >= others) best = {table.component, table.layout, bare}, best_count = fits;
    }
    if (best.component == Component::umt5 && is_plain_t5(tensors, best.layout)) return {};
    return best;
}

} // namespace denoir
