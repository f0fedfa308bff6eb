// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "engine/weights/weights.h"

namespace denoir {

/// A cursor into Weights: a name prefix. Owns nothing; valid as long as the Weights. `m["blocks"][3]["ffn.0"]` costs a
/// string.
class Module {
public:
    explicit Module(const Weights& weights, std::string prefix = {}) : weights_(&weights), prefix_(std::move(prefix)) {}

    Module operator[](std::string_view child) const;
    Module operator[](int index) const;

    /// The tensor `prefix.leaf`; an Error names it, the expected and the found shape. -1 in `expected` allows any size
    /// there.
    const Weight& get(std::string_view leaf, const Shape& expected) const;
    /// As get(), or null where there is no such tensor.
    const Weight* find(std::string_view leaf) const;
    /// True where any tensor lies under this prefix.
    bool exists() const;
    /// Number of children named 0, 1, 2, … directly below.
    int count() const;

    const std::string& prefix() const { return prefix_; }
    const Weights& weights() const { return *weights_; }

private:
    const Weights* weights_;
    std::string prefix_;
};

} // namespace denoir
