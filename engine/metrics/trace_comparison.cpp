// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/trace_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "engine/core/text.h"

namespace denoir::metrics {
namespace {

/// The relative error (root mean square) of rounding to a dtype. For f32: that of a sum of some thousand terms in
/// another order.
double rounding(DType d) {
    switch (d) {
    case DType::bf16:
        return 2.3e-3;
    case DType::f16:
        return 3e-4;
    case DType::f8_e4m3:
        return 4e-2;
    case DType::f8_e5m2:
        return 8e-2;
    default:
        return 4e-6;
    }
}

/// How many times larger than expected an error must be to count as made by the layer. With mixed dtypes the
/// expectation itself is only known within a factor of about two.
constexpr double factor_same = 5, factor_mixed = 4;
/// The same for the part of an error that all rows share. Rounding hardly contributes to it, so that a wrong bias is
/// seen there even in the noise of bf16. Below a third of the rounding it is ignored, since equal rows round equally.
constexpr double factor_shared = 2.2, least_shared = 0.3;
constexpr double largest_gain = 8;
constexpr std::int64_t fewest_rows = 8; ///< rows that are needed to tell the shared part from the rest

/// All tensors that form one result: one tensor, or the frames of a layer.
struct Node {
    std::vector<std::size_t> members; ///< indices into TraceComparison::layers
    TraceKey parts;                   ///< the key of the first
    double error_squares = 0, norm_squares = 0, shared_squares = 0;
    std::int64_t rows = 1;
    bool broken = false; ///< NaN or infinity in one trace only
    DType dtype_a = DType::f32, dtype_b = DType::f32;
    double relative = 0, inherited = 0, gain = 1;
    double passed_squares = 0;               ///< LayerError::passed, in the units of error_squares
    double shared = 0, inherited_shared = 0; ///< relative and inherited error of the part that all rows share
};

bool is_vae(std::string_view component) { return component.starts_with("vae_"); }

/// Whether the layer's result is one from which the next block starts: that of a residual block, or of a convolution
/// between blocks.
bool is_whole_block(std::string_view layer) {
    for (const std::string_view inner : {".residual.", ".shortcut", ".norm", ".to_qkv", ".proj", ".head.0", ".head.1"})
        if (layer.find(inner) != std::string_view::npos) return false;
    return true;
}

bool is_temporal(std::string_view layer) { return layer.ends_with(".time_conv"); }

/// A unique name for `layer` in the component, step and branch of `k`. All frames of a layer have the same.
std::string name_of(const TraceKey& k, std::string_view layer) {
    return fmt::format("{}|{}|{}|{}", k.component, k.step ? *k.step : -1, k.branch, layer);
}
std::string name_of(const TraceKey& k) { return name_of(k, k.layer); }

class Graph {
public:
    explicit Graph(TraceComparison& c) : comparison_(c) {
        for (std::size_t i = 0; i < c.layers.size(); ++i) add(i);
        place_temporal();
        for (const auto& named : by_name_) note_last_block(named.first);
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            const TraceKey& parts = nodes_[i].parts;
            if (parts.component == "image_encoder") last_of_image_ = i;
            if (parts.component == "sampler" && parts.layer == "latent") last_latent_ = i;
            if (parts.component.starts_with("transformer") && parts.step)
                last_of_step_[*parts.step][parts.component + '|' + parts.branch] = i;
        }
    }

    std::vector<Node>& nodes() { return nodes_; }

