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
    int multiprocessors = 132;  ///< torch_cuda: the card that is repeated
    std::filesystem::path file; ///< tensor `noise` [C,T,h,w]
    friend bool operator==(const NoiseSource&, const NoiseSource&) = default;
};

/// Diffusion forcing (spec/pipelines.md 6, 7).
struct Forcing {
    int ar_step = 0; ///< 0: all frames in step; else each block runs this many steps behind the one before
    int block = 1;   ///< latent frames that share a timestep
    bool causal_attention = false; ///< block-causal self-attention with this block

    /// The clip goes on where this video (or folder of frames) ends: its first `overlap` frames are that video's last
    /// ones (spec/pipelines.md 7.5, a later window). Empty: it begins anew.
    std::filesystem::path video;
    std::optional<int> video_frames; ///< so many of the video count; none: all
    int overlap = 17;                ///< frames, 4n+1, fewer than the clip and a window have

    /// Frames of a window, 4n+1: a longer clip is made in several, each beginning with the last `overlap` frames of the
    /// one before, decoded and encoded again (spec/pipelines.md 7.5). None: one window, however long.
    std::optional<int> base;
    /// Thousandths of noise that the transformer sees on given frames, new in each step, with that timestep
    /// (spec/pipelines.md 7.4); 0 … 999. SkyReels recommends 20 for long clips, at most 60.
    int condition_noise = 0;
    friend bool operator==(const Forcing&, const Forcing&) = default;
};

/// TeaCache: forwards whose time features have hardly moved take over what the blocks added in an earlier one
/// (spec/pipelines.md 8).
struct StepCaching {
    static constexpr double most = 10;
    double threshold = 0.2; ///< 0 … most; more is faster and further from the whole computation; 0: off
    bool ret_steps = false; ///< follows the projected features, and begins with five whole steps instead of one
    std::vector<double> coefficients; ///< of the polynomial, highest degree first; empty: the model's own
    friend bool operator==(const StepCaching&, const StepCaching&) = default;
};

/// Everything that decides a result. Plain data; an empty optional means the model's default, which `resolve` fills in.
/// Stored with every result: replaying it repeats it.
struct Request {
    std::optional<Mode> mode;
    std::filesystem::path model; ///< folder or file; empty: the bundled demo model
    ModelParts parts;            ///< what is not to be found in or beside it
    std::optional<Family> family;
    std::vector<Lora> loras; ///< changes to the transformer; they add up
    std::string prompt;
    std::optional<std::string> negative_prompt;
    std::filesystem::path image, last_image;  ///< empty: none
    std::optional<int> width, height, frames; ///< pixels: multiples of 16, TI2V 32; frames 4n+1
    std::optional<double> fps;
    std::optional<int> steps; ///< 1 … 1000
    std::optional<double> guidance, guidance_low, shift;
    /// A latent frame is guided while its time, which falls from 1000, is this or more; 0 … 1000, 0: always. What is
    /// left is fine detail, which the prompt alone draws as well (Kynkäänniemi et al. 2024). A step makes one forward
    /// instead of two where no frame that it moves is guided; those of diffusion forcing that wait are not moved.
    double guidance_until = 0;
    std::optional<std::uint64_t> seed;
    std::optional<Sampler> sampler;
    std::optional<DType> dtype; ///< f32 or bf16
    std::optional<PrecisionPolicy> precision;
    std::optional<Preprocess> preprocess;
    std::optional<Device> device;
    int threads = 0; ///< 0: every core; decides no byte of the result
    KeepLatents latents = KeepLatents::all;
    NoiseSource noise;
    std::optional<Forcing> forcing;
    std::optional<StepCaching> cache; ///< none: every forward is computed

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
