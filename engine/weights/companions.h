// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "engine/weights/model_folder.h"
#include "engine/weights/networks.h"
#include "engine/weights/traits.h"

namespace denoir {

/// What a transformer needs beside itself: VAE, text encoder, CLIP and tokenizer. First all that might serve are
/// gathered, then the ones that belong to the transformer are chosen.
class Companions {
public:
    explicit Companions(NetworkSearch& search) : search_(search) {}

    /// Candidates among what was found. A VAE that by its name, its folder's or the config.json beside it is of another
    /// program's model, as Qwen-Image's, whose names and shapes are Wan's, is left out.
    void take(const std::vector<Network>& found);
    /// Candidates and the tokenizer in the folders where the usual layouts keep what belongs to a transformer in
    /// `folder`: itself (unless it is `opened`, which was taken from already), the one above diffusion_models/,
    /// Stable-diffusion/, transformer/, high_noise_model/ …, and vae/, text_encoders/, umt5-xxl/, clip_vision/ … in
    /// those, with folders of their own (vae/wan).
    void search_beside(const std::filesystem::path& folder, const std::filesystem::path& opened);
    /// The one candidate of its kind (a VAE of either release): someone chose it.
    void insist_on(const Network& chosen);
    /// A file that someone chose, or a folder that holds one.
    void insist_on_tokenizer(const std::filesystem::path& chosen);
    /// A tokenizer's file in `folder` or where the usual layouts keep it there, if none was found yet.
    void look_for_tokenizer(const std::filesystem::path& folder);

    /// Fills in vae, text_encoder, clip and tokenizer of a model whose config and model_index are read. A CLIP of
    /// another width than the transformer's, or without a class token, is none. Of several candidates one whose sizes
    /// are those that the transformer was trained with, of those one that can be read, and of those the one with the
    /// most bytes (fp16 before fp8): said in its warnings.
    void choose(ModelFolder& model, const TransformerTraits& traits);

    /// True where two VAEs were found, Wan 2.1's and Wan 2.2's, and the second makes the transformer's latents; after
    /// choose().
    bool has_second_vae(const TransformerTraits& traits) const;
    /// The VAEs that take() left out: the names of their files, each with its folder's.
    std::vector<std::string> left_out() const;

private:
    bool has_vae(Component kind, std::int64_t channels) const;
    bool wants_second_vae(const ModelFolder& model, const TransformerTraits& traits) const;
    std::vector<std::filesystem::path> best(Component wanted, const char* role, ModelFolder& model,
                                            const TransformerTraits& traits);

    NetworkSearch& search_;
    std::vector<Network> candidates_, left_out_;
    std::filesystem::path tokenizer_;
    bool second_vae_ = false;
};

} // namespace denoir
