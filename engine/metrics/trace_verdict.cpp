// SPDX-License-Identifier: Apache-2.0
// The verdict on the results of analyse().
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/core/error.h"
#include "engine/metrics/trace_comparison.h"

namespace denoir::metrics {
namespace {

constexpr std::size_t most_listed = 3; ///< names in a list

std::string place(const LayerError& l) {
    std::string text = printable(l.parts.layer, 100); // names in a file may be anything
    if (!l.parts.component.empty()) text = fmt::format("{} of {}", text, printable(l.parts.component, 40));
    const std::string column = printable(l.parts.column(), 60);
    return column.empty() ? text : fmt::format("{} ({})", text, column);
}

std::string pair_of_dtypes(const TensorDifference& d) {
    return d.dtype_a == d.dtype_b ? std::string(info(d.dtype_a).name)
                                  : fmt::format("{} in A, {} in B", info(d.dtype_a).name, info(d.dtype_b).name);
}

/// A sentence about values that are NaN or infinite in both traces; empty if there are none.
std::string not_finite_text(const TraceComparison& c) {
    const auto broken = [](const LayerError& l) { return l.difference.both_not_finite > 0; };
    const auto first = std::ranges::find_if(c.layers, broken);
    if (first == c.layers.end()) return {};
    return fmt::format(" In {} of {} tensors values are NaN or infinite in both, first in {}: {} of {}.",
                       std::count_if(first, c.layers.end(), broken), c.layers.size(), place(*first),
                       first->difference.both_not_finite, first->difference.elements);
}

std::string dtypes_text(const TraceComparison& c) {
    if (!c.first_dtype) return {};
    const LayerError& l = c.layers[*c.first_dtype];
    return fmt::format(" Dtypes part first at {}: {}.", place(l), pair_of_dtypes(l.difference));
}

std::string spaced(const std::string& sentences) {
    return sentences.empty() ? sentences : fmt::format(" {}", sentences);
}

/// The verdict on traces whose common tensors have equal values.
std::string verdict_of_equals(const TraceComparison& c) {
    const auto other = std::ranges::find_if(c.layers, [](const LayerError& l) { return !l.difference.same_bits; });
    const bool one = c.layers.size() == 1;
    std::string text;
    if (other == c.layers.end())
        text = one ? "The only tensor is equal to the bit."
                   : fmt::format("All {} tensors are equal to the bit.", c.layers.size());
    else if (c.first_dtype)
        text = (one ? "The only tensor is equal in value."
                    : fmt::format("All {} tensors are equal in value.", c.layers.size())) +
               dtypes_text(c);
    else if (one)
        text = fmt::format("The only tensor is equal in value as f32; what is stored differs in {}.", place(*other));
    else
        text = fmt::format("All {} tensors are equal in value as f32; what is stored differs first in {}.",
                           c.layers.size(), place(*other));
    if (!c.only_a.empty() || !c.only_b.empty())
        text += fmt::format(" Not compared: {} in A alone, {} in B alone.", c.only_a.size(), c.only_b.size());
    return text;
}

} // namespace

std::string verdict_of(const TraceComparison& c) {
    if (c.layers.empty() && !c.shapes.empty()) return "No layer has the same shape in both traces.";
    if (c.layers.empty()) return "The two traces have no layer in common.";
    std::string text;
    if (!c.begins) return verdict_of_equals(c) + spaced(missing_text(c)) + not_finite_text(c);
    if (c.first) {
        const LayerError& l = c.layers[*c.first];
        if (l.difference.not_finite > 0)
            text = fmt::format("The error begins in {}: {} values are NaN or infinite on one side alone.", place(l),
                               l.difference.not_finite);
        else if (is_given(l.parts))
            text = fmt::format("The two differ in what they are given: {} is {} apart ({}).", place(l),
                               error_text(l.relative), pair_of_dtypes(l.difference));
        else if (std::isinf(l.relative))
            text = fmt::format("The error begins in {}: its result is 0 throughout in B alone ({}).", place(l),
                               pair_of_dtypes(l.difference));
        else
            text = fmt::format(
                "The error begins in {}: what it is computed from {}, its result agrees to {} (about {} would be "
                "rounding; {}).",
                place(l),
                l.inherited > 0 ? fmt::format("agrees to {}", error_text(l.inherited)) : std::string("is equal"),
                error_text(l.relative), error_text(l.expected), pair_of_dtypes(l.difference));
    } else {
        text = fmt::format("No layer makes an error of its own: all differences are what rounding to {} makes of them.",
                           info(c.coarsest).name);
    }
    text += dtypes_text(c);
    if (c.worst)
        text += fmt::format(" Largest difference over the mean norm of a layer: {}, in {}.",
                            error_text(c.worst_normalised()), place(c.layers[*c.worst]));
    return text + spaced(missing_text(c)) + not_finite_text(c);
}

std::string error_text(double error) {
    if (!std::isfinite(error)) return "∞";
    if (error == 0) return "0";
    if (error < 0.095 || error >= 1e6) return fmt::format("{:.1e}", error);
    return fmt::format("{:.{}f}", error, error < 0.95 ? 2 : error < 9.5 ? 1 : 0);
}

std::string shortened_list(const std::vector<std::string>& names) {
    std::string out;
    for (std::size_t i = 0; i < std::min(names.size(), most_listed); ++i)
        out += (i ? ", " : "") + printable(names[i], 90);
    return names.size() > most_listed ? out + ", …" : out;
}

std::string missing_text(const TraceComparison& c) {
    const auto list = [](const std::vector<std::string>& names) {
        return shortened_list(names) + (names.size() > most_listed ? fmt::format(" ({})", names.size()) : "");
    };
    std::string text;
    if (!c.missing_in_a.empty()) text = fmt::format("Missing in A: {}.", list(c.missing_in_a));
    if (!c.missing_in_b.empty())
        text += fmt::format("{}Missing in B: {}.", text.empty() ? "" : " ", list(c.missing_in_b));
    return text;
}

} // namespace denoir::metrics