    /// Sets the inherited errors of all nodes: the largest error among the inputs or, for one that is not in the
    /// traces, among its own inputs. To be called once.
    void inherit() {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            Node& n = nodes_[i];
            std::set<std::string> seen;
            const auto inputs = inputs_of(n.parts.component, n.parts.layer);
            if (inputs) {
                for (const std::string& input : *inputs) visit(n, n.parts.component, input, seen);
            } else if (i > 0 && nodes_[i - 1].parts.column() == n.parts.column()) {
                take(n, nodes_[i - 1]); // an unknown name: the layer before it counts as its input
            }
            if (!is_whole_block(n.parts.layer)) continue;
            auto& before = block_before_[{n.parts.component, n.parts.branch}];
            if (!is_temporal(n.parts.layer)) before.clear(); // the first frame bypasses a temporal convolution
            before.push_back(i);
        }
    }

private:
    void add(std::size_t i) {
        const LayerError& l = comparison_.layers[i];
        TraceKey parts = l.parts;
        if (is_vae(parts.component)) parts.frame.reset();
        const auto [it, is_new] = by_name_.try_emplace(name_of(parts), nodes_.size());
        if (is_new) {
            nodes_.push_back({});
            nodes_.back().parts = parts;
            nodes_.back().dtype_a = l.difference.dtype_a;
            nodes_.back().dtype_b = l.difference.dtype_b;
        }
        Node& n = nodes_[it->second];
        n.members.push_back(i);
        n.error_squares += l.difference.error_squares;
        n.norm_squares += l.difference.norm_squares;
        n.shared_squares += l.difference.shared_squares;
        if (std::isfinite(l.passed)) n.passed_squares += l.passed * l.passed * l.difference.norm_squares;
        n.rows = l.difference.rows();
        n.broken |= l.difference.not_finite > 0;
        const bool infinite = n.broken || (n.norm_squares == 0 && n.error_squares > 0);
        n.relative = infinite              ? std::numeric_limits<double>::infinity()
                     : n.norm_squares == 0 ? 0
                                           : std::sqrt(n.error_squares / n.norm_squares);
        n.shared = infinite || n.rows == 1 ? n.relative
                   : n.norm_squares > 0    ? std::sqrt(n.shared_squares / n.norm_squares)
                                           : 0;
    }

