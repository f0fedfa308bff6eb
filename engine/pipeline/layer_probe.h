// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/format.h>

#include <map>
#include <string>

#include "engine/nn/probe.h"
#include "engine/pipeline/observer.h"

namespace denoir {

/// Passes the layers of one model call on, with what the call is in front of their names.
class LayerProbe : public nn::Probe {
public:
    /// `frames`: each layer is told frame by frame, and the frames are counted.
    LayerProbe(LayerObserver* observer, std::string prefix, bool frames = false)
        : observer_(observer), prefix_(std::move(prefix)), frames_(frames) {}
    /// For the model: null where nobody listens.
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

/// A tensor that is no layer of a model.
inline void tell_tensor(LayerObserver* observer, const std::string& key, const Tensor& x) {
    if (observer && x.defined() && observer->wants(key)) observer->layer(key, x);
}

} // namespace denoir
