// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>

#include "engine/backend/backend.h"
#include "engine/models/wan/vae_config.h"
#include "engine/nn/probe.h"

namespace denoir::wan {

/// What `encode` and `decode` tell a probe, in order for each frame. Each layer counts its own frames.
std::vector<std::string> encoder_layer_names(const VaeConfig&);
std::vector<std::string> decoder_layer_names(const VaeConfig&);

/// The causal video VAE. Frames stream through it one at a time, so memory is the causal state of the convolutions and
/// a few working frames, whatever the length. Const after construction; one engine thread uses it at a time.
class Vae {
public:
    struct Options {
        /// What frames are kept in. The references work in f32 (spec/vae21.md 1); bf16 halves the memory of large
        /// pictures, and only of those: where the state in f32 is no more than `bf16_above` bytes, it stays f32.
        /// Arithmetic is f32 but where the device is faster in bf16.
        DType dtype = DType::f32;
        std::size_t bf16_above = std::size_t{1} << 30;
        int strips = 1;    ///< decode in this many horizontal strips: same result, less state, some arithmetic again
        bool clamp = true; ///< decoded values to -1…1
        bool tf32 = false; ///< convolutions in f32 may be of TF32 on a card (ConvOptions), as the references' are there
    };

    /// Frame `index` as [3, H, W] f32 in -1…1, host or backend; an undefined Tensor says that it is exactly zero.
    using FrameSource = std::function<Tensor(std::int64_t index)>;
    /// Frame `index`, in order, [3, H, W] f32 clamped to -1…1, host memory.
    using FrameSink = std::function<void(std::int64_t index, const Tensor& frame)>;

    struct Encoded {
        Tensor latent; ///< [z, T, h, w] f32, normalised: what the transformer sees
        Tensor mean;   ///< [z, T, h, w] f32, raw
    };

    Vae(std::shared_ptr<const Weights>, std::shared_ptr<Backend>, Options);
    const VaeConfig& config() const { return config_; }

    /// `frames` frames of height x width; those past the last whole group of 4k + 1 are not asked for. Zero frames in a
    /// row cost nothing once the state they meet repeats itself; the result is bit-equal. Throws Error where height or
    /// width is smaller than one latent pixel.
    /// A probe is told every frame of every layer, [C, h, w], the grey ones too.
    Encoded encode(const FrameSource&, std::int64_t frames, std::int64_t height, std::int64_t width,
                   nn::Probe* probe = nullptr) const;
    /// video [3, F, H, W] f32
    Encoded encode(const Tensor& video) const;

    /// latent [z, T, h, w] f32 normalised, host or backend. With strips the frames come after the last strip.
    /// A probe is told every frame of every layer, [C, h, w]; then there are no strips.
    void decode(const Tensor& latent, const FrameSink&, nn::Probe* probe = nullptr) const;
    /// The whole video [3, F, H, W] f32 in host memory.
    Tensor decode(const Tensor& latent) const;

private:
    DType storage(std::int64_t values) const;

    std::shared_ptr<const Weights> weights_;
    std::shared_ptr<Backend> backend_;
    VaeConfig config_;
    Options options_;
};

} // namespace denoir::wan