    /// Moves temporal convolutions to their places. They first run with the second latent frame, after all other
    /// layers, but belong behind the spatial one of their level in the encoder, and before it in the decoder.
    void place_temporal() {
        std::vector<std::pair<double, std::size_t>> order;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            order.emplace_back(double(i), i);
            TraceKey spatial = nodes_[i].parts;
            if (!is_vae(spatial.component) || !is_temporal(spatial.layer)) continue;
            spatial.layer.replace(spatial.layer.rfind('.'), std::string::npos, ".resample.1");
            const auto it = by_name_.find(name_of(spatial));
            if (it == by_name_.end()) continue;
            order.back().first = double(it->second) + (spatial.component == "vae_encoder" ? 0.5 : -0.5);
        }
        std::ranges::sort(order);
        std::vector<Node> placed;
        for (const auto& [at, i] : order) placed.push_back(std::move(nodes_[i]));
        nodes_ = std::move(placed);
        for (std::size_t i = 0; i < nodes_.size(); ++i) by_name_[name_of(nodes_[i].parts)] = i;
    }

    void note_last_block(const std::string& name) {
        const std::size_t bar = name.rfind('|');
        const std::string_view layer = std::string_view(name).substr(bar + 1);
        const std::string_view prefix = "blocks.";
        if (!layer.starts_with(prefix)) return;
        int index = 0;
        std::from_chars(layer.data() + prefix.size(), layer.data() + layer.size(), index);
        int& last = last_block_[name.substr(0, name.find('|'))];
        last = std::max(last, index);
    }

    const Node* find(TraceKey k) const {
        auto it = by_name_.find(name_of(k));
        if (it == by_name_.end() && k.step) {
            k.step.reset(); // some layers are traced once per run
            it = by_name_.find(name_of(k));
        }
        return it == by_name_.end() ? nullptr : &nodes_[it->second];
    }

    void take(Node& n, const Node& from) {
        if (&from == &n) return;
        n.inherited = std::max(n.inherited, from.relative);
        n.inherited_shared = std::max(n.inherited_shared, from.shared);
    }

    /// Takes a layer of another component as an input; false if it is not in the traces.
    bool take_named(Node& n, std::string_view component, std::optional<int> step, const std::string& branch,
                    std::string_view layer) {
        TraceKey k;
        k.component = component, k.step = step, k.branch = branch, k.layer = layer;
        const auto it = by_name_.find(name_of(k));
        if (it != by_name_.end()) take(n, nodes_[it->second]);
        return it != by_name_.end();
    }

    /// For latents that are not in the traces, as with PyTorch's hooks: takes the transformer's last results before
    /// `step`, from which they were computed.
    void take_last_before(Node& n, int step) {
        const auto later = last_of_step_.lower_bound(step);
        if (later == last_of_step_.begin()) return;
        for (const auto& [branch, i] : std::prev(later)->second) take(n, nodes_[i]);
    }

    void visit(Node& n, const std::string& component, const std::string& input, std::set<std::string>& seen) {
        // All of a model's blocks may be missing in between, and a file may have a block number that no model has.
        constexpr std::size_t most_between = 1000, most_in_all = 1'000'000;
        if (seen.size() >= most_between || !seen.insert(input).second) return;
        const TraceKey& at = n.parts;
        if (input[0] == '@') return visit_reference(n, component, input, seen);
        TraceKey k = at;
        k.component = component;
        k.layer = input;
        if (const Node* from = find(k)) return take(n, *from);
        if (++missing_ > most_in_all) return;
        if (const auto further = inputs_of(component, input))
            for (const std::string& next : *further) visit(n, component, next, seen);
    }

    /// Takes the transformer's velocity. If it is not in the traces, takes the last known results of that step or, if
    /// there are none, the transformer's inputs.
    void visit_velocity(Node& n, const std::string& component, std::set<std::string>& seen) {
        const std::optional<int>& step = n.parts.step;
        bool traced = false;
        for (const char* expert : {"transformer", "transformer_low"})
            for (const char* branch : {"cond", "uncond"}) traced |= take_named(n, expert, step, branch, "velocity");
        if (traced) return;
        const auto last = step ? last_of_step_.find(*step) : last_of_step_.end();
        if (last != last_of_step_.end())
            for (const auto& [branch, i] : last->second) take(n, nodes_[i]);
        else
            for (const char* given : {"@latent", "@condition", "@text", "@image"})
                visit_reference(n, component, given, seen);
    }

    void visit_reference(Node& n, const std::string& component, const std::string& input, std::set<std::string>& seen) {
        const TraceKey& at = n.parts;
        if (input == "@latent" && at.step && !take_named(n, "sampler", *at.step - 1, "", "latent"))
            take_last_before(n, *at.step);
        if (input == "@text")
            for (const std::string& branch :
                 at.branch.empty() ? std::vector<std::string>{"cond", "uncond"} : std::vector{at.branch})
                take_named(n, "text_encoder", {}, branch, "norm");
        if (input == "@condition") take_named(n, "vae_encoder", {}, "condition", "latent");
        if (input == "@velocity") visit_velocity(n, component, seen);
        if (input == "@last_block") visit(n, component, fmt::format("blocks.{}", last_block_[component]), seen);
        if (input == "@image" && last_of_image_) take(n, nodes_[*last_of_image_]);
        if (input == "@decoded" && last_latent_)
            take(n, nodes_[*last_latent_]);
        else if (input == "@decoded")
            take_last_before(n, std::numeric_limits<int>::max());
        if (input == "@before")
            for (const std::size_t i : block_before_[{component, at.branch}]) take(n, nodes_[i]);
    }

    TraceComparison& comparison_;
    std::vector<Node> nodes_;
    std::unordered_map<std::string, std::size_t> by_name_;
    std::map<std::string, int> last_block_;
    std::size_t missing_ = 0; ///< number of missing inputs that were looked through, for all nodes together
    std::optional<std::size_t> last_of_image_, last_latent_; ///< the last nodes in the order of execution
    /// For each step, the last node of each transformer and branch.
    std::map<int, std::map<std::string, std::size_t>> last_of_step_;
    /// For each component and branch, the whole blocks directly before the node that inherits now: the last one or, if
    /// that is a temporal convolution, also the one before it.
    std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> block_before_;
};

