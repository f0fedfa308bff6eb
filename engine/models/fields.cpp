// SPDX-License-Identifier: Apache-2.0
#include "engine/models/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/core/error.h"

namespace denoir::fields {

namespace {

/// Which of the alternative spellings `keys` config.json uses; the first if it uses none.
std::string used_key(const Weights& weights, std::initializer_list<std::string_view> keys) {
    const auto* key = std::find_if(keys.begin(), keys.end(), [&](std::string_view k) { return find(weights, k); });
    return std::string(key == keys.end() ? *keys.begin() : *key);
}

} // namespace

Error config_error(const std::string& origin, const std::string& key, std::string message, std::string hint) {
    namespace fs = std::filesystem;
    std::error_code code;
    const fs::path given = origin, folder = fs::is_directory(given, code) ? given : given.parent_path();
    if (const fs::path file = folder / "config.json"; fs::is_regular_file(file, code))
        return {file.string(), key, std::move(message), std::move(hint)};
    return {origin, "config.json: " + key, std::move(message), std::move(hint)};
}

std::int64_t size(const Weights& weights, std::string_view tensor, int axis) {
    const Weight* w = weights.find(tensor);
    return w && axis < w->shape().rank() ? w->shape()[axis] : -1;
}

const Json* find(const Weights& weights, std::string_view key) {
    const Json& config = weights.config();
    if (!config.is_object()) return nullptr;
    const auto found = config.find(key);
    return found == config.end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::int64_t> integer(const Weights& weights, std::initializer_list<std::string_view> keys,
                                    std::int64_t low, std::int64_t high) {
    std::optional<std::int64_t> said;
    std::string_view by;
    for (const std::string_view key : keys) {
        const Json* found = find(weights, key);
        if (!found) continue;
        const bool whole = found->is_number_unsigned()
                               ? found->get<std::uint64_t>() <= static_cast<std::uint64_t>(high)
                               : found->is_number_integer() && found->get<std::int64_t>() <= high;
        if (!whole || found->get<std::int64_t>() < low)
            throw config_error(weights.origin(), std::string(key),
                               fmt::format("must be a whole number from {} to {}", low, high), "correct it");
        const auto value = found->get<std::int64_t>();
        if (said && value != *said)
            throw config_error(weights.origin(), std::string(key),
                               fmt::format("{} contradicts the {} of {}", value, *said, by),
                               "keep the one that is right");
        if (!said) by = key;
        said = value;
    }
    return said;
}

std::optional<bool> boolean(const Weights& weights, std::string_view key) {
    const Json* found = find(weights, key);
    if (!found) return {};
    if (!found->is_boolean())
        throw config_error(weights.origin(), std::string(key), "must be true or false", "correct it");
    return found->get<bool>();
}

float eps(const Weights& weights, std::string_view key, float otherwise) {
    const Json* found = find(weights, key);
    if (!found) return otherwise;
    // Checked after the conversion: a double too small for a float becomes 0.
    const float value = found->is_number() ? static_cast<float>(found->get<double>()) : 0;
    if (!(value > 0 && value <= 1))
        throw config_error(weights.origin(), std::string(key), "must be a number above 0 and at most 1", "correct it");
    return value;
}

void agree(const Weights& weights, std::initializer_list<std::string_view> keys, std::int64_t value,
           std::string_view tensor) {
    const std::optional<std::int64_t> said = integer(weights, keys);
    if (!said || *said == value) return;
    throw config_error(weights.origin(), used_key(weights, keys),
                       fmt::format("config.json says {}, but the shape of {} says {}", *said, tensor, value),
                       "use the config.json that belongs to these weights");
}

void check_supported(const Weights& weights, std::string_view key, std::span<const Json> supported,
                     std::string_view hint) {
    const Json* found = find(weights, key);
    if (!found || std::find(supported.begin(), supported.end(), *found) != supported.end()) return;
    const Json& first = supported.front();
    throw config_error(weights.origin(), std::string(key),
                       fmt::format("only {} is supported", first.is_string() ? first.get<std::string>() : first.dump()),
                       std::string(hint));
}

void expect_affine(std::map<std::string, Shape>& all, const std::string& name, const Shape& weight) {
    all[name + ".weight"] = weight;
    all[name + ".bias"] = {weight[0]};
}

void check_sizes(const Weights& weights, std::string_view tensor, std::initializer_list<std::int64_t> sizes) {
    if (std::any_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size < 1; }))
        throw Error(weights.origin(), std::string(tensor), "a size of the network is zero",
                    "use a complete checkpoint");
}

std::int64_t heads(const Weights& weights, std::int64_t width, std::optional<std::int64_t> given,
                   std::int64_t head_dim) {
    const std::optional<std::int64_t> said = integer(weights, {"num_heads", "num_attention_heads"}, 1);
    const std::int64_t count = said ? *said : given ? *given : width / head_dim;
    if (!said && !given && width % head_dim != 0)
        throw Error(weights.origin(), "heads",
                    fmt::format("nothing tells the number of attention heads, and the width {} is not a multiple of {}",
                                width, head_dim),
                    "give the number of heads in config.json (module: --set heads=N)");
    if (count >= 1 && count <= width && width % count == 0) return count;
    const std::string_view source = said ? "config.json" : given ? "given" : "assumed";
    if (said)
        throw config_error(weights.origin(), used_key(weights, {"num_heads", "num_attention_heads"}),
                           fmt::format("{} attention heads ({}) do not divide the width {}", count, source, width),
                           "correct it");
    throw Error(weights.origin(), "heads",
                fmt::format("{} attention heads ({}) do not divide the width {}", count, source, width),
                "give the number of heads in config.json (module: --set heads=N)");
}

} // namespace denoir::fields
