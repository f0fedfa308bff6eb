// SPDX-License-Identifier: Apache-2.0
// Tiny model files of zeros, and what ModelFolder says of the folders that they lie in.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/weights/names.h"
#include "engine/weights/weights.h"
#include "support/files.h"
#include "support/name_lists.h"

namespace denoir::test {

/// tiny_transformer() with channels for an image, and with or without the CLIP branch.
TransformerSize with_images(bool clip = true);

// The following functions return the bytes of safetensors files.
std::string transformer_file(const TransformerSize& s = tiny_transformer());
std::string vae_file();
/// By default with a vocabulary inside, as ComfyUI's encoders have. A `width` of 6 fits tiny_transformer().
std::string encoder_file(bool tokenizer = true, std::int64_t width = 6, const std::string& dtype = "F16");
/// A file of any network in diffusers' names.
std::string diffusers_file(Component component, const NameList& list);

/// Writes a VAE, a text encoder and a tokenizer under the names of the original repositories.
void add_companions(const std::filesystem::path& root);
/// Writes the CLIP model that with_images() needs.
void add_clip(const std::filesystem::path& root);
/// Writes a repository as diffusers does.
void write_diffusers(const std::filesystem::path& root, std::string_view model_index);

/// The weights in a file or a folder, of any network or of this one.
Weights load(const std::filesystem::path& path, Component component = Component::unknown);
std::map<std::string, Shape> shapes(const NameList& list);

using Names = std::vector<std::string>;
Names names_of(const std::vector<std::filesystem::path>& files);
/// The message of ModelFolder::open if it refuses the path, or "accepted".
std::string refusal(const std::filesystem::path& path);

} // namespace denoir::test
