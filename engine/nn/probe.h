// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <type_traits>

#include "engine/core/tensor.h"
#include "engine/weights/module.h"

namespace denoir::nn {

/// Is told the results of layers while a model runs: activations by the names of the modules in the original
/// repositories (`blocks.0.self_attn.q`). `X.input` is what module X is given, where that is no module's result:
/// `blocks.0.self_attn.o.input` is the attention itself. A probe changes no result; what the fused kernels pass over is
/// computed beside them, and only where it is wanted. Called on the engine thread, in the order of execution.
class Probe {
public:
    virtual ~Probe() = default;
    virtual bool wants(std::string_view layer) const = 0;
    /// `x` lives on the backend and is only valid during the call; its dtype is the one that was computed.
    virtual void tell(std::string_view layer, const Tensor& x) = 0;
};

/// Tells `value`, a Tensor or a function that gives one, as `m`, or `m.leaf`. `probe` may be null.
template <class Value> void tell(Probe* probe, const Module& m, std::string_view leaf, Value&& value) {
    if (!probe) return;
    std::string name = m.prefix();
    if (!leaf.empty()) {
        if (!name.empty()) name += '.';
        name += leaf;
    }
    if (!probe->wants(name)) return;
    if constexpr (std::is_invocable_v<Value>)
        probe->tell(name, value());
    else
        probe->tell(name, value);
}

} // namespace denoir::nn
