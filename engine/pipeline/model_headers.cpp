// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/model_headers.h"

#include <fmt/format.h>

#include "engine/core/error.h"
#include "engine/models/wan/config.h"
#include "engine/weights/headers.h"
#include "engine/weights/model_folder.h"

namespace denoir {

std::shared_ptr<const Weights> ModelHeaders::transformer(Expert expert) const {
    const bool low = expert == Expert::low;
    std::shared_ptr<const Weights>& known = low ? transformer_low_ : transformer_;
    if (!known)
        known = std::make_shared<const Weights>(
            load_headers(low ? model_->transformer_low : model_->transformer, Component::transformer));
    return known;
}

const wan::VaeConfig& ModelHeaders::vae() const {
    if (!vae_) vae_ = wan::VaeConfig::read(load_headers(model_->vae, Component::vae21));
    return *vae_;
}

std::size_t ModelHeaders::text_encoder_bytes() const {
    if (!text_encoder_bytes_)
        text_encoder_bytes_ =
            model_->text_encoder.empty() ? 0 : load_headers(model_->text_encoder, Component::umt5).stored_bytes();
    return *text_encoder_bytes_;
}

Variant ModelHeaders::of_transformer() const {
    const wan::Config config = wan::Config::read(*transformer());
    Variant v;
    v.channels = int(config.out_channels);
    v.condition = int(config.in_channels - config.out_channels);
    v.text_len = int(config.text_len);
    v.clip_images = config.clip_dim == 0 ? 0 : config.clip_positions > 0 ? 2 : 1;
    v.dim = config.dim;
    v.layers = config.layers;
    v.ffn = config.ffn_dim;
    return v;
}

const Variant& ModelHeaders::variant() const {
    if (variant_) return *variant_;
    Variant v = of_transformer();
    if (vae().temporal() != 4 || (vae().spatial() != 8 && vae().spatial() != 16))
        throw Error(model_->vae.front().string(), {},
                    fmt::format("reduces a video by {} x {} x {}, which no model here does", vae().temporal(),
                                vae().spatial(), vae().spatial()),
                    "use the VAE of Wan 2.1 (4 x 8 x 8) or of Wan 2.2 TI2V (4 x 16 x 16)");
    if (vae().z != v.channels)
        throw Error(model_->vae.front().string(), {},
                    fmt::format("gives {} latent channels, the transformer takes {}", vae().z, v.channels),
                    "use the part that belongs to this model");
    v.stride = int(vae().spatial());
    variant_ = v;
    return *variant_;
}

Variant ModelHeaders::guess() const {
    try {
        if (!model_->vae.empty()) return variant();
    } catch (const Error&) { // of either part: whoever reads it again says why
    }
    Variant v = of_transformer();
    if (v.channels == 48) v.stride = 16; // spec/vae22.md 1
    return v;
}

} // namespace denoir
