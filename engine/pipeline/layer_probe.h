// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/format.h>

#include <map>
#include <string>

#include "engine/nn/probe.h"
#include "engine/pipeline/observer.h"

namespace denoir {

/// Passes the layers of one model call on to a LayerObserver, under the names PREFIX/LAYER, where `prefix` says which
/// call it is.
class LayerProbe : public nn::Probe {
public:
    /// `frames`: the model tells each layer once per frame; names become PREFIX/frame_NNN/LAYER.
    LayerProbe(LayerObserver* observer, std::string prefix, bool frames = false)
        : observer_(observer), prefix_(std::move(prefix)), frames_(frames) {}
    /// What to pass to the model: null if there is no observer.
    nn::Probe* get() { return observer_ ? this : nullptr; }

    bool wants(std::string_view layer) const override { return observer_->wants(key(layer)); }
    void tell(std::string_view layer, const Tensor& x) override {
        observer_->layer(key(layer), x);
        if (frames_) ++next_[std::string(layer)];
    }

private:
    std::string key(std::string_view layer) const {
        if (!frames_) return fmt::format("{}/{}", prefix_, layer);
        const auto it = next_.find(layer);
        return fmt::format("{}/frame_{:03}/{}", prefix_, it == next_.end() ? 0 : it->second, layer);
    }
    LayerObserver* observer_;
    std::string prefix_;
    bool frames_;
    std::map<std::string, int, std::less<>> next_;
};

/// Tells `observer` (or null) a tensor that is not a model's layer.
inline void tell_tensor(LayerObserver* observer, const std::string& key, const Tensor& x) {
    if (observer && x.defined() && observer->wants(key)) observer->layer(key, x);
}

} // namespace denoir
