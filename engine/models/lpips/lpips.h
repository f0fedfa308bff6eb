// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/backend/backend.h"

namespace denoir::lpips {

/// Learned perceptual image patch similarity (Zhang, Isola, Efros, Shechtman, Wang: The unreasonable effectiveness of
/// deep features as a perceptual metric, 2018), version 0.1: features of AlexNet or VGG-16 after five of their ReLUs,
/// normalised over channels, squared differences weighed by a learned vector and averaged over the picture, summed.
enum class Network { alexnet, vgg16 };
std::string_view name(Network); ///< "LPIPS AlexNet"

class Lpips {
public:
    /// `files`: safetensors or .pth with the state of lpips.LPIPS (`net.slice1.0.weight`, `lin0.model.1.weight`, …), or
    /// torchvision's backbone (`features.0.weight`) and the package's heads in two files. Shapes tell the network.
    /// `backend`: the processor's (asserted). Throws Error naming what is missing.
    Lpips(std::span<const std::filesystem::path> files, std::shared_ptr<Backend> backend);

    Network network() const { return network_; }
    /// The least side of a picture, pixels.
    int least_side() const;

    /// a, b [3,H,W] f32 in 0 … 255 (strides as they like, last 1), both of one size, sides of at least least_side()
    /// (asserted), in host memory: it computes on the processor alone. Throws Error for tensors of a card. 0: the same
    /// features.
    double distance(const Tensor& a, const Tensor& b) const;

private:
    struct Layer {
        Weight weight, bias;
        int stride, pad;
        int pool; ///< side of the max pooling before it, stride 2; 0: none
        int head; ///< index of the head that looks at its output; -1: none
    };
    Tensor input(const Tensor& picture) const;
    Tensor forward(const Layer&, Tensor x) const;

    Network network_ = Network::alexnet;
    std::vector<Layer> layers_;
    std::vector<std::vector<float>> heads_;
    std::shared_ptr<Backend> backend_;
};

} // namespace denoir::lpips
