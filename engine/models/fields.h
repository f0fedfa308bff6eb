// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "engine/core/error.h"
#include "engine/weights/weights.h"

/// What the config readers of the models share: sizes from shapes, and config.json that must agree with them.
namespace denoir::fields {

/// A refusal of config.json's `key`, naming that file; where it is not to be found beside `origin` (Weights::origin),
/// naming it as a part of those weights.
Error config_error(const std::string& origin, const std::string& key, std::string message, std::string hint);

/// Size of `axis` of a tensor; -1 where the tensor is missing or has fewer axes (Weights::require names it then, and
/// takes -1 as any size).
std::int64_t size(const Weights&, std::string_view tensor, int axis);

/// `factor`·n, or -1 for an unknown n.
inline std::int64_t times(std::int64_t factor, std::int64_t n) { return n < 0 ? -1 : factor * n; }

/// The first of `keys` that config.json has and that is not null, as an integer in [low, high]. Throws Error naming the
/// field otherwise.
std::optional<std::int64_t> integer(const Weights&, std::initializer_list<std::string_view> keys, std::int64_t low = 0,
                                    std::int64_t high = std::int64_t{1} << 31);

/// config.json's `key`, which is no other kind of value. Empty: it is not there, or null.
std::optional<bool> boolean(const Weights&, std::string_view key);

/// config.json's `key`, a number above 0 and at most 1; `otherwise` where it is not there, or null. Throws Error naming
/// it.
float eps(const Weights&, std::string_view key, float otherwise);

/// Throws Error naming both where config.json has one of `keys` and it differs from `value`, which `tensor` has.
void agree(const Weights&, std::initializer_list<std::string_view> keys, std::int64_t value, std::string_view tensor);

/// Rows of text where config.json's `text_len` says nothing, and the most that it may ask for, in the encoder, the
/// transformer and the token counter.
inline constexpr std::int64_t usual_text_len = 512, max_text_len = 4096;

/// Throws Error where one of a network's sizes is below 1; `tensor`: the one that says most about them.
void check_sizes(const Weights&, std::string_view tensor, std::initializer_list<std::int64_t> sizes);

/// Attention heads: config.json's num_heads / num_attention_heads, else `given`, else width / `head_dim`. Throws Error
/// where they do not divide `width`.
std::int64_t heads(const Weights&, std::int64_t width, std::optional<std::int64_t> given, std::int64_t head_dim);

} // namespace denoir::fields
