// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/core/tensor.h"
#include "engine/pipeline/request.h"

namespace denoir {

struct ModelFolder;

/// What a model asks of its pipeline, read from the tensors and config.json of its transformer and its VAE.
struct Variant {
    int channels = 0;  ///< of the latent
    int condition = 0; ///< channels appended to it: 0, or 4 mask + latent channels
    int text_len = 512;
    int clip_images = 0; ///< pictures whose CLIP features it takes: 0, 1, or first and last
    std::int64_t dim = 0, layers = 0, ffn = 0;
    int stride = 8; ///< pixels of a side per latent pixel: 8, or 16 with the VAE of Wan 2.2 TI2V

    /// What a picture's sides are multiples of: the transformer's patches are two latent pixels wide.
    int multiple() const { return 2 * stride; }
    /// TI2V: a start image is the clean first latent frame, at timestep 0 (spec/pipelines.md 5); there is no condition.
    bool clean_image() const { return stride == 16 && condition == 0; }

    /// Headers alone. Throws Error naming what is damaged, missing, or reduces by other than 4x8x8 and 4x16x16.
    static Variant read(const ModelFolder&);
    /// As read() where the VAE is missing or cannot be used: its stride is guessed from the latent's channels.
    static Variant guess(const ModelFolder&);
};

/// Latent frames of a request's first window: of the whole clip, but where that is made in several.
int window_frames(const Request&);
/// Latent size of that window: [C,T,h,w]. None is larger.
Shape latent_shape(const Request&, const Variant&);

/// A clip of diffusion forcing that goes on after a video.
bool goes_on(const Request&);
/// Clean latent frames that a clip of diffusion forcing begins with: of its start image or of the video before it.
int ready_frames(const Request&);
/// Clean latent frames that each window after the first begins with.
int overlap_frames(const Request&);

/// Whether classifier-free guidance needs a second forward: at 1 it changes nothing, and SkyReels' forcing loop leaves
/// it out below 1 too (spec/pipelines.md 1.3).
bool guided(const Request&, double guidance);
/// The guidance of a resolved request's steps, or of those of Wan 2.2's low-noise expert.
double guidance_of(const Request&, bool low);
/// guided() by the guidance of any of the run's steps, wherever that ends.
bool has_guidance(const Request&);
/// A step is guided: the negative prompt is encoded.
bool uses_negative(const Request&, const ModelFolder&);

/// The row of the frame-rate table: SkyReels counts 16 frames a second as index 0 and every other rate as 1.
int fps_row(const Request&);

/// From this width on a model is one of 14B.
constexpr std::int64_t large_width = 4096;
/// The name of the transformer's file, of the model or of a folder above them, nearest first, that speaks of a size
/// speaks of this one: "480p", "540p" or "720p". People write them in capitals or not.
bool says_size(const ModelFolder&, std::string_view size);

/// What a backend makes of a transformer's weights depends on this (Residency::get).
std::string weights_use(const Request&);

} // namespace denoir
