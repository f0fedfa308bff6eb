// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "engine/weights/model_folder.h"
#include "engine/weights/networks.h"
#include "engine/weights/traits.h"

namespace denoir {

/// Finds what a transformer needs: VAE, text encoder, CLIP and tokenizer. First all candidates are gathered, then
/// choose() picks those that belong to the transformer.
class Companions {
public:
    explicit Companions(NetworkSearch& search) : search_(search) {}

    /// Adds the candidates in `found`. A VAE that belongs to another model, by its name, its folder's name or the
    /// config.json beside it, is left out: that of Qwen-Image, for example, has the tensor names and shapes of Wan's.
    void take(const std::vector<Network>& found);
    /// Adds candidates and the tokenizer from where the usual layouts keep them for a transformer in `folder`: the
    /// folder itself (unless it is `opened`, whose networks were taken already), the one above it where it is called
    /// diffusion_models, Stable-diffusion, transformer, high_noise_model …, and in each of those vae/, text_encoders/,
    /// umt5-xxl/, clip_vision/ … with the folders in them (vae/wan).
    void search_beside(const std::filesystem::path& folder, const std::filesystem::path& opened);
    /// Makes `chosen`, which a person named, the only candidate of its kind (same_kind: either release of a VAE).
    void insist_on(const Network& chosen);
    /// The same for a tokenizer: its file, or a folder that holds one.
    void insist_on_tokenizer(const std::filesystem::path& chosen);
    /// Looks for a tokenizer in `folder`, where the usual layouts keep it there, unless one was found already.
    void look_for_tokenizer(const std::filesystem::path& folder);

    /// Fills in vae, text_encoder, clip and tokenizer of `model`, whose transformer, config and model_index must have
    /// been read. A CLIP of another width than the transformer's, or without a class token, does not count; nor does
    /// any CLIP if the transformer has no image branch, unless it was named. Of several candidates one with the sizes
    /// that the transformer was trained with is preferred, then one that can be read, then the one with the most bytes
    /// (fp16 before fp8); a warning says which is used.
    void choose(ModelFolder& model, const TransformerTraits& traits);

    /// After choose(): whether the transformer's latents are those of Wan 2.2's VAE, and such a VAE with as many
    /// channels was found.
    bool has_second_vae(const TransformerTraits& traits) const;
    /// The VAEs that take() left out, as "folder/file".
    std::vector<std::string> left_out() const;

private:
    bool has_vae(Component kind, std::int64_t channels) const;
    bool wants_second_vae(const ModelFolder& model, const TransformerTraits& traits) const;
    std::vector<std::filesystem::path> best(Component wanted, const char* role, ModelFolder& model,
                                            const TransformerTraits& traits);

    NetworkSearch& search_;
    std::vector<Network> candidates_, left_out_;
    std::filesystem::path tokenizer_;
    bool second_vae_ = false, clip_is_named_ = false;
};

} // namespace denoir
