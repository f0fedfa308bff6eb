// SPDX-License-Identifier: Apache-2.0
// Tiny model files of zeros, and what ModelFolder says of the folders that they lie in.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "engine/weights/names.h"
#include "support/files.h"
#include "support/name_lists.h"

namespace denoir::test {

/// tiny_transformer() with channels for an image, and with the CLIP branch.
TransformerSize with_images(bool clip = true);

// The bytes of safetensors files.
std::string transformer_file(const TransformerSize& s = tiny_transformer());
std::string vae_file();
/// With the vocabulary in it, as ComfyUI's; `width` 6: the one of tiny_transformer.
std::string encoder_file(bool tokenizer = true, std::int64_t width = 6, const std::string& dtype = "F16");
/// Any network, named as diffusers does.
std::string diffusers_file(Component component, const NameList& list);

/// VAE, text encoder and tokenizer as the original repositories name them.
void add_companions(const std::filesystem::path& root);
/// Of with_images().
void add_clip(const std::filesystem::path& root);
/// A diffusers repository.
void write_diffusers(const std::filesystem::path& root, std::string_view model_index);

using Names = std::vector<std::string>;
Names names_of(const std::vector<std::filesystem::path>& files);
/// What ModelFolder::open says against a path; "accepted" where it says nothing.
std::string refusal(const std::filesystem::path& path);

} // namespace denoir::test
