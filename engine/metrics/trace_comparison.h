// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/metrics/tensor_difference.h"

/// Two traces of one run, layer by layer: how far apart they are, and where that began.
namespace denoir::metrics {

/// A key of a trace, COMPONENT/PART/…/LAYER, taken apart. A name without a slash is a layer alone.
struct TraceKey {
    std::string component, layer;
    std::string branch;      ///< what is neither step nor frame: "cond", "uncond", "first"; joined by '/'
    std::optional<int> step; ///< step_003
    std::optional<int> frame;
    /// The column of a layer x step map: "step 3 cond", "frame 2", "" for what is told once.
    std::string column() const;
    /// The row: COMPONENT/LAYER.
    std::string row() const;
};
TraceKey parse_trace_key(std::string_view key);

/// One tensor that both traces have.
struct LayerError {
    std::string key;
    TraceKey parts;
    TensorDifference difference;
    /// Relative error that the inputs hand on to a product or an activation (pointwise_of), where both traces have
    /// them: how far results computed from these inputs are apart. It may multiply an error by any factor, by where
    /// that lies, which no length tells. 0 for others.
    double passed = 0;
    // Set by analyse(); of all frames of a layer together where it has frames.
    double relative = 0;    ///< error of the result
    double inherited = 0;   ///< largest error among what it is computed from, as far as that is in the traces
    double expected = 0;    ///< what rounding and inherited error may make of it
    bool generated = false; ///< `relative` is more than that: the error is made here
};

/// Both have it, in other sizes.
struct ShapeMismatch {
    std::string key;
    Shape a, b;
};

/// Two traces layer by layer, and what analyse() makes of them.
struct TraceComparison {
    std::string name_a, name_b;                          ///< as the user wrote them
    std::map<std::string, std::string> about_a, about_b; ///< metadata of the files
    std::vector<LayerError> layers;                      ///< in the order of execution
    std::vector<std::string> only_a, only_b;
    /// Of only_b what A should have, of only_a what B should have: others one side was not asked for.
    std::vector<std::string> missing_in_a, missing_in_b;
    std::vector<ShapeMismatch> shapes;

    // Set by analyse().
    bool mixed = false;          ///< two precisions: more than a quarter of the layers have other dtypes in A than in B
    DType coarsest = DType::f32; ///< of all dtypes
    std::optional<std::size_t> first;       ///< index into layers: the first that makes an error of its own
    std::optional<std::size_t> worst;       ///< the one with the largest normalised error
    std::optional<std::size_t> begins;      ///< the first whose values differ
    std::optional<std::size_t> first_dtype; ///< the first whose dtypes differ
    /// Two or three sentences: whether they agree, and where they part.
    std::string verdict;

    /// Both have the same tensors, equal to the bit.
    bool identical() const;
    /// Of only_a and only_b those that nothing says the other side should have.
    std::vector<std::string> alone_in_a() const;
    std::vector<std::string> alone_in_b() const;
    std::size_t missing() const { return missing_in_a.size() + missing_in_b.size(); }
    double worst_normalised() const { return worst ? layers[*worst].difference.normalised() : 0; }
};

/// Finds where error is made rather than passed on: by the graph of the models (inputs_of), a layer's error is held
/// against the largest error of its inputs and the rounding of its dtypes. Gain that other blocks have at the same
/// layer too, as attention may, is taken for usual.
void analyse(TraceComparison&);

/// TraceComparison::verdict of what analyse() found.
std::string verdict_of(const TraceComparison&);

/// "1.2e-05", "0.23", "4.4", "26", "0", "∞": two digits of an error.
std::string error_text(double error);

/// "x, y, z, …": at most three names.
std::string shortened_list(const std::vector<std::string>& names);

/// What one side should have: "Missing in A: x, y, z, … (5)." and the like of B, or nothing.
std::string said_of_missing(const TraceComparison&);

/// No layer makes it: tokens, pixels, noise, the time of a step.
bool is_given(const TraceKey&);

/// What a layer is computed from, as names of layers of the same component, step and branch. References to others begin
/// with '@': "@latent" (of the step before), "@text", "@image", "@condition", "@velocity", "@decoded". `block_before`
/// is what stands for the layer before block 0. Nothing for a name that is not known.
std::optional<std::vector<std::string>> inputs_of(std::string_view component, std::string_view layer);
/// A layer that is an activation or a product of others of its component, and these; nothing for any other.
struct PointwiseLayer {
    Pointwise kind;
    std::vector<std::string> inputs;
};
std::optional<PointwiseLayer> pointwise_of(std::string_view component, std::string_view layer);

} // namespace denoir::metrics
