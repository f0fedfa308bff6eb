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

/// A linear map from latent channels to colours: a picture of a latent without its VAE, at once. Red, green and blue in
/// 0 … 1 are bias + factors · channels.
struct LatentColours {
    std::vector<std::array<float, 3>> factors; ///< one for each channel
    std::array<float, 3> bias{0.5f, 0.5f, 0.5f};

    bool fits(const Tensor& latent) const {
        return latent.rank() == 4 && latent.size(0) == static_cast<std::int64_t>(factors.size());
    }
    /// Latent frame `frame` of [C,T,h,w] (f32, host) as RGB32, h x w. Null where the channels do not fit.
    QImage picture(const Tensor& latent, int frame) const;

    /// Least squares over every latent pixel: `frames` are the video's, 4 (T - 1) + 1 of them, of which latent frame t
    /// > 0 stands for four. Empty where sizes do not belong together.
    static std::optional<LatentColours> fit(const Tensor& latent, const std::vector<Image>& frames);
    /// Without a video: the three directions in which the latent varies most, as light, warm to cold, green to red.
    static LatentColours principal(const Tensor& latent);
};

/// What is known for the VAE of a request's model: learned from an earlier run (cache folder), else shipped in
/// resources/preview_factors.json. Nothing: fit() or principal() helps. Reads files: not for the GUI thread.
std::optional<LatentColours> known_colours(const Request& resolved);
/// Remembers what was learned for the VAE of this request. Failing to write is no error.
void remember_colours(const Request& resolved, const LatentColours& colours);
/// True where remember_colours() was called for this VAE before.
bool learned_colours(const Request& resolved);

} // namespace denoir::app
