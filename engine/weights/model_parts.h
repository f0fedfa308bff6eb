// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <compare>
#include <filesystem>

namespace denoir {

/// Files or folders that someone names for parts of a model. They win over what lies in or beside the model; what is
/// empty is looked for there.
struct ModelParts {
    std::filesystem::path low_noise; ///< Wan 2.2 A14B's second transformer; the model's own is the high-noise one
    std::filesystem::path vae, text_encoder, clip;
    std::filesystem::path tokenizer; ///< as ModelFolder::tokenizer

    bool empty() const { return *this == ModelParts{}; }
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 means code that the compiler writes
    friend auto operator<=>(const ModelParts&, const ModelParts&) = default;
};

} // namespace denoir
