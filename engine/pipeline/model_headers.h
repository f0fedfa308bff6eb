// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>

#include "engine/models/wan/vae_config.h"
#include "engine/pipeline/variant.h"
#include "engine/weights/model_folder.h"
#include "engine/weights/weights.h"

namespace denoir {

/// What the headers of a model's files say. Each header is read once, on first use, so that resolving many requests for
/// one model is cheap; later changes of the files go unnoticed. Every function throws Error naming a damaged or missing
/// file, on every call.
class ModelHeaders {
public:
    /// `model` must outlive this.
    explicit ModelHeaders(const ModelFolder& model) : model_(&model) {}
    const ModelFolder& model() const { return *model_; }

    std::shared_ptr<const Weights> transformer(Expert expert = Expert::none) const; ///< low: the second; else the first
    const wan::VaeConfig& vae() const;
    std::size_t text_encoder_bytes() const; ///< as stored; 0 without one
    const Variant& variant() const;         ///< Variant::read
    Variant guess() const;                  ///< Variant::guess

private:
    Variant of_transformer() const;

    const ModelFolder* model_;
    mutable std::shared_ptr<const Weights> transformer_, transformer_low_;
    mutable std::optional<wan::VaeConfig> vae_;
    mutable std::optional<std::size_t> text_encoder_bytes_;
    mutable std::optional<Variant> variant_;
};

} // namespace denoir
