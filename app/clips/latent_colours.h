// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>
#include <array>
#include <optional>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/media/image.h"
#include "engine/pipeline/request.h"

namespace denoir::app {

/// A linear map from latent channels to colours, which gives a picture of a latent at once, without its VAE. Red, green
/// and blue in 0 … 1 are bias + factors · channels.
struct LatentColours {
    std::vector<std::array<float, 3>> factors; ///< one for each channel
    std::array<float, 3> bias{0.5f, 0.5f, 0.5f};

    bool fits(const Tensor& latent) const {
        return latent.rank() == 4 && latent.size(0) == static_cast<std::int64_t>(factors.size());
    }
    /// Latent frame `frame` of [C,T,h,w] (f32, host) as RGB32, h x w. Null if the number of channels does not fit.
    QImage picture(const Tensor& latent, int frame) const;

    /// The least squares fit over all latent pixels. `frames` are the 4 (T - 1) + 1 frames of the video; each latent
    /// frame but the first stands for four of them. Empty if the sizes do not belong together.
    static std::optional<LatentColours> fit(const Tensor& latent, const std::vector<Image>& frames);
    /// A guess without a video: shows the three directions in which the latent varies most as lightness, cold to warm
    /// and green to red.
    static LatentColours principal(const Tensor& latent);
};

/// The map for the VAE of a request's model: learned from an earlier run (cache folder) or shipped in
/// resources/preview_factors.json. Empty if there is none; then use fit() or principal(). Reads files, so do not call
/// it on the GUI thread.
std::optional<LatentColours> known_colours(const Request& resolved);
/// Stores a map that was learned for the VAE of this request. Failing to write it is no error.
void remember_colours(const Request& resolved, const LatentColours& colours);
/// Whether remember_colours() has stored a map for this VAE.
bool learned_colours(const Request& resolved);

} // namespace denoir::app
