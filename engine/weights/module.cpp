// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/module.h"

#include <fmt/format.h>

#include "engine/core/error.h"
#include "engine/weights/shapes.h"

namespace denoir {

Module Module::operator[](std::string_view child) const {
    return Module(*weights_, prefix_.empty() ? std::string(child) : fmt::format("{}.{}", prefix_, child));
}

Module Module::operator[](int index) const { return (*this)[std::to_string(index)]; }

const Weight& Module::get(std::string_view leaf, const Shape& expected) const {
    const Weight* weight = find(leaf);
    const std::string name = prefix_.empty() ? std::string(leaf) : fmt::format("{}.{}", prefix_, leaf);
    if (!weight)
        throw Error(weights_->origin(), name,
                    fmt::format("the tensor is missing, expected {}", shape_pattern(expected)),
                    "use the complete checkpoint");
    if (!shape_fits(weight->shape(), expected))
        throw Error(weights_->origin(), name,
                    fmt::format("shape {}, expected {}", to_string(weight->shape()), shape_pattern(expected)),
                    "the checkpoint is of another model");
    return *weight;
}

const Weight* Module::find(std::string_view leaf) const {
    return prefix_.empty() ? weights_->find(leaf) : weights_->find(fmt::format("{}.{}", prefix_, leaf));
}

bool Module::exists() const {
    if (prefix_.empty()) return !weights_->all().empty();
    const auto it = weights_->all().lower_bound(prefix_ + ".");
    return it != weights_->all().end() && it->first.starts_with(prefix_ + ".");
}

int Module::count() const {
    int n = 0;
    while ((*this)[n].exists()) ++n;
    return n;
}

} // namespace denoir