/// "blocks.3.self_attn.q" -> "blocks.*.self_attn.q": the same layer of every block.
std::string pattern_of(std::string_view layer) {
    std::string out;
    for (std::size_t i = 0; i < layer.size(); ++i) {
        const bool begins = i == 0 || layer[i - 1] == '.';
        std::size_t end = i;
        while (begins && end < layer.size() && is_ascii_digit(layer[end])) ++end;
        if (begins && end > i && (end == layer.size() || layer[end] == '.') && out.find('*') == std::string::npos) {
            out += '*';
            i = end - 1;
        } else {
            out += layer[i];
        }
    }
    return out;
}

/// Sets each node's gain to the usual one: the median factor by which the same layer of other blocks amplifies the
/// error of its inputs.
void usual_gains(std::vector<Node>& nodes, DType coarsest) {
    const double least = rounding(coarsest) / 3; // for smaller errors the factor shows rounding, not the gain
    std::map<std::string, std::vector<std::size_t>> alike;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const std::string pattern = pattern_of(nodes[i].parts.layer);
        if (pattern.find('*') == std::string::npos) continue;
        alike[name_of(nodes[i].parts, pattern)].push_back(i);
    }
    const auto counts = [&](const Node& n) { return n.inherited > least && std::isfinite(n.relative); };
    for (const auto& [pattern, members] : alike) {
        std::vector<double> gains;
        for (const std::size_t i : members)
            if (counts(nodes[i])) gains.push_back(nodes[i].relative / nodes[i].inherited);
        std::ranges::sort(gains);
        for (const std::size_t i : members) {
            const bool own = counts(nodes[i]); // its own gain is in the list, but must not count
            const std::size_t others = gains.size() - own;
            if (others == 0) continue;
            std::size_t middle = (others - 1) / 2;
            if (own && gains[middle] >= nodes[i].relative / nodes[i].inherited) ++middle;
            nodes[i].gain = std::clamp(gains[middle], 1.0, largest_gain);
        }
    }
}

/// The error of a pointwise layer that comes from its inputs; 0 for other layers.
double passed_on(const Node& n) { return n.norm_squares > 0 ? std::sqrt(n.passed_squares / n.norm_squares) : 0; }

/// The error that rounding and inherited errors explain.
double expected_error(const Node& n, const TraceComparison& c) {
    const double passed = std::max(n.gain * n.inherited, passed_on(n));
    if (c.mixed) return std::hypot(passed, rounding(c.coarsest));
    const double unit = std::min(rounding(n.dtype_a), rounding(n.dtype_b)); // a cast in one trace only is an error
    if (unit <= rounding(DType::f32)) return std::hypot(passed, unit);
    // A small inherited error changes the rounding of some values only, each by a whole unit. Even from equal inputs a
    // twentieth of the rounding is expected.
    return std::sqrt(passed * passed + unit * std::min(n.inherited, unit) + unit * unit / 400);
}

bool is_attention(std::string_view layer) {
    return layer.ends_with("o.input") || layer.ends_with("proj.input"); // a wrong key affects all queries, so all rows
}

/// Whether the error is more than rounding and inherited errors explain.
bool is_generated(const Node& n, const TraceComparison& c, double expected) {
    if (n.broken) return std::isfinite(n.inherited);
    if (n.relative > (c.mixed ? factor_mixed : factor_same) * expected) return true;
    const double unit = rounding(c.coarsest);
    if (c.mixed || c.coarsest == DType::f32 || n.rows < fewest_rows || n.shared < least_shared * unit) return false;
    const double passed =
        std::max(n.gain * (is_attention(n.parts.layer) ? n.inherited : n.inherited_shared), passed_on(n));
    const double apart =
        std::sqrt(std::max(0.0, n.relative * n.relative - n.shared * n.shared)); // differs from row to row
    return n.shared > factor_shared * std::hypot(passed, apart / std::sqrt(double(n.rows)));
}

/// Whether a frame has the error of its layer: at least a quarter of the mean frame's. Other frames may be equal.
bool shows(const TensorDifference& frame, const Node& layer) {
    if (layer.members.size() == 1) return true;
    if (layer.broken) return frame.not_finite > 0;
    return frame.error_squares * double(layer.members.size()) >= layer.error_squares / 4;
}

