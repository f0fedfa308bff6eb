// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/metrics/tensor_difference.h"

/// Two traces of the same run, layer by layer: their differences, and where these began.
namespace denoir::metrics {

/// A key of a trace, COMPONENT/PART/…/LAYER, taken apart. A name without a slash is only a layer.
struct TraceKey {
    std::string component, layer;
    std::string branch;      ///< the parts other than step and frame, joined by '/': "cond", "uncond", "first"
    std::optional<int> step; ///< step_003
    std::optional<int> frame;
    /// Its column in a map of layers by steps: "step 3 cond", "frame 2", "" for a layer that occurs once.
    std::string column() const;
    /// Its row there: COMPONENT/LAYER.
    std::string row() const;
};
TraceKey parse_trace_key(std::string_view key);

/// One tensor that both traces have.
struct LayerError {
    std::string key;
    TraceKey parts;
    TensorDifference difference;
    /// For a product or an activation (pointwise_of) whose inputs both traces have: the relative error of results
    /// computed from these inputs, which is the part that comes from the inputs. Such an operation may amplify an error
    /// by any factor, depending on the values, so that the inputs' relative errors do not tell it. 0 for other layers.
    double passed = 0;
    // Set by analyse(). If a layer has frames, these are for all of them together.
    double relative = 0;    ///< error of the result
    double inherited = 0;   ///< the largest error among its inputs that are in the traces
    double expected = 0;    ///< the error that rounding and inherited errors explain
    bool generated = false; ///< `relative` clearly exceeds `expected`: the error begins here
};

/// A tensor that both traces have, in different shapes.
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
    /// The part of only_b that A should have, and of only_a that B should have. The rest was not traced on that side on
    /// purpose.
    std::vector<std::string> missing_in_a, missing_in_b;
    std::vector<ShapeMismatch> shapes;

    // Set by analyse().
    bool mixed = false;          ///< two precisions: the dtypes of A and B differ in more than a quarter of the layers
    DType coarsest = DType::f32; ///< the coarsest of all dtypes
    // Indices into layers.
    std::optional<std::size_t> first;       ///< the first that makes an error of its own
    std::optional<std::size_t> worst;       ///< the one with the largest normalised error
    std::optional<std::size_t> begins;      ///< the first whose values differ
    std::optional<std::size_t> first_dtype; ///< the first whose dtypes differ
    /// Two or three sentences that tell whether the traces agree, and where they begin to differ.
    std::string verdict;

    /// Whether both have the same tensors, equal to the bit.
    bool identical() const;
    /// The parts of only_a and only_b that are not missing on the other side.
    std::vector<std::string> alone_in_a() const;
    std::vector<std::string> alone_in_b() const;
    std::size_t missing() const { return missing_in_a.size() + missing_in_b.size(); }
    double worst_normalised() const { return worst ? layers[*worst].difference.normalised() : 0; }
};

/// Finds the layers that make errors, as opposed to passing them on. A layer's error is compared with the largest error
/// of its inputs in the models' graph (inputs_of) and the rounding of its dtypes. An amplification that the same layer
/// also has in other blocks, as attention may, counts as normal.
void analyse(TraceComparison&);

/// TraceComparison::verdict for the results of analyse().
std::string verdict_of(const TraceComparison&);

/// An error with two digits: "1.2e-05", "0.23", "4.4", "26", "0", "∞".
std::string error_text(double error);

/// "x, y, z, …": at most three names.
std::string shortened_list(const std::vector<std::string>& names);

/// "Missing in A: x, y, z, … (5)." and the same for B; empty if nothing is missing.
std::string missing_text(const TraceComparison&);

/// Whether a tensor is an input that no layer computes: tokens, pixels, noise, the time of a step.
bool is_given(const TraceKey&);

/// The inputs of a layer, as names of layers of the same component, step and branch. References to anything else begin
/// with '@': "@before" (VAE: the last whole blocks before it), "@last_block", "@latent" (of the step before), "@text",
/// "@image", "@condition", "@velocity", "@decoded". Empty for an unknown name.
std::optional<std::vector<std::string>> inputs_of(std::string_view component, std::string_view layer);
/// A layer that is an activation or a product of other layers of its component.
struct PointwiseLayer {
    Pointwise kind;
    std::vector<std::string> inputs; ///< these layers
};
/// Empty if the layer is not pointwise.
std::optional<PointwiseLayer> pointwise_of(std::string_view component, std::string_view layer);

} // namespace denoir::metrics
