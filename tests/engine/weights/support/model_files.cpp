// SPDX-License-Identifier: Apache-2.0
#include "support/model_files.h"

#include "engine/core/error.h"
#include "engine/weights/model_folder.h"
#include "support/torch_writer.h"
#include "tests/engine/refusal.h"

namespace denoir::test {

TransformerSize with_images(bool clip) {
    TransformerSize s = tiny_transformer();
    s.in = 36;
    if (clip) s.clip = 10;
    return s;
}

std::string transformer_file(const TransformerSize& s) { return safetensors(zero_tensors(transformer_names(s))); }
void add_companions(const std::filesystem::path& root) {
    write_bytes(root / "Wan2.1_VAE.pth", pth(zero_tensors(vae21_names(2, 2))));
    write_bytes(root / "models_t5_umt5-xxl-enc-bf16.pth", pth(zero_tensors(umt5_names(20, 8, 12, 2, 2), "BF16")));
    write_bytes(root / "google/umt5-xxl/tokenizer.json", "{}");
}
void add_clip(const std::filesystem::path& root) {
    write_bytes(root / "models_clip_open-clip-xlm-roberta-large-vit-huge-14.pth",
                pth(zero_tensors(clip_names(10, 12, 2))));
}

Names names_of(const std::vector<std::filesystem::path>& files) {
    Names result;
    for (const std::filesystem::path& f : files) result.push_back(f.filename().string());
    return result;
}

Weights load(const std::filesystem::path& path, Component component) {
    return Weights::load(std::span(&path, 1), component);
}
std::map<std::string, Shape> shapes(const NameList& list) {
    std::map<std::string, Shape> result;
    for (const auto& [name, shape] : list) result.emplace(name, Shape(std::span<const std::int64_t>(shape)));
    return result;
}

std::string refusal(const std::filesystem::path& path) {
    return refusal([&] { ModelFolder::open(path); });
}

std::string vae_file() { return safetensors(zero_tensors(vae21_names(2, 16))); }
std::string encoder_file(bool tokenizer, std::int64_t width, const std::string& dtype) {
    std::vector<Raw> tensors = zero_tensors(umt5_names(20, width, 12, 2, 2), dtype);
    if (tokenizer) tensors.push_back(zeros("spiece_model", {5}, "U8"));
    return safetensors(tensors);
}

std::string diffusers_file(Component component, const NameList& list) {
    std::vector<Raw> tensors;
    for (const auto& [name, shape] : list)
        if (!is_split(component, Layout::diffusers, name))
            if (const auto other = layout_name(component, Layout::diffusers, name))
                tensors.push_back(zeros(*other, shape, "F16"));
    return safetensors(tensors);
}

void write_diffusers(const std::filesystem::path& root, std::string_view model_index) {
    write_bytes(root / "model_index.json", model_index);
    write_bytes(root / "transformer/diffusion_pytorch_model.safetensors",
                diffusers_file(Component::transformer, transformer_names(tiny_transformer())));
    write_bytes(root / "transformer/config.json", R"({"_class_name":"WanTransformer3DModel","num_attention_heads":2})");
    write_bytes(root / "vae/diffusion_pytorch_model.safetensors", diffusers_file(Component::vae21, vae21_names(2, 2)));
    write_bytes(root / "text_encoder/model.safetensors", diffusers_file(Component::umt5, umt5_names(20, 8, 12, 2, 2)));
    write_bytes(root / "tokenizer/spiece.model", "x");
}

} // namespace denoir::test
