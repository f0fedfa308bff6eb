// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <type_traits>

#include "engine/core/tensor.h"
#include "engine/weights/module.h"

namespace denoir::nn {

/// Observes the activations of a model while it runs. Layers have the names of the modules in the original repositories
/// (`blocks.0.self_attn.q`); `X.input` is the input of module X if that is not the result of a module
/// (`blocks.0.self_attn.o.input` is the attention itself). A probe changes no result: intermediate values that fused
/// kernels skip are computed in addition, and only if wanted. Called on the engine thread, in the order of execution.
class Probe {
public:
    virtual ~Probe() = default;
    virtual bool wants(std::string_view layer) const = 0;
    /// `x` is on the backend, in the dtype it was computed in, and only valid during the call.
    virtual void tell(std::string_view layer, const Tensor& x) = 0;
};

/// Tells the probe, unless it is null, `value` under the name of `m`, or of `m.leaf` if there is a leaf. `value` is a
/// Tensor, or a function that returns one and is only called if the probe wants it.
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
