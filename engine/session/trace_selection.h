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

/// A layer that a run can tell, and in how many tensors at most (steps, guidance branches, frames).
struct TraceLayer {
    std::string component, layer;
    std::int64_t tensors;
};

/// Which layers of which steps a trace holds.
struct TraceSelection {
    /// Shell patterns (* ? [] and +(…) @(…|…)): "blocks.+([0-9])" is every block's result. One with a slash is held
    /// against COMPONENT/LAYER, any other against LAYER; several are alternatives, none stands for every layer.
    std::vector<std::string> layers;
    /// "1,4-6,last"; empty: every step. What belongs to no step is always in.
    std::string steps;
};

/// A selection, read for one resolved request. Throws UsageError naming `--steps` or `--layers` where nothing fits.
class TraceFilter {
public:
    TraceFilter(const TraceSelection&, const Request& resolved, const ModelFolder&);

    bool wants(std::string_view key) const;
    bool wants_step(int step) const { return steps_.contains(step); }
    bool wants_component(std::string_view component) const;
    /// Steps to compute: up to the last one that is wanted, none where no layer of transformer, sampler or decoder is.
    int last_step() const { return last_step_; }
    bool decodes() const { return decodes_; }
    const std::vector<TraceLayer>& layers() const { return layers_; }      ///< that fit, in the order of execution
    const std::vector<std::string>& patterns() const { return patterns_; } ///< as asked; none: every layer
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

/// Every layer that this resolved request can tell in `steps` (1 …) and before them, in the order of execution. Reads
/// headers.
std::vector<TraceLayer> traceable_layers(const Request& resolved, const ModelFolder&, const std::set<int>& steps);

} // namespace denoir
