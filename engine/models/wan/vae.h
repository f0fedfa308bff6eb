// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>

#include "engine/backend/backend.h"
#include "engine/models/wan/vae_config.h"
#include "engine/nn/probe.h"

namespace denoir::wan {

/// The layers that `encode` and `decode` tell a probe, in their order within a frame. The number of frames differs from
/// layer to layer.
std::vector<std::string> encoder_layer_names(const VaeConfig&);
std::vector<std::string> decoder_layer_names(const VaeConfig&);

/// The causal video VAE. Frames stream through it one at a time, so that it needs memory for the causal state of the
/// convolutions and a few frames being computed, whatever the length of the video. Const after construction; one engine
/// thread uses it at a time.
class Vae {
public:
    struct Options {
        /// The type in which frames are kept, f32 or bf16. The references work in f32 (spec/vae21.md 1). bf16 halves
        /// the memory, but is only used if the causal state would exceed `bf16_above` bytes in f32. The arithmetic is
        /// then bf16 on devices where that is faster, else f32.
        DType dtype = DType::f32;
        std::size_t bf16_above = std::size_t{1} << 30;
        int strips = 1;    ///< horizontal strips to decode in: same result, less memory, some rows computed twice
        bool clamp = true; ///< clamp decoded values to -1 … 1
        bool tf32 = false; ///< f32 convolutions may use TF32 on a card (ConvOptions), as those of the references do
    };

    /// Frame `index` as [3, H, W] f32 in -1 … 1, host or backend; an undefined Tensor means exactly zero (grey).
    using FrameSource = std::function<Tensor(std::int64_t index)>;
    /// Takes the frames in order: [3, H, W] f32 host, in -1 … 1 if clamped.
    using FrameSink = std::function<void(std::int64_t index, const Tensor& frame)>;

    struct Encoded {
        Tensor latent; ///< [z, T, h, w] f32 host, normalised by VaeConfig's mean and std, for the transformer
        Tensor mean;   ///< [z, T, h, w] f32 host, the encoder's mean, not normalised
    };

    Vae(std::shared_ptr<const Weights>, std::shared_ptr<Backend>, Options);
    const VaeConfig& config() const { return config_; }

    /// Encodes `frames` frames of height x width pixels. Only the first 4k + 1 of them, for the largest possible k, are
    /// asked for. A stretch of zero frames costs almost nothing once the causal state repeats; the result is bit-equal.
    /// Throws Error if there are no frames, or if the size is below one latent pixel or does not fit. A probe is told
    /// every frame of every layer, [C, h, w].
    Encoded encode(const FrameSource&, std::int64_t frames, std::int64_t height, std::int64_t width,
                   nn::Probe* probe = nullptr) const;
    /// The same for a video [3, F, H, W] f32, host or backend.
    Encoded encode(const Tensor& video) const;

    /// Decodes latent [z, T, h, w] f32, normalised, host or backend. With strips, the sink gets the first frame only
    /// after the last strip was decoded. A probe is told every frame of every layer, [C, h, w]; strips are not used
    /// then. Throws Error for another shape.
    void decode(const Tensor& latent, const FrameSink&, nn::Probe* probe = nullptr) const;
    /// The same, as a whole video [3, F, H, W] f32 host.
    Tensor decode(const Tensor& latent) const;

private:
    DType storage(std::int64_t values) const;

    std::shared_ptr<const Weights> weights_;
    std::shared_ptr<Backend> backend_;
    VaeConfig config_;
    Options options_;
};

} // namespace denoir::wan
