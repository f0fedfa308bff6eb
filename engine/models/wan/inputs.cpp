// SPDX-License-Identifier: Apache-2.0
#include "engine/models/wan/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/core/error.h"

namespace denoir::wan::inputs {

Grid check_latent(const Config& c, const Tensor& latent, const Tensor* condition) {
    if (latent.rank() != 4 || latent.dtype() != DType::f32)
        throw Error({}, "latent", "must be f32 of shape [channels, frames, height, width]", {});
    const Shape& s = latent.shape();
    if (s[1] < 1 || s[2] < 2 || s[3] < 2 || s[2] % 2 || s[3] % 2)
        throw Error({}, "latent", fmt::format("{}: height and width must be even, no size may be zero", to_string(s)),
                    "choose a video size in multiples of 16");
    std::int64_t channels = s[0];
    if (condition) {
        const Shape& cs = condition->shape();
        if (cs.rank() != 4 || condition->dtype() != DType::f32 || cs[1] != s[1] || cs[2] != s[2] || cs[3] != s[3])
            throw Error({}, "condition",
                        fmt::format("{} must be f32 with the latent's frames, height and width, {}", to_string(cs),
                                    to_string(s)),
                        {});
        channels += cs[0];
    }
    if (channels == c.in_channels) return {s[1], s[2] / 2, s[3] / 2};
    if (condition)
        throw Error({}, "condition",
                    fmt::format("{} channels with the latent's, the model takes {}", channels, c.in_channels), {});
    throw Error({}, "latent", fmt::format("{} channels, the model takes {}", channels, c.in_channels),
                channels < c.in_channels ? "give the image condition too" : "");
}

std::vector<float> timestep_rows(std::span<const float> timesteps, const Grid& g) {
    const auto count = static_cast<std::int64_t>(timesteps.size());
    if (count != 1 && count != g.frames && count != g.tokens())
        throw Error(
            {}, "timestep",
            fmt::format("{} values; there must be 1, {} (latent frames) or {} (tokens)", count, g.frames, g.tokens()),
            {});
    if (!std::all_of(timesteps.begin(), timesteps.end(), [](float t) { return std::isfinite(t); }))
        throw Error({}, "timestep", "must be finite", {});
    for (const std::int64_t rows : {std::int64_t{1}, g.frames}) {
        if (count % rows) continue;
        const std::int64_t group = count / rows;
        std::vector<float> first;
        bool same = true;
        for (std::int64_t i = 0; i < count; ++i) {
            if (i % group == 0) first.push_back(timesteps[static_cast<std::size_t>(i)]);
            same = same && timesteps[static_cast<std::size_t>(i)] == first.back();
        }
        if (same) return first;
    }
    return {timesteps.begin(), timesteps.end()};
}

void check_fps(const Config& c, std::optional<int> fps) {
    const char* hint = "give 0 for 16 fps or 1 for 24";
    if (fps && !c.fps_rows) throw Error({}, "fps", "this model has no frame-rate input", "leave it out");
    if (!fps && c.fps_rows) throw Error({}, "fps", "this model needs the frame rate", hint);
    if (fps && (*fps < 0 || *fps >= c.fps_rows))
        throw Error({}, "fps", fmt::format("{} is not from 0 to {}", *fps, c.fps_rows - 1), hint);
}

void check_text(const Config& c, const Tensor& text) {
    const Shape wanted{c.text_len, c.text_dim};
    if (!(text.shape() == wanted))
        throw Error({}, "text", fmt::format("{} must be {}", to_string(text.shape()), to_string(wanted)),
                    "pad the prompt's rows with zeros");
}

void check_clip(const Config& c, const Tensor* clip) {
    if (clip && !c.clip_dim) throw Error({}, "clip", "this model has no image branch", "leave it out");
    if (!clip && c.clip_dim) throw Error({}, "clip", "this model needs CLIP image features", "give them");
    if (!clip) return;
    const bool fits = clip->rank() == 2 && clip->size(0) >= 1 && clip->size(1) == c.clip_dim &&
                      (!c.clip_positions || clip->size(0) == c.clip_positions);
    const Shape wanted{c.clip_positions ? c.clip_positions : clip_rows, c.clip_dim};
    if (!fits)
        throw Error({}, "clip", fmt::format("{} must be {}", to_string(clip->shape()), to_string(wanted)),
                    "give the first image's features, then the last one's where the model takes both");
}

std::int64_t rows_used(const Tensor& text) {
    const std::span<const float> values = text.span<float>();
    const auto last = std::find_if(values.rbegin(), values.rend(), [](float v) { return v != 0; });
    const auto used = static_cast<std::int64_t>(values.rend() - last);
    return (used + text.size(1) - 1) / text.size(1);
}

} // namespace denoir::wan::inputs