std::vector<std::string> without(const std::vector<std::string>& names, const std::vector<std::string>& others) {
    const std::unordered_set<std::string_view> gone(others.begin(), others.end());
    std::vector<std::string> rest;
    std::ranges::copy_if(names, std::back_inserter(rest),
                         [&](const std::string& name) { return !gone.contains(name); });
    return rest;
}

} // namespace

std::string TraceKey::column() const {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : " ") + part; };
    if (step) add(fmt::format("step {}", *step));
    if (!branch.empty()) add(branch);
    if (frame) add(fmt::format("frame {}", *frame));
    return text;
}

bool is_given(const TraceKey& k) {
    const auto inputs = inputs_of(k.component, k.layer);
    return (inputs && inputs->empty()) || (k.component == "sampler" && k.layer == "latent" && k.step == 0);
}

std::string TraceKey::row() const { return component.empty() ? layer : component + "/" + layer; }

TraceKey parse_trace_key(std::string_view key) {
    TraceKey k;
    const std::size_t slash = key.rfind('/');
    k.layer = key.substr(slash == std::string_view::npos ? 0 : slash + 1);
    if (slash == std::string_view::npos) return k;
    std::string_view rest = key.substr(0, slash);
    k.component = rest.substr(0, rest.find('/'));
    rest.remove_prefix(std::min(rest.size(), k.component.size() + 1));
    while (!rest.empty()) {
        const std::string_view part = rest.substr(0, rest.find('/'));
        rest.remove_prefix(std::min(rest.size(), part.size() + 1));
        const auto number = [&](std::string_view prefix) -> std::optional<int> {
            if (!part.starts_with(prefix)) return {};
            const auto value = read_whole<int>(part.substr(prefix.size()));
            return value && *value >= 0 ? value : std::nullopt;
        };
        if (const auto step = number("step_"))
            k.step = step;
        else if (const auto frame = number("frame_"))
            k.frame = frame;
        else
            k.branch.append(k.branch.empty() ? "" : "/").append(part);
    }
    return k;
}

std::vector<std::string> TraceComparison::alone_in_a() const { return without(only_a, missing_in_b); }
std::vector<std::string> TraceComparison::alone_in_b() const { return without(only_b, missing_in_a); }

bool TraceComparison::identical() const {
    return shapes.empty() && only_a.empty() && only_b.empty() &&
           std::ranges::all_of(layers, [](const LayerError& l) { return l.difference.same_bits; });
}

void analyse(TraceComparison& c) {
    c.mixed = false;
    c.first.reset(), c.worst.reset(), c.begins.reset(), c.first_dtype.reset();
    c.coarsest = DType::f32;
    std::size_t other_dtypes = 0;
    for (std::size_t i = 0; i < c.layers.size(); ++i) {
        const TensorDifference& d = c.layers[i].difference;
        for (const DType t : {d.dtype_a, d.dtype_b})
            if (is_float(t) && rounding(t) > rounding(c.coarsest)) c.coarsest = t;
        if (d.dtype_a != d.dtype_b && ++other_dtypes == 1) c.first_dtype = i;
        if ((d.max_abs > 0 || d.not_finite > 0) && !c.begins) c.begins = i;
        if (!c.worst || d.normalised() > c.worst_normalised()) c.worst = i;
    }
    c.mixed = other_dtypes * 4 > c.layers.size();

    Graph graph(c);
    graph.inherit();
    usual_gains(graph.nodes(), c.coarsest);
    for (const Node& n : graph.nodes()) {
        const double expected = expected_error(n, c);
        const bool generated = is_generated(n, c, expected);
        for (const std::size_t i : n.members) {
            LayerError& l = c.layers[i];
            l.relative = n.relative, l.inherited = n.inherited, l.expected = expected;
            l.generated = generated && shows(l.difference, n);
            if (l.generated && !c.first) c.first = i;
        }
    }
    c.verdict = verdict_of(c);
}

} // namespace denoir::metrics
