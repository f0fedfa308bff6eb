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

/// The sizes of one vision tower (spec/clip.md 1).
struct Config {
    std::int64_t width = 0; ///< C, channels of a token
    std::int64_t mlp = 0;   ///< hidden width of the blocks' MLP
    std::int64_t layers = 0, heads = 0;
    std::int64_t patch = 0;                             ///< side of a patch in pixels
    std::int64_t grid = 0;                              ///< side of the image in patches
    std::string prefix;                                 ///< of the tensors' names: "visual" or empty
    float eps = 1e-5f;                                  ///< of the layer norms
    std::int64_t image() const { return patch * grid; } ///< S, side of the image in pixels
    /// Reads the sizes off the shapes; what config.json says must agree. The number of heads is that of config.json,
    /// else `heads`, else width / 80. Throws Error naming the tensor or the field.
    static Config read(const Weights&, std::optional<std::int64_t> heads = {});
    std::map<std::string, Shape> expected() const;
};

/// The layers that `forward` tells a probe, in order. Their names begin with `visual.` even if the checkpoint's do not.
std::vector<std::string> layer_names(const Config&);

/// The vision tower of CLIP without its last block, as Wan uses it (spec/clip.md 1). Const after construction.
class Vision {
public:
    struct Options {
        DType dtype = DType::f32;          ///< f32 or bf16
        std::optional<std::int64_t> heads; ///< used if config.json has no number of heads
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
