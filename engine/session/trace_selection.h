// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/pipeline/pipeline.h"

namespace denoir {

struct ModelFolder;

/// A layer that can be traced, and how many tensors of it there are at most (by steps, guidance branches, frames).
struct TraceLayer {
    std::string component, layer;
    std::int64_t tensors;
};

/// Which layers of which steps a trace holds.
struct TraceSelection {
    /// Shell patterns (* ? [] and +(…) @(…|…)), such as "blocks.+([0-9])" for every block's result. A pattern with a
    /// slash is matched against COMPONENT/LAYER, any other against LAYER. A layer is selected if any pattern matches;
    /// without patterns, every layer is.
    std::vector<std::string> layers;
    /// "1,4-6,last"; empty: every step. What belongs to no step is always selected.
    std::string steps;
};

/// A TraceSelection applied to one resolved request. Throws UsageError naming `--steps` or `--layers` if it is
/// malformed or selects nothing.
class TraceFilter {
public:
    TraceFilter(const TraceSelection&, const Request& resolved, const ModelFolder&);

    bool wants(std::string_view key) const;
    bool wants_step(int step) const { return steps_.contains(step); }
    bool wants_component(std::string_view component) const;
    /// The last step that has to be computed; 0 if no layer of transformer, sampler or decoder is wanted.
    int last_step() const { return last_step_; }
    bool decodes() const { return decodes_; }
    const std::vector<TraceLayer>& layers() const { return layers_; }      ///< selected, in the order of execution
    const std::vector<std::string>& patterns() const { return patterns_; } ///< as in TraceSelection::layers
    const std::set<int>& steps() const { return steps_; }
    int total_steps() const { return total_steps_; }

private:
    bool fits(std::string_view component, std::string_view layer) const;
    std::vector<std::string> patterns_;
    std::set<int> steps_;
    int total_steps_ = 0, last_step_ = 0;
    bool decodes_ = false;
    std::vector<TraceLayer> layers_;
    mutable std::unordered_map<std::string, bool> known_; ///< by component/layer
};

} // namespace denoir
