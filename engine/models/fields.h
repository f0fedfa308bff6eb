// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/core/error.h"
#include "engine/weights/weights.h"

/// What the config readers of the models share. Sizes come from the shapes of the tensors; if there is a config.json,
/// it must agree with them.
namespace denoir::fields {

/// The Error for a wrong value of `key` in config.json. It names the config.json beside `origin` (Weights::origin) or,
/// if there is none, the weights themselves.
Error config_error(const std::string& origin, const std::string& key, std::string message, std::string hint);

/// Size of `axis` of a tensor; -1 if the tensor is missing or has fewer axes. (Weights::require reports such a tensor
/// later, and takes -1 as any size.)
std::int64_t size(const Weights&, std::string_view tensor, int axis);

/// config.json's value of `key`; null if there is no config.json, no such key, or a JSON null.
const Json* find(const Weights&, std::string_view key);

/// `factor`·n, or -1 for an unknown n.
inline std::int64_t times(std::int64_t factor, std::int64_t n) { return n < 0 ? -1 : factor * n; }

/// What find() finds under `keys`, names of one thing, as an integer; empty if there is none. Throws Error naming the
/// key if a value is not an integer in [low, high], or not that of the key before.
std::optional<std::int64_t> integer(const Weights&, std::initializer_list<std::string_view> keys, std::int64_t low = 0,
                                    std::int64_t high = std::int64_t{1} << 31);

/// config.json's `key`; empty if find() finds none. Throws Error naming the key if the value is not a boolean.
std::optional<bool> boolean(const Weights&, std::string_view key);

/// config.json's `key`; `otherwise` if find() finds none. Throws Error naming the key unless 0 < value <= 1.
float eps(const Weights&, std::string_view key, float otherwise);

/// Throws Error if config.json's value of one of `keys` differs from `value`, the size read off `tensor`'s shape.
void agree(const Weights&, std::initializer_list<std::string_view> keys, std::int64_t value, std::string_view tensor);

/// Throws Error unless config.json's value of `key` is one of `supported` or absent: these are different spellings of
/// the one way in which our code computes it. The message names the first of `supported`.
void check_supported(const Weights&, std::string_view key, std::span<const Json> supported, std::string_view hint);

/// Adds the shapes of a layer with a bias to `all`: `name`.weight of shape `weight`, `name`.bias of [weight[0]].
void expect_affine(std::map<std::string, Shape>& all, const std::string& name, const Shape& weight);

/// Rows of the padded prompt: the number if config.json has no `text_len`, and the largest that is accepted. Shared by
/// the text encoder, the transformer and the token counter.
inline constexpr std::int64_t usual_text_len = 512, max_text_len = 4096;

/// Throws Error naming `tensor` if one of a network's sizes is below 1.
void check_sizes(const Weights&, std::string_view tensor, std::initializer_list<std::int64_t> sizes);

/// Number of attention heads: config.json's num_heads or num_attention_heads, else `given`, else width / `head_dim`.
/// Throws Error if it does not divide `width`.
std::int64_t heads(const Weights&, std::int64_t width, std::optional<std::int64_t> given, std::int64_t head_dim);

} // namespace denoir::fields
