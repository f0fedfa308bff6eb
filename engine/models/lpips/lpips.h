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

/// The backbone whose features are compared.
enum class Network { alexnet, vgg16 };
std::string_view name(Network); ///< "LPIPS AlexNet"

/// Learned perceptual image patch similarity (Zhang, Isola, Efros, Shechtman, Wang: The unreasonable effectiveness of
/// deep features as a perceptual metric, 2018), version 0.1. The features of a backbone after five of its ReLUs are
/// normalised over channels; their squared differences are weighted by a learned vector, averaged over the picture, and
/// summed over the five layers.
class Lpips {
public:
    /// `files`: one safetensors or .pth file with the state of lpips.LPIPS (`net.slice1.0.weight`,
    /// `lin0.model.1.weight`, …), or two, torchvision's backbone (`features.0.weight`) and the package's heads. The
    /// shapes tell which network it is. `backend` must be the CPU's (asserted). Throws Error naming what is missing.
    Lpips(std::span<const std::filesystem::path> files, std::shared_ptr<Backend> backend);

    Network network() const { return network_; }
    /// The smallest side that a picture may have, in pixels.
    int least_side() const;

    /// The distance of two pictures; 0 if their features are equal. a, b [3,H,W] f32 in 0 … 255, in host memory, of the
    /// same size with sides of at least least_side() (asserted). Rows must be contiguous; the other strides are free.
    /// Throws Error for tensors on a card.
    double distance(const Tensor& a, const Tensor& b) const;

private:
    struct Layer {
        Weight weight, bias;
        int stride, pad;
        int pool; ///< side of the max pooling before it, with stride 2; 0: none
        int head; ///< index of the head that reads its output; -1: none
    };
    Tensor input(const Tensor& picture) const;
    Tensor forward(const Layer&, Tensor x) const;

    Network network_ = Network::alexnet;
    std::vector<Layer> layers_;
    std::vector<std::vector<float>> heads_;
    std::shared_ptr<Backend> backend_;
};

} // namespace denoir::lpips
