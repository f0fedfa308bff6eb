// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/models/wan/config.h"
#include "engine/models/wan/inputs.h"
#include "engine/nn/probe.h"

namespace denoir::wan {

/// Where the reference rounds to bf16 (spec/dit.md 7). What is not named here is f32.
struct Precision {
    /// Inputs, weights and results of matrices and attention outside the f32 islands (time, fps, head).
    DType compute = DType::f32;
    DType stream = DType::f32;        ///< the residual stream between blocks
    bool bf16_parameters = false;     ///< norms, biases, modulation and the weights of the f32 islands are bf16 values
    bool round_sinusoid = false;      ///< the timestep sinusoid is rounded
    bool round_first_norm = false;    ///< norm1 of block 0 returns bf16: its input is the patch embedding's bf16
    bool round_qk_normalised = false; ///< q/rms and k/rms are rounded before their weight
    bool round_norm3_input = false;   ///< where there is no CLIP context

    static Precision f32() { return {}; }
    static Precision wan();
    static Precision skyreels();
};

/// Keys and values of the text (and image) of every block: computed once, used by every step of a run.
/// Text rows that are zero up to the end are one key: they are equal after the text MLP (spec/dit.md 5.6), so
/// log(count) on its score counts them all.
struct Context {
    struct Keys {
        Tensor k, v; ///< [rows, N, head_dim], compute dtype
    };
    std::vector<Keys> text;          ///< one per block
    std::vector<Keys> image;         ///< one per block; empty without CLIP features
    Tensor key_bias;                 ///< [text rows] f32, or undefined where no row was collapsed
    std::int64_t last_key_count = 0; ///< rows that the last key stands for; 0: no row was collapsed
    std::size_t bytes() const;
};

/// What `forward` tells a probe, in order, and before them what `context` tells: layers that depend on the prompt and
/// the image alone. Rows of text are told one for one: collapsed padding is written out again.
std::vector<std::string> layer_names(const Config&);
std::vector<std::string> context_layer_names(const Config&, bool image);

/// True for a parameter of the layers that compute in f32 whatever the others do: the embeddings of time and frame
/// rate, and the head's projection (spec/dit.md).
bool is_f32_island(std::string_view name);

struct Pass; ///< transformer.cpp: what every part of one forward pass shares

/// The Wan / SkyReels video transformer: velocity of a noisy latent. Const after construction; one engine thread uses
/// it at a time.
class Transformer {
public:
    struct Options {
        std::optional<std::int64_t> heads; ///< where config.json names none
        /// Latent frames per causal block, wins over config.json; 0: full attention.
        std::optional<std::int64_t> causal_block;
        Precision precision;
    };

    /// Tokens whose hidden layer of the feed-forward network exists at a time: that of a long clip would need as much
    /// memory as all else together. 88 tiles of 128 rows by six of 256 columns (1536 in all) are four whole rounds of
    /// the 132 multiprocessors of an H100; a round begun for a few tiles costs as much as a full one.
    static constexpr std::int64_t hidden_rows = std::int64_t{88} * 128;
    /// So many left over go with the piece before them: a backend may compute fewer in another way than all others.
    static constexpr std::int64_t short_rest = 512;
    /// Where the piece ends that begins at token `first` of `tokens`.
    static constexpr std::int64_t hidden_end(std::int64_t first, std::int64_t tokens) {
        return tokens - first <= hidden_rows + short_rest ? tokens : first + hidden_rows;
    }

    /// Checks the tensors (Config::read). Throws Error.
    Transformer(std::shared_ptr<const Weights>, std::shared_ptr<Backend>, Options);

    const Config& config() const { return config_; }

    /// `text` [text_len, text_dim] f32, rows past the prompt zero; `clip` [257 or 514, clip_dim] f32 or null. Host or
    /// backend tensors. `collapse` false keeps every padded row (the test of the collapse). Throws Error naming `text`
    /// or `clip`.
    Context context(const Tensor& text, const Tensor* clip, bool collapse = true, nn::Probe* probe = nullptr) const;

    /// Another prompt for the same image: shares the image keys of `other`.
    Context context(const Tensor& text, const Context& other) const;

    /// What a backend keeps of the weights that made the contexts: no step reads them. They are prepared again for the
    /// next context.
    void release_context_weights() const;

    /// `latent` [C, T, H, W] f32, `condition` [Cc, T, H, W] f32 appended to its channels, or null; `timesteps` (0…1000,
    /// fractions allowed) one, one per latent frame, or one per token (T·H/2·W/2, width fastest); `fps` the row of the
    /// fps table (0: 16 fps, 1: 24). Returns the velocity [out_channels, T, H, W] f32 on the backend. `residual`, if
    /// any, gets what the blocks added to the patch embedding, [L, D] on the backend. Throws Error naming the input
    /// that does not fit.
    Tensor forward(const Tensor& latent, const Tensor* condition, std::span<const float> timesteps,
                   const Context& context, std::optional<int> fps = {}, nn::Probe* probe = nullptr,
                   Tensor* residual = nullptr) const;

    /// forward() with the residual of an earlier one in place of the blocks (TeaCache, spec/pipelines.md 8): prompt and
    /// frame rate act through that alone.
    Tensor forward_reusing(const Tensor& latent, const Tensor* condition, std::span<const float> timesteps,
                           const Tensor& residual, nn::Probe* probe = nullptr) const;

    /// What TeaCache follows: the time features e [n, D] of n timesteps or, `projected`, e0 [n, 6·D], which the frame
    /// rate has a part in; f32 on the host.
    Tensor time_signal(std::span<const float> timesteps, std::optional<int> fps, bool projected) const;

private:
    Pass pass(nn::Probe* probe, std::int64_t causal_tokens = 0) const;
    Rope rotation(const Grid&) const;
    const Weights& islands() const { return precision_.bf16_parameters ? rounded_ : *weights_; }
    void add_text(Context& context, const Tensor& text, bool collapse, nn::Probe* probe) const;

    std::shared_ptr<const Weights> weights_;
    std::shared_ptr<Backend> backend_;
    Weights rounded_; ///< bf16 copies of the f32 islands' weights, where Precision asks for them
    Config config_;
    Precision precision_;
    std::int64_t causal_block_ = 0;
    std::uint64_t id_ = 0; ///< names its recordings
    // The last grid's rotation: the one thing that changes after construction.
    mutable std::array<std::int64_t, 3> rotation_grid_{};
    mutable Rope rotation_;
};

} // namespace denoir::wan
