// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/core/tensor.h"
#include "engine/pipeline/request.h"

namespace denoir {

struct ModelFolder;

/// What the pipeline has to know about a model, read from the headers of its transformer and VAE.
struct Variant {
    int channels = 0;  ///< of the latent
    int condition = 0; ///< channels appended to it: 0, or 4 mask + latent channels
    int text_len = 512;
    int clip_images = 0; ///< images whose CLIP features it takes: 0, 1, or 2 (first and last)
    std::int64_t dim = 0, layers = 0, ffn = 0;
    int stride = 8; ///< pixels of a side per latent pixel: 8, or 16 with the VAE of Wan 2.2 TI2V

    /// A picture's sides are multiples of this many pixels: the transformer's patches are two latent pixels wide.
    int multiple() const { return 2 * stride; }
    /// TI2V: a start image is the clean first latent frame, at timestep 0 (spec/pipelines.md 5); there is no condition.
    bool clean_image() const { return stride == 16 && condition == 0; }

    /// Reads headers only. Throws Error naming a file that is damaged, missing, or a VAE that reduces a video by
    /// anything but 4x8x8 or 4x16x16.
    static Variant read(const ModelFolder&);
    /// read(), but if the VAE is missing or unusable, its stride is guessed from the latent's channels.
    static Variant guess(const ModelFolder&);
};

/// Latent frames of a request's first window, which is the whole clip unless that is made in several.
int window_frames(const Request&);
/// Shape [C,T,h,w] of that window's latent; no other window has a larger one.
Shape latent_shape(const Request&, const Variant&);

/// Whether this is a clip of diffusion forcing that continues a video.
bool goes_on(const Request&);
/// Number of clean latent frames that a clip of diffusion forcing begins with: from its start image or the video that
/// it continues.
int ready_frames(const Request&);
/// Number of clean latent frames that each window after the first begins with.
int overlap_frames(const Request&);

/// Whether this guidance scale needs a second forward. At 1 it would change nothing, and SkyReels' forcing loop has
/// none below 1 either (spec/pipelines.md 1.3).
bool guided(const Request&, double guidance);
/// The guidance of a resolved request's steps, or of those of Wan 2.2's low-noise expert.
double guidance_of(const Request&, bool low);
/// Whether guided() holds for the scale of either expert, regardless of guidance_until.
bool has_guidance(const Request&);
/// Whether any step is guided, so that the negative prompt has to be encoded.
bool uses_negative(const Request&, const ModelFolder&);

/// The row of the frame-rate table: SkyReels counts 16 frames a second as index 0 and every other rate as 1.
int fps_row(const Request&);

/// Models at least this wide count as 14B.
constexpr std::int64_t large_width = 4096;
/// Whether the model's name mentions this size ("480p", "540p" or "720p", in any case). The names of the transformer's
/// file, of the model and of the folders above are searched, nearest first; the first that mentions any size decides.
bool says_size(const ModelFolder&, std::string_view size);

/// The `use` of a transformer's weights (Residency::get): what decides in which form a backend prepares them.
std::string weights_use(const Request&);

} // namespace denoir
