// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/stored.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/core/error.h"

namespace denoir {

std::optional<std::int64_t> first_not_finite(const Tensor& host) {
    const auto values = host.span<float>();
    const auto at = std::find_if(values.begin(), values.end(), [](float v) { return !std::isfinite(v); });
    return at == values.end() ? std::nullopt : std::optional<std::int64_t>(at - values.begin());
}

void check_stored(const char* field, const Tensor& x, const Shape& shape) {
    const auto refuse = [&](const std::string& what) {
        throw Error({}, field, what, "the file was changed: render again");
    };
    if (!x.defined()) refuse("is missing");
    if (x.dtype() != DType::f32) refuse(fmt::format("is {}, expected f32", info(x.dtype()).name));
    if (x.shape() != shape)
        refuse(fmt::format("has shape {}, the request makes {}", to_string(x.shape()), to_string(shape)));
    if (first_not_finite(x)) refuse("holds numbers that are not finite");
}

void check_computed(const Weights& by, std::string_view what, const Tensor& host, std::string_view hint) {
    if (first_not_finite(host))
        throw Error(by.origin(), "", fmt::format("{} comes out with numbers that are not finite", what),
                    std::string(hint));
}

} // namespace denoir
