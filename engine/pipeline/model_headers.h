// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>

#include "engine/models/wan/vae_config.h"
#include "engine/pipeline/variant.h"
#include "engine/weights/model_folder.h"
#include "engine/weights/weights.h"

namespace denoir {

/// What requests ask of a model's files before any weight is read: each header is read once, when first asked for, so
/// that many requests of one model cost little. Files that change meanwhile are not noticed. Every function throws
/// Error naming a file that is damaged or missing, each time that it is asked.
class ModelHeaders {
public:
    /// `model` outlives this.
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
