// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/nn/probe.h"
#include "engine/weights/weights.h"

namespace denoir::umt5 {

/// The sizes of one encoder (spec/umt5.md 1).
struct Config {
    std::int64_t vocabulary = 0; ///< rows of the token embedding
    std::int64_t dim = 0;        ///< model width
    std::int64_t inner = 0;      ///< attention width, heads · head size; may differ from dim
    std::int64_t heads = 0;      ///< columns of the position tables
    std::int64_t ffn_dim = 0;    ///< hidden width of the gated feed-forward network
    std::int64_t layers = 0;
    std::int64_t buckets = 0;        ///< rows of the position tables: buckets of relative distance
    std::int64_t max_distance = 128; ///< this distance and all larger ones share the last bucket; above buckets / 4
    float eps = 1e-6f;               ///< of the RMS norms
    /// Reads the sizes off the shapes, and the last two from config.json; the other values there must agree. Throws
    /// Error naming the tensor or the field, also for a T5, whose blocks share one position table.
    static Config read(const Weights&);
    std::map<std::string, Shape> expected() const;
};

/// Row of the position table for `relative` = key - query (spec/umt5.md 1).
std::int64_t relative_bucket(std::int64_t relative, std::int64_t buckets = 32, std::int64_t max_distance = 128);

/// The layers that `encode` tells a probe, in order.
std::vector<std::string> layer_names(const Config&);

/// The UMT5 encoder: one vector per token (spec/umt5.md 1). Const after construction.
class Encoder {
public:
    struct Options {
        DType dtype = DType::f32; ///< f32 or bf16, activations and arithmetic
    };

    Encoder(std::shared_ptr<const Weights>, std::shared_ptr<Backend>, Options);
    const Config& config() const { return config_; }

    /// n token ids with the closing </s>, without padding -> [n, dim] f32 on the backend. Throws Error naming `tokens`
    /// if there are none or one is not in the vocabulary.
    Tensor encode(std::span<const std::int64_t> ids, nn::Probe* probe = nullptr) const;

private:
    std::shared_ptr<const Weights> weights_;
    std::shared_ptr<Backend> backend_;
    Config config_;
    Options options_;
};

} // namespace denoir::umt5
