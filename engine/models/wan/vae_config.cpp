// SPDX-License-Identifier: Apache-2.0
#include "engine/models/wan/vae_config.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/core/error.h"
#include "engine/models/fields.h"
#include "engine/weights/names.h"

namespace denoir::wan {
namespace {

using fields::expect_affine;
using fields::size;
using fields::times;
using Tensors = std::map<std::string, Shape>;

// The latent's statistics (spec/vae21.md 1, spec/vae22.md 1). They are not in the checkpoints and the same in every
// release.
constexpr float mean16[16] = {-0.7571f, -0.7089f, -0.9113f, 0.1075f,  -0.1745f, 0.9653f,  -0.1517f, 1.5508f,
                              0.4134f,  -0.0715f, 0.5517f,  -0.3632f, -0.1922f, -0.9497f, 0.2503f,  -0.2921f};
constexpr float std16[16] = {2.8184f, 1.4541f, 2.3275f, 2.6558f, 1.2196f, 1.7708f, 2.6052f, 2.0743f,
                             3.2687f, 2.1526f, 2.8652f, 1.5579f, 1.6382f, 1.1253f, 2.8251f, 1.9160f};
constexpr float mean48[48] = {-0.2289f, -0.0052f, -0.1323f, -0.2339f, -0.2799f, 0.0174f,  0.1838f,  0.1557f,
                              -0.1382f, 0.0542f,  0.2813f,  0.0891f,  0.1570f,  -0.0098f, 0.0375f,  -0.1825f,
                              -0.2246f, -0.1207f, -0.0698f, 0.5109f,  0.2665f,  -0.2108f, -0.2158f, 0.2502f,
                              -0.2055f, -0.0322f, 0.1109f,  0.1567f,  -0.0729f, 0.0899f,  -0.2799f, -0.1230f,
                              -0.0313f, -0.1649f, 0.0117f,  0.0723f,  -0.2839f, -0.2083f, -0.0520f, 0.3748f,
                              0.0152f,  0.1957f,  0.1433f,  -0.2944f, 0.3573f,  -0.0548f, -0.1681f, -0.0667f};
constexpr float std48[48] = {0.4765f, 1.0364f, 0.4514f, 1.1677f, 0.5313f, 0.4990f, 0.4818f, 0.5013f, 0.8158f, 1.0344f,
                             0.5894f, 1.0901f, 0.6885f, 0.6165f, 0.8454f, 0.4978f, 0.5759f, 0.3523f, 0.7135f, 0.6804f,
                             0.5833f, 1.4146f, 0.8986f, 0.5659f, 0.7069f, 0.5338f, 0.4889f, 0.4917f, 0.4069f, 0.4999f,
                             0.6866f, 0.4093f, 0.5709f, 0.6065f, 0.6415f, 0.4944f, 0.5726f, 1.2042f, 0.5458f, 1.6887f,
                             0.3971f, 1.0600f, 0.3943f, 0.5537f, 0.5444f, 0.4089f, 0.7468f, 0.7744f};

void expect_residual(Tensors& all, const std::string& prefix, std::int64_t in, std::int64_t out) {
    all[prefix + ".residual.0.gamma"] = {in, 1, 1, 1};
    expect_affine(all, prefix + ".residual.2", {out, in, 3, 3, 3});
    all[prefix + ".residual.3.gamma"] = {out, 1, 1, 1};
    expect_affine(all, prefix + ".residual.6", {out, out, 3, 3, 3});
    if (in != out) expect_affine(all, prefix + ".shortcut", {out, in, 1, 1, 1});
}

void expect_middle(Tensors& all, const std::string& prefix, std::int64_t width) {
    expect_residual(all, prefix + ".0", width, width);
    all[prefix + ".1.norm.gamma"] = {width, 1, 1};
    expect_affine(all, prefix + ".1.to_qkv", {times(3, width), width, 1, 1});
    expect_affine(all, prefix + ".1.proj", {width, width, 1, 1});
    expect_residual(all, prefix + ".2", width, width);
}

void expect_blocks(Tensors& all, const VaeConfig::Level& level) {
    std::int64_t in = level.in;
    for (const std::string& block : level.blocks) {
        expect_residual(all, block, in, level.width);
        in = level.width;
    }
}

void expect_head(Tensors& all, const std::string& prefix, std::int64_t in, std::int64_t out) {
    all[prefix + ".0.gamma"] = {in, 1, 1, 1};
    expect_affine(all, prefix + ".2", {out, in, 3, 3, 3});
}

/// Which of the encoder's resamplings also halve the number of frames.
std::vector<bool> temporal_stages(const Weights& weights, std::size_t stages) {
    const Json* list = fields::find(weights, "temperal_downsample");
    if (!list) {
        std::vector<bool> all(stages, true);
        if (stages) all[0] = false;
        return all;
    }
    std::vector<bool> all;
    if (list->is_array())
        for (const Json& entry : *list)
            if (entry.is_boolean()) all.push_back(entry.get<bool>());
    if (all.size() != stages || all.size() != list->size())
        throw fields::config_error(weights.origin(), "temperal_downsample", fmt::format("must be {} booleans", stages),
                                   "correct it");
    return all;
}

/// The numbers of levels and blocks, from the names of the tensors. Throws Error if config.json has another number of
/// levels.
VaeDepth depth_of(const Weights& weights) {
    std::vector<std::string_view> names;
    for (const auto& [name, weight] : weights.all()) names.push_back(name);
    const VaeDepth depth = vae_depth(names);
    const Json* factors = fields::find(weights, "dim_mult");
    if (factors && (!factors->is_array() || std::ssize(*factors) != depth.levels))
        throw fields::config_error(
            weights.origin(), "dim_mult",
            fmt::format("must be a list of {} numbers, as many as the weights have levels", depth.levels),
            "use the config.json that belongs to these weights");
    return depth;
}

/// Levels with the prefixes of their parts, in the naming of 2.2 if `nested` (a list in each level), else of 2.1 (one
/// flat list).
std::vector<VaeConfig::Level> name_levels(const std::string& list, const std::string& inner, bool nested,
                                          std::size_t levels, std::int64_t blocks, const std::vector<bool>& temporal) {
    std::vector<VaeConfig::Level> all(levels);
    int flat = 0;
    for (std::size_t l = 0; l < levels; ++l) {
        int index = nested ? 0 : flat;
        auto next = [&] {
            return nested ? fmt::format("{}.{}.{}.{}", list, l, inner, index++) : fmt::format("{}.{}", list, index++);
        };
        for (std::int64_t b = 0; b < blocks; ++b) all[l].blocks.push_back(next());
        if (l + 1 < levels) {
            all[l].resample = next();
            all[l].temporal = temporal[l];
        }
        flat = index;
    }
    return all;
}

/// Reads the channels of each level off its first block's convolution. `up` tells that the resampling may change them.
void read_widths(const Weights& weights, std::vector<VaeConfig::Level>& levels, std::int64_t in, bool up) {
    for (VaeConfig::Level& level : levels) {
        level.in = in;
        level.width = size(weights, level.blocks.front() + ".residual.2.weight", 0);
        level.out =
            up && !level.resample.empty() ? size(weights, level.resample + ".resample.1.weight", 0) : level.width;
        in = level.out;
    }
}

std::vector<float> read_statistic(const Weights& weights, const char* key, std::int64_t z, const float* of16,
                                  const float* of48, float otherwise) {
    if (const Json* list = fields::find(weights, key)) {
        std::vector<float> values;
        if (list->is_array())
            for (const Json& entry : *list)
                if (entry.is_number()) values.push_back(entry.get<float>());
        bool good = std::ssize(values) == z && values.size() == list->size();
        for (const float v : values) good = good && std::isfinite(v) && (otherwise == 0.0f || v > 0);
        if (!good)
            throw fields::config_error(
                weights.origin(), key,
                fmt::format("must be {} finite numbers{}", z, otherwise == 0.0f ? "" : " above 0"), "correct it");
        return values;
    }
    if (z == 16) return {of16, of16 + 16};
    if (z == 48) return {of48, of48 + 48};
    return std::vector<float>(static_cast<std::size_t>(z), otherwise);
}

/// A warning if read_statistic() has to guess latents_mean or latents_std; else empty.
std::string assumption(const Weights& weights, std::int64_t z) {
    const bool mean = fields::find(weights, "latents_mean"), std = fields::find(weights, "latents_std");
    const bool published = z == 16 || z == 48;
    if (mean == std)
        return mean || published
                   ? std::string()
                   : fmt::format("nothing says latents_mean and latents_std of this VAE of {} channels: 0 "
                                 "and 1 are taken",
                                 z);
    const char *there = mean ? "latents_mean" : "latents_std", *missing = mean ? "latents_std" : "latents_mean";
    return published ? fmt::format("the VAE's config has {} and no {}: that of Wan is taken", there, missing)
                     : fmt::format("the VAE's config has {} and no {}: {} is taken", there, missing, mean ? 1 : 0);
}

/// Throws Error if the parameter-free shortcuts cannot group the channels evenly (spec/vae22.md 4).
void check_shortcuts(const Weights& weights, const VaeConfig& c) {
    auto fits = [](std::int64_t many, std::int64_t few, std::int64_t cell) {
        const std::int64_t group = few > 0 && many * cell % few == 0 ? many * cell / few : 0;
        return group && (cell % group == 0 || group % cell == 0);
    };
    for (const VaeConfig::Level& level : c.encoder) {
        const std::int64_t cell = level.resample.empty() ? 1 : level.temporal ? 8 : 4;
        if (!fits(level.in, level.out, cell))
            throw Error(weights.origin(), level.blocks.front(), "channels that its shortcut cannot average",
                        "use a complete checkpoint");
    }
    for (const VaeConfig::Level& level : c.decoder) {
        if (level.resample.empty()) continue;
        const std::int64_t cell = level.temporal ? 8 : 4;
        const std::int64_t repeats = level.out * cell % level.in ? 0 : level.out * cell / level.in;
        if (!repeats || cell % repeats)
            throw Error(weights.origin(), level.blocks.front(), "channels that its shortcut cannot repeat",
                        "use a complete checkpoint");
    }
}

/// Throws Error if config.json's multipliers of the encoder's first width do not agree with the tensors.
void check_widths(const Weights& weights, const VaeConfig& c) {
    const Json* factors = fields::find(weights, "dim_mult");
    for (std::size_t l = 0; factors && l < c.encoder.size(); ++l) {
        const Json& factor = (*factors)[l];
        if (factor.is_number() && factor.get<double>() * double(c.encoder_width) == double(c.encoder[l].width))
            continue;
        throw fields::config_error(weights.origin(), fmt::format("dim_mult[{}]", l),
                                   fmt::format("{} is not what the weights have, {} channels of {}", factor.dump(),
                                               c.encoder[l].width, c.encoder_width),
                                   "use the config.json that belongs to these weights");
    }
}

} // namespace

std::int64_t VaeConfig::spatial() const { return patch << (encoder.size() - 1); }

std::int64_t VaeConfig::temporal() const {
    std::int64_t factor = 1;
    for (const Level& level : encoder)
        if (level.temporal) factor *= 2;
    return factor;
}

namespace {

/// Channels of the inputs of all causal convolutions of a level together.
std::int64_t state_channels(const VaeConfig::Level& level) {
    const auto convolutions = static_cast<std::int64_t>(2 * level.blocks.size());
    return level.in + (convolutions - 1) * level.width;
}

} // namespace

std::int64_t VaeConfig::encoder_state(std::int64_t height, std::int64_t width) const {
    std::int64_t area = height / patch * (width / patch), values = 3 * patch * patch * area;
    for (const Level& level : encoder) {
        values += state_channels(level) * area;
        if (!level.resample.empty()) area /= 4;
        if (level.temporal) values += level.width * area;
    }
    return 2 * (values + 5 * encoder.back().width * area); // four convolutions of the middle, one of the head
}

std::int64_t VaeConfig::decoder_state(std::int64_t height, std::int64_t width) const {
    std::int64_t area = height * width, values = (z + 4 * decoder_width) * area;
    for (const Level& level : decoder) {
        values += state_channels(level) * area;
        if (level.temporal || level.resample.empty()) values += level.width * area; // of time_conv, or of the head
        area *= 4;
    }
    return 2 * values;
}

std::map<std::string, Shape> VaeConfig::expected() const {
    Tensors all;
    const std::int64_t pixels = 3 * patch * patch;
    const std::int64_t inner = encoder.back().out;
    expect_affine(all, "encoder.conv1", {encoder_width, pixels, 3, 3, 3});
    for (const Level& level : encoder) {
        expect_blocks(all, level);
        if (level.resample.empty()) continue;
        expect_affine(all, level.resample + ".resample.1", {level.width, level.width, 3, 3});
        if (level.temporal) expect_affine(all, level.resample + ".time_conv", {level.width, level.width, 3, 1, 1});
    }
    expect_middle(all, "encoder.middle", inner);
    expect_head(all, "encoder.head", inner, times(2, z));
    expect_affine(all, "conv1", {times(2, z), times(2, z), 1, 1, 1});
    expect_affine(all, "conv2", {z, z, 1, 1, 1});
    expect_affine(all, "decoder.conv1", {decoder_width, z, 3, 3, 3});
    expect_middle(all, "decoder.middle", decoder_width);
    for (const Level& level : decoder) {
        expect_blocks(all, level);
        if (level.resample.empty()) continue;
        expect_affine(all, level.resample + ".resample.1", {level.out, level.width, 3, 3});
        if (level.temporal)
            expect_affine(all, level.resample + ".time_conv", {times(2, level.width), level.width, 3, 1, 1});
    }
    expect_head(all, "decoder.head", decoder.back().out, pixels);
    return all;
}

VaeConfig VaeConfig::read(const Weights& weights) {
    VaeConfig c;
    const VaeDepth depth = depth_of(weights);
    const auto levels = static_cast<std::size_t>(depth.levels);
    const std::int64_t blocks = depth.blocks - 1;
    fields::agree(weights, {"num_res_blocks"}, blocks, "decoder.upsamples");
    const std::vector<bool> down = temporal_stages(weights, levels - 1), up(down.rbegin(), down.rend());
    c.shortcuts = weights.find("decoder.upsamples.0.upsamples.0.residual.2.weight") != nullptr;
    c.encoder = name_levels("encoder.downsamples", "downsamples", c.shortcuts, levels, blocks, down);
    c.decoder = name_levels("decoder.upsamples", "upsamples", c.shortcuts, levels, blocks + 1, up);
    c.z = size(weights, "decoder.conv1.weight", 1);
    c.encoder_width = size(weights, "encoder.conv1.weight", 0);
    c.decoder_width = size(weights, "decoder.conv1.weight", 0);
    const std::int64_t pixels = size(weights, "encoder.conv1.weight", 1);
    c.patch =
        pixels > 0 && pixels < 3 * 64 * 64 ? std::max(1L, std::lround(std::sqrt(static_cast<double>(pixels) / 3))) : 1;
    read_widths(weights, c.encoder, c.encoder_width, false);
    read_widths(weights, c.decoder, c.decoder_width, true);
    weights.require(c.expected());

    fields::check_sizes(weights, "decoder.conv1.weight", {c.z, c.encoder_width, c.decoder_width});
    for (const auto* list : {&c.encoder, &c.decoder})
        for (const Level& level : *list) fields::check_sizes(weights, level.blocks.front(), {level.width, level.out});
    if (c.shortcuts) check_shortcuts(weights, c);
    fields::agree(weights, {"z_dim"}, c.z, "decoder.conv1.weight");
    fields::agree(weights, {"base_dim"}, c.encoder_width, "encoder.conv1.weight");
    check_widths(weights, c);
    // A list is the patch size of a transformer: in the original layout the two share a config.json.
    if (const Json* patch = fields::find(weights, "patch_size"); patch && !patch->is_array())
        fields::agree(weights, {"patch_size"}, c.patch, "encoder.conv1.weight");
    c.mean = read_statistic(weights, "latents_mean", c.z, mean16, mean48, 0.0f);
    c.std = read_statistic(weights, "latents_std", c.z, std16, std48, 1.0f);
    c.assumed = assumption(weights, c.z);
    return c;
}

} // namespace denoir::wan
