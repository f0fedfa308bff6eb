// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/stored.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/core/error.h"

namespace denoir {
namespace {

bool finite(const Tensor& x) {
    const auto values = x.span<float>();
    return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

} // namespace

void check_stored(const char* field, const Tensor& x, const Shape& shape) {
    const auto refuse = [&](const std::string& what) {
        throw Error({}, field, what, "the file was changed: render anew");
    };
    if (!x.defined()) refuse("is missing");
    if (x.dtype() != DType::f32) refuse(fmt::format("is {}, expected f32", info(x.dtype()).name));
    if (x.shape() != shape)
        refuse(fmt::format("has shape {}, the request makes {}", to_string(x.shape()), to_string(shape)));
    if (!finite(x)) refuse("holds numbers that are not finite");
}

void check_computed(const Weights& by, std::string_view what, const Tensor& host) {
    if (!finite(host))
        throw Error(by.origin(), "", fmt::format("{} comes out with numbers that are not finite", what),
                    "its weights are damaged: download them again");
}

} // namespace denoir
