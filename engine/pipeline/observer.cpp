// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/observer.h"

#include <array>

namespace denoir {
namespace {

struct StageNames {
    std::string_view key, name;
};
constexpr std::array<StageNames, std::size_t(Stage::decode) + 1> stages{{
    {"load_text", "load text encoder"},
    {"text", "text"},
    {"load_clip", "load image encoder"},
    {"clip", "image features"},
    {"load_vae", "load VAE"},
    {"image", "image latents"},
    {"load_transformer", "load transformer"},
    {"denoise", "denoise"},
    {"decode", "decode"},
}};

} // namespace

std::string_view name(Stage stage) { return stages[std::size_t(stage)].name; }
std::string_view key(Stage stage) { return stages[std::size_t(stage)].key; }

} // namespace denoir
