// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/needs.h"

#include <algorithm>

#include "engine/core/memory.h"
#include "engine/models/fields.h"
#include "engine/models/wan/transformer.h"
#include "engine/pipeline/network_options.h"

namespace denoir {
namespace {

/// The needs of the weights without activations, in the types in which kernels of `compute` hold them; tensor `except`
/// is left out.
MemoryNeeds weight_needs(const Weights& weights, DType compute, std::string_view except) {
    MemoryNeeds needs;
    for (const auto& [name, weight] : weights.all()) {
        if (weight.shape().rank() < 2 || name == except) continue;
        const DType held = wan::is_f32_island(name) ? DType::f32 : compute;
        const std::size_t bytes = std::size_t(weight.shape().elements()) * std::size_t(element_bytes(held));
        needs.weights += bytes;
        needs.largest_weight = std::max(needs.largest_weight, bytes);
    }
    return needs;
}

} // namespace

std::size_t context_bytes(const Request& r, const Variant& v) {
    return 4 * std::size_t(v.layers) * std::size_t(v.text_len + clip_rows * v.clip_images) * std::size_t(v.dim) *
           std::size_t(element_bytes(cast_points(*r.precision).compute));
}

MemoryNeeds transformer_needs(const Weights& weights, const Request& r, const Variant& v) {
    const wan::Precision precision = cast_points(*r.precision);
    MemoryNeeds needs = weight_needs(weights, precision.compute, "");
    const Shape latent = latent_shape(r, v);
    const auto tokens = std::size_t(wan::tokens_of(latent));
    const auto wide = std::size_t(element_bytes(precision.compute)), stream = std::size_t(element_bytes(DType::f32));
    // A backend may hold q, k and v as one matrix (Backend::linear_joined).
    needs.largest_weight = std::max(needs.largest_weight, 3 * wide * std::size_t(v.dim) * std::size_t(v.dim));
    // Attention holds the residual stream, q, k and v, the rotated q and k, and its result; the feed-forward network
    // the stream, its input, its output and a piece of its hidden layer.
    constexpr std::size_t longest_piece = wan::Transformer::hidden_rows + wan::Transformer::short_rest;
    const std::size_t dim = std::size_t(v.dim), in_attention = tokens * (stream + 6 * wide) * dim,
                      hidden = std::min(tokens, longest_piece) * std::size_t(v.ffn) * wide,
                      in_feed_forward = tokens * (stream + 2 * wide) * dim + hidden;
    // TeaCache keeps the residual of both guidance branches, and holds the blocks' input and output to take it.
    const std::size_t kept =
        r.cache ? tokens * dim * (2 * std::size_t(element_bytes(precision.stream)) + 2 * wide + stream) : 0;
    needs.activations = planned(std::max(in_attention, in_feed_forward) + kept + context_bytes(r, v));
    return needs;
}

MemoryNeeds text_needs(const Weights& weights, DType compute, std::int64_t rows) {
    MemoryNeeds needs = weight_needs(weights, compute, "token_embedding.weight");
    needs.once = true;
    const auto size = [&](const char* tensor, int axis) {
        return std::max<std::int64_t>(0, fields::size(weights, tensor, axis));
    };
    const std::int64_t ffn = size("blocks.0.ffn.gate.0.weight", 0),
                       heads = size("blocks.0.pos_embedding.embedding.weight", 1);
    // Upper bounds of what is alive at once: hidden layers of the gated feed-forward network [rows, ffn], and position
    // bias, scores and probabilities of the attention [heads, rows, rows].
    constexpr std::int64_t hidden = 4, score_tables = 3;
    needs.activations = std::size_t(hidden * rows * ffn + score_tables * heads * rows * rows) * sizeof(float);
    return needs;
}

std::size_t held_weights(const Weights& weights, const Device& device, DType compute, std::int64_t tokens) {
    const std::optional<DType> type = matrices_held_as(device, compute, tokens);
    std::size_t bytes = 0;
    for (const auto& [name, weight] : weights.all()) {
        const bool copied = type && weight.shape().rank() == 2 && !wan::is_f32_island(name);
        bytes += copied ? checked_bytes(weight.shape(), *type) : weight.stored().bytes();
    }
    return bytes;
}

bool next_rung(const Error& e, const Backend& backend, int& rung, Observer& observer) {
    constexpr int lowest = 3;
    if (!is_out_of_memory(e) || !backend.streams_weights() || rung == lowest) return false;
    ++rung;
    observer.warning(e.message() + "; starting again with fewer weights there");
    return true;
}

MemoryNeeds needs_on(int rung, MemoryNeeds needs) {
    needs.activations += needs.activations / 2 * std::size_t(rung);
    return needs;
}

} // namespace denoir
