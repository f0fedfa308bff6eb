// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/parts.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "engine/weights/quantisation.h"

namespace denoir {
namespace {

/// How the files of a network name its tensors.
struct Scheme {
    Component component;
    Naming naming;
    bool without_visual;

    std::optional<CanonicalName> canonical(std::string_view name) const {
        return canonical_name(component, naming, without_visual ? "visual." + std::string(name) : std::string(name));
    }
};

std::string without_prefix(const FileTensor& t) {
    const std::string plain = plain_name(t.name);
    return plain.substr(known_prefix(plain).size());
}

/// Whether every tensor is named by the scheme, except ignorable ones.
bool fits(const Checkpoint& c, const Scheme& scheme) {
    bool any = false;
    for (const auto& container : c.containers)
        for (const FileTensor& t : container->tensors) {
            const std::string name = without_prefix(t);
            if (scheme.canonical(name))
                any = true;
            else if (!is_ignorable(scheme.component, name))
                return false;
        }
    return any;
}

using Names = std::set<std::pair<std::string, int>>; ///< canonical, with the part of a joined tensor
/// The canonical names of a checkpoint's tensors, without scales.
Names names_by(const Scheme& scheme, const Checkpoint& c) {
    Names names;
    for (const auto& container : c.containers)
        for (const FileTensor& t : container->tensors)
            if (const auto found = scheme.canonical(without_prefix(t)); found && !is_scale_leaf(last_part(found->name)))
                names.emplace(found->name, found->part);
    return names;
}

/// Whether all tensors of `c` are named by a scheme of what is wanted, and the known ones lack at least one of them. It
/// may repeat one of theirs, since transformers writes the text encoder's table twice. If it repeats more, it is
/// another network, such as T5 beside UMT5.
bool adds_to(const Names& known, const Checkpoint& c, Component wanted, int blocks) {
    for (const Component component : networks)
        for (const Layout layout : all_layouts)
            for (const bool without_visual : {false, true}) {
                const Scheme scheme{component, {layout, blocks}, without_visual};
                if (!matches(component, wanted) || (without_visual && component != Component::clip) || !fits(c, scheme))
                    continue;
                const Names names = names_by(scheme, c);
                const auto again = std::ranges::count_if(names, [&](const auto& name) { return known.contains(name); });
                if (again <= 1 && std::cmp_less(again, names.size())) return true;
            }
    return false;
}

bool holds_exactly(const Checkpoint& c, Component component) {
    return std::ranges::find(c.groups, component, &TensorGroup::component) != c.groups.end();
}

/// What the first matching group was recognised as; null if there is none.
const Recognised* recognised(const Checkpoint& c, Component wanted) {
    const auto it =
        std::ranges::find_if(c.groups, [&](const TensorGroup& g) { return matches(g.component(), wanted); });
    return it == c.groups.end() ? nullptr : &it->recognised;
}

/// Whether all were recognised as parts of one network, without unknown tensors. Several files never count as such if
/// one is a GGUF file: a weight in it may be folded, which only its bias in another file tells.
bool say_the_same(const std::vector<Checkpoint>& all, Component wanted) {
    const auto is_gguf = [](const auto& container) { return container->format == Container::Format::gguf; };
    if (all.size() > 1 &&
        std::ranges::any_of(all, [&](const Checkpoint& c) { return std::ranges::any_of(c.containers, is_gguf); }))
        return false;
    const Recognised* first = all.empty() ? nullptr : recognised(all.front(), wanted);
    return std::ranges::all_of(all, [&](const Checkpoint& c) {
        const Recognised* one = recognised(c, wanted);
        return one && one->component == first->component && one->layout == first->layout &&
               one->without_visual == first->without_visual && !holds_exactly(c, Component::unknown);
    });
}

Names names_in(const std::vector<Checkpoint>& all, Component wanted, int blocks) {
    Names names;
    for (const Checkpoint& c : all)
        if (const Recognised* r = recognised(c, wanted))
            names.merge(names_by({r->component, {r->layout, blocks}, r->without_visual}, c));
    return names;
}

int decoder_blocks(const std::vector<Checkpoint>& holding, const std::vector<Checkpoint>& unknown) {
    std::vector<std::string_view> names;
    for (const auto* all : {&holding, &unknown})
        for (const Checkpoint& c : *all)
            for (const auto& container : c.containers)
                for (const FileTensor& t : container->tensors) names.push_back(t.name);
    return vae_depth(names).blocks;
}

} // namespace

bool matches(Component found, Component wanted) {
    return wanted == Component::unknown ? is_network(found) : same_kind(found, wanted);
}

bool holds(const Checkpoint& c, Component wanted) { return recognised(c, wanted) != nullptr; }

bool is_all_in_one(const Checkpoint& c) {
    return holds(c, Component::transformer) && holds(c, Component::vae21) && holds(c, Component::umt5);
}

bool is_perhaps_part(const Checkpoint& c) {
    return !c.indexed && !c.groups.empty() &&
           std::ranges::all_of(c.groups, [](const TensorGroup& g) { return g.component() == Component::unknown; });
}

void join_parts(std::vector<Checkpoint>& holding, std::vector<Checkpoint> unknown, Component wanted) {
    if (unknown.empty() && say_the_same(holding, wanted)) return;
    const int blocks = decoder_blocks(holding, unknown);
    const Names known = names_in(holding, wanted, blocks);
    std::erase_if(unknown, [&](const Checkpoint& c) { return !adds_to(known, c, wanted, blocks); });
    if (unknown.empty() && say_the_same(holding, wanted)) return;

    // What they are recognised as together tells how each part must be named.
    std::vector<Checkpoint> candidates = holding;
    std::move(unknown.begin(), unknown.end(), std::back_inserter(candidates));
    const Checkpoint all = Checkpoint::join(candidates);
    const Recognised* said = recognised(all, wanted);
    if (!said) return;
    const Scheme scheme{said->component, {said->layout, blocks}, said->without_visual};
    const auto others = std::stable_partition(candidates.begin(), candidates.end(),
                                              [&](const Checkpoint& c) { return fits(c, scheme); });
    std::vector<Checkpoint> rest(std::make_move_iterator(others), std::make_move_iterator(candidates.end()));
    candidates.erase(others, candidates.end());
    if (say_the_same(candidates, wanted)) return;
    Checkpoint whole = Checkpoint::join(candidates);
    if (!holds(whole, wanted)) return;
    std::erase_if(rest, [&](const Checkpoint& c) { return !holds(c, wanted); });
    holding = std::move(rest);
    holding.push_back(std::move(whole));
}

void join_named_parts(std::vector<Checkpoint>& holding, std::vector<Checkpoint> unknown, Component wanted) {
    const auto any = [&](Component component) {
        return std::ranges::any_of(holding, [&](const Checkpoint& c) { return holds_exactly(c, component); });
    };
    const bool unsure = !unknown.empty() || any(Component::unknown) || (any(Component::vae21) && any(Component::vae22));
    if (!unsure) return join_parts(holding, {}, wanted);
    std::vector<Checkpoint> candidates = holding;
    std::move(unknown.begin(), unknown.end(), std::back_inserter(candidates));
    if (candidates.size() < 2) return;
    Checkpoint whole = Checkpoint::join(candidates);
    if (!holds(whole, wanted)) return;
    holding.clear();
    holding.push_back(std::move(whole));
}

} // namespace denoir
