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

/// The places where a reference rounds to bf16 (spec/dit.md 7). Everything not named here is f32.
struct Precision {
    /// Type of inputs, weights and results of the linear layers and the attention, except in the f32 islands
    /// (is_f32_island).
    DType compute = DType::f32;
    DType stream = DType::f32;        ///< type of the residual stream between blocks
    bool bf16_parameters = false;     ///< norms, biases, modulation and the weights of the f32 islands are rounded
    bool round_sinusoid = false;      ///< the timestep sinusoid is rounded
    bool round_first_norm = false;    ///< norm1 of block 0 returns bf16, as its input (the patch embedding) is bf16
    bool round_qk_normalised = false; ///< q/rms and k/rms are rounded before they are multiplied by the norm's weight
    bool round_norm3_input = false;   ///< the input of norm3 is rounded, but not in models with CLIP features

    static Precision f32() { return {}; }
    static Precision wan();
    static Precision skyreels();
};

/// Keys and values of the prompt (and the image) in every block, computed once and used by every step of a run. The
/// zero rows behind the prompt are collapsed into one key: after the text MLP they are equal (spec/dit.md 5.6), so that
/// adding log(count) to the score of one accounts for all.
struct Context {
    struct Keys {
        Tensor k, v; ///< [rows, N, head_dim], compute dtype
    };
    std::vector<Keys> text;          ///< one per block
    std::vector<Keys> image;         ///< one per block; empty without CLIP features
    Tensor key_bias;                 ///< [text rows] f32; undefined if no rows were collapsed
    std::int64_t last_key_count = 0; ///< rows that the last key stands for; 0 if no rows were collapsed
    std::size_t bytes() const;
};

/// The layers that `forward` tells a probe, and those that `context` tells it, which depend on prompt and image alone.
/// Both in order. A probe sees all rows of the text: collapsed padding is expanded again.
std::vector<std::string> layer_names(const Config&);
std::vector<std::string> context_layer_names(const Config&, bool image);

/// Whether this parameter belongs to the layers that compute in f32 whatever the others do: the embeddings of time and
/// frame rate, and the head's projection (spec/dit.md).
bool is_f32_island(std::string_view name);

struct Pass; ///< transformer.cpp: what every part of one forward pass shares

/// The Wan / SkyReels video transformer: velocity of a noisy latent. Const after construction; one engine thread uses
/// it at a time.
class Transformer {
public:
    struct Options {
        std::optional<std::int64_t> heads; ///< used if config.json has no number of heads
        /// Latent frames per causal block, in place of config.json's; 0: full attention.
        std::optional<std::int64_t> causal_block;
        Precision precision;
    };

    /// The feed-forward network is computed for this many tokens at a time: the hidden layer of a whole long clip would
    /// take as much memory as everything else together. 88 tiles of 128 rows times 6 of 256 columns (1536 in all) are
    /// exactly four waves on the 132 multiprocessors of an H100; a partial wave costs as much as a full one.
    static constexpr std::int64_t hidden_rows = std::int64_t{88} * 128;
    /// At most this many remaining tokens are added to the piece before them: a backend may have another method for
    /// products of few rows.
    static constexpr std::int64_t short_rest = 512;
    /// The end of the piece that begins at token `first` of `tokens`.
    static constexpr std::int64_t hidden_end(std::int64_t first, std::int64_t tokens) {
        return tokens - first <= hidden_rows + short_rest ? tokens : first + hidden_rows;
    }

    /// Checks the tensors (Config::read). Throws Error.
    Transformer(std::shared_ptr<const Weights>, std::shared_ptr<Backend>, Options);

    const Config& config() const { return config_; }

    /// `text` [text_len, text_dim] f32 with zero rows behind the prompt; `clip` [257 or 514, clip_dim] f32 or null;
    /// both on the host or the backend. `collapse` false keeps every padded row, for testing. Throws Error naming
    /// `text` or `clip` if it does not fit.
    Context context(const Tensor& text, const Tensor* clip, bool collapse = true, nn::Probe* probe = nullptr) const;

    /// The context of another prompt with the same image: shares the image's keys with `other`.
    Context context(const Tensor& text, const Context& other) const;

    /// Frees what the backend has prepared of the weights that only contexts need; no step reads them. The next context
    /// prepares them again.
    void release_context_weights() const;

    /// `latent` [C, T, H, W] f32; `condition` [Cc, T, H, W] f32, appended to its channels, or null; `timesteps` in
    /// 0…1000, fractions allowed: one, one per latent frame, or one per token (T·H/2·W/2, width fastest); `fps`: the
    /// row of the fps table (0: 16 fps, 1: 24). Returns the velocity [out_channels, T, H, W] f32 on the backend.
    /// `residual`, if not null, is set to what the blocks added to the patch embedding, [L, D] on the backend. Throws
    /// Error naming the input that does not fit.
    Tensor forward(const Tensor& latent, const Tensor* condition, std::span<const float> timesteps,
                   const Context& context, std::optional<int> fps = {}, nn::Probe* probe = nullptr,
                   Tensor* residual = nullptr) const;

    /// forward() with the residual of an earlier one in place of the blocks (TeaCache, spec/pipelines.md 8). Prompt and
    /// frame rate have an effect through that residual only.
    Tensor forward_reusing(const Tensor& latent, const Tensor* condition, std::span<const float> timesteps,
                           const Tensor& residual, nn::Probe* probe = nullptr) const;

    /// The signal whose changes TeaCache watches: the time features e [n, D] of n timesteps or, if `projected`, e0
    /// [n, 6·D], which the frame rate contributes to; f32 host.
    Tensor time_signal(std::span<const float> timesteps, std::optional<int> fps, bool projected) const;

private:
    Pass pass(nn::Probe* probe, std::int64_t causal_tokens = 0) const;
    Rope rotation(const Grid&) const;
    const Weights& islands() const { return precision_.bf16_parameters ? rounded_ : *weights_; }
    void add_text(Context& context, const Tensor& text, bool collapse, nn::Probe* probe) const;

    std::shared_ptr<const Weights> weights_;
    std::shared_ptr<Backend> backend_;
    Weights rounded_; ///< bf16 copies of the f32 islands' weights, if Precision asks for them
    Config config_;
    Precision precision_;
    std::int64_t causal_block_ = 0;
    std::uint64_t id_ = 0; ///< tells recordings of several transformers apart
    // The rotation of the last grid, cached: the only state that changes after construction.
    mutable std::array<std::int64_t, 3> rotation_grid_{};
    mutable Rope rotation_;
};

} // namespace denoir::wan
