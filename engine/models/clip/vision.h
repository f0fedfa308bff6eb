// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/nn/probe.h"
#include "engine/weights/weights.h"

namespace denoir::clip {

struct Config {
    std::int64_t width = 0, mlp = 0, layers = 0, heads = 0;
    std::int64_t patch = 0; ///< pixels of a patch's side
    std::int64_t grid = 0;  ///< patches of a side
    std::string prefix;     ///< "visual" or nothing
    float eps = 1e-5f;      ///< of the layer norms
    std::int64_t image() const { return patch * grid; }
    /// Sizes from shapes. Heads: config.json's num_attention_heads, else `heads`, else width / 80.
    static Config read(const Weights&, std::optional<std::int64_t> heads = {});
    std::map<std::string, Shape> expected() const;
};

/// What `forward` tells a probe, in order; with `visual.` in front, however the checkpoint calls them.
std::vector<std::string> layer_names(const Config&);

/// The vision tower of CLIP without its last block (spec/clip.md 1). Const after construction.
class Vision {
public:
    struct Options {
        DType dtype = DType::f32;          ///< f32 or bf16
        std::optional<std::int64_t> heads; ///< where config.json names none
    };

    Vision(std::shared_ptr<const Weights>, std::shared_ptr<Backend>, Options);
    const Config& config() const { return config_; }

    /// image [3, S, S] f32, resized and normalised (spec/clip.md 2), host or backend -> [1 + patches, width] f32 on the
    /// backend, class token first. Throws Error naming `image` for another shape.
    Tensor forward(const Tensor& image, nn::Probe* probe = nullptr) const;

private:
    std::shared_ptr<const Weights> weights_;
    std::shared_ptr<Backend> backend_;
    Config config_;
    Options options_;
};

} // namespace denoir::clip
