// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/backend/device.h"
#include "engine/sampling/scheduler.h"
#include "engine/weights/family.h"
#include "engine/weights/lora.h"
#include "engine/weights/model_parts.h"

namespace denoir {

enum class Mode { t2v, i2v, flf2v, forcing };
/// The cast points of a reference (spec/dit.md 7).
enum class PrecisionPolicy { f32, wan, skyreels };
enum class Preprocess { original, diffusers };
enum class KeepLatents { all, last, none };

struct NoiseSource {
    enum class Kind { torch_cpu, torch_cuda, file } kind = Kind::torch_cpu;
    int multiprocessors = 132;  ///< torch_cuda: those of the card whose generator is repeated
    std::filesystem::path file; ///< tensor `noise` [C,T,h,w]
    friend bool operator==(const NoiseSource&, const NoiseSource&) = default;
};

/// Diffusion forcing (spec/pipelines.md 6, 7).
struct Forcing {
    int ar_step = 0; ///< 0: all frames together; otherwise each block runs this many steps behind the one before it
    int block = 1;   ///< latent frames that share a timestep
    bool causal_attention = false; ///< block-causal self-attention with this block

    /// The video or folder of frames that the clip continues: the clip's first `overlap` frames are its last ones
    /// (spec/pipelines.md 7.5, a later window). Empty if the clip continues nothing.
    std::filesystem::path video;
    std::optional<int> video_frames; ///< the video is taken to end after this many frames; unset: after its last
    int overlap = 17;                ///< frames, 4n+1, fewer than the clip and a window have

    /// Frames of a window, 4n+1. A longer clip is made in several windows, each beginning with the last `overlap`
    /// frames of the one before, decoded and encoded again (spec/pipelines.md 7.5). Unset: a single window of any
    /// length.
    std::optional<int> base;
    /// Noise, in thousandths, that the transformer sees on given frames, drawn anew in each step; it is also their
    /// timestep (spec/pipelines.md 7.4). 0 … 999; SkyReels recommends 20 for long clips, at most 60.
    int condition_noise = 0;
    friend bool operator==(const Forcing&, const Forcing&) = default;
};

/// TeaCache: a forward whose time features have hardly moved since an earlier one takes over what the blocks added
/// there (spec/pipelines.md 8).
struct StepCaching {
    static constexpr double most = 10;
    double threshold = 0.2; ///< 0 … most; larger is faster and less exact; 0: off
    bool ret_steps =
        false; ///< compares the projected features, and computes the first five steps in full instead of one
    std::vector<double> coefficients; ///< of the polynomial, highest degree first; empty: those of the model
    friend bool operator==(const StepCaching&, const StepCaching&) = default;
};

/// Everything that decides a result. Plain data; an empty optional stands for the model's default, which
/// Pipeline::resolve() fills in. Stored with every result, so that replaying it repeats the result.
struct Request {
    std::optional<Mode> mode;
    std::filesystem::path model; ///< folder or file; empty: the bundled demo model
    ModelParts parts;            ///< parts of the model that lie elsewhere
    std::optional<Family> family;
    std::vector<Lora> loras; ///< their changes to the transformer add up
    std::string prompt;
    std::optional<std::string> negative_prompt;
    std::filesystem::path image, last_image;  ///< empty: none
    std::optional<int> width, height, frames; ///< pixels: multiples of 16, TI2V 32; frames 4n+1
    std::optional<double> fps;
    std::optional<int> steps; ///< 1 … 1000
    std::optional<double> guidance, guidance_low, shift;
    /// A latent frame is guided as long as its time, which falls from 1000, is at least this; 0 … 1000, 0: always. What
    /// remains after that is fine detail, which the prompt alone draws as well (Kynkäänniemi et al. 2024). A step makes
    /// one forward instead of two if it moves no guided frame; frames of diffusion forcing that wait are not moved.
    double guidance_until = 0;
    std::optional<std::uint64_t> seed;
    std::optional<Sampler> sampler;
    std::optional<DType> dtype; ///< f32 or bf16
    std::optional<PrecisionPolicy> precision;
    std::optional<Preprocess> preprocess;
    std::optional<Device> device;
    int threads = 0; ///< 0: every core; does not change the result
    KeepLatents latents = KeepLatents::all;
    NoiseSource noise;
    std::optional<Forcing> forcing;
    std::optional<StepCaching> cache; ///< unset: every forward is computed

    /// A branch: the run whose latents and solver state after `step` are taken over.
    struct Start {
        std::filesystem::path run;
        int step = 0;
        std::string sha256;
        friend bool operator==(const Start&, const Start&) = default;
    };
    std::optional<Start> start;
};

} // namespace denoir
