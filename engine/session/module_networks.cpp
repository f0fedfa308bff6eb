// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/core/log.h"
#include "engine/core/text.h"
#include "engine/models/clip/vision.h"
#include "engine/models/fields.h"
#include "engine/models/umt5/encoder.h"
#include "engine/models/wan/transformer.h"
#include "engine/models/wan/vae.h"
#include "engine/pipeline/network_options.h"
#include "engine/pipeline/stored.h"
#include "engine/pipeline/variant.h"
#include "engine/session/module_io.h"

namespace denoir {
namespace {

std::shared_ptr<const Weights> load(const ModuleCall& call, Component component) {
    if (call.weights.empty())
        throw UsageError("", "--weights", fmt::format("{} needs its weights", call.name),
                         "give --weights FILE or FOLDER");
    return std::make_shared<const Weights>(Weights::load(call.weights, component));
}

std::shared_ptr<Backend> open(const ModuleCall& call, std::stop_token stop) {
    auto backend = open_backend(call.device, call.threads);
    backend->set_stop(std::move(stop));
    return backend;
}

/// run(), whose Errors about an input name only the tensor: adds the file of the inputs.
template <class Run> auto with_inputs(const ModuleCall& call, Run run) {
    try {
        return run();
    } catch (const UsageError&) {
        throw;
    } catch (const Error& e) {
        throw e.in_file(call.inputs.string());
    }
}

/// The outputs. Throws Error if they are not finite, as a render would; here inputs far out of range may be the cause.
Tensors checked(const Weights& by, Tensors outputs) {
    for (const auto& [name, tensor] : outputs)
        check_computed(by, name, tensor, "its weights are damaged, or the inputs far out of range");
    return outputs;
}

bool skyreels_by_name(const ModuleCall& call, const Weights& weights) {
    if (weights.config().contains("inject_sample_info")) return true;
    return lower_ascii(call.weights.front().string()).find("skyreels") != std::string::npos;
}

PrecisionPolicy policy(const ModuleCall& call, const Weights& weights) {
    return call.precision.value_or(call.dtype == DType::f32          ? PrecisionPolicy::f32
                                   : skyreels_by_name(call, weights) ? PrecisionPolicy::skyreels
                                                                     : PrecisionPolicy::wan);
}

void check_timesteps(const ModuleInputs& in, const Tensor& timestep, const Tensor& latent) {
    const std::int64_t n = timestep.elements(), frames = latent.size(1), tokens = wan::tokens_of(latent.shape());
    if (timestep.rank() == 1 && n != 1 && n != frames && n != tokens)
        in.refuse("timestep", fmt::format("has {} values for {} latent frames", n, frames),
                  fmt::format("give 1, {} (frames) or {} (tokens)", frames, tokens));
    for (const float t : timestep.span<float>())
        if (!(t >= 0.0f && t <= 1000.0f)) in.refuse("timestep", fmt::format("{} is out of range", t), "use 0 to 1000");
}

/// The inputs of `wan-transformer`.
struct TransformerInputs {
    Tensor latent, timestep, text;
    Tensor clip, condition; ///< or undefined
    std::optional<int> fps; ///< row of the fps table
};

/// Reads them, and checks what can be checked without the weights.
TransformerInputs transformer_inputs(ModuleInputs& in, const ModuleSettings& set, std::optional<std::int64_t> causal) {
    TransformerInputs x;
    x.latent = in.get("latent", {"[Cin, T, H, W]"});
    x.timestep = in.get("timestep", {"[]", "[T]"});
    x.text = in.get("text", {"[text_len, text_dim]"});
    x.clip = in.find("clip", {"[257, width]", "[514, width]", "[rows, width]"});
    x.condition = in.find("condition", {"[Cc, T, H, W]"});
    const Tensor fps = in.find("fps", {"[]", "[1]"});
    in.finish();
    const Shape& latent = x.latent.shape();
    if (latent[2] % 2 != 0 || latent[3] % 2 != 0)
        in.refuse("latent", fmt::format("has shape {}", to_string(latent)),
                  "height and width must be even (2x2 patches)");
    if (causal.value_or(0) > 0 && latent[1] % *causal != 0)
        set.refuse("causal_block",
                   fmt::format("{} latent frames are not a whole number of blocks of {}", latent[1], *causal),
                   "use a divisor of the frames, or 0 for full attention");
    if (x.condition && !std::equal(x.condition.shape().begin() + 1, x.condition.shape().end(), latent.begin() + 1))
        in.refuse("condition",
                  fmt::format("has shape {}, the latent {}", to_string(x.condition.shape()), to_string(latent)),
                  "give both the same T, H, W");
    check_timesteps(in, x.timestep, x.latent);
    if (!fps) return x;
    const float row = fps.data<float>()[0];
    if (row != 0.0f && row != 1.0f)
        in.refuse("fps", fmt::format("{} is not an index", row), "use 0 (16 frames a second) or 1 (24)");
    x.fps = int(row);
    return x;
}

/// Throws Error for inputs that a model with this config does not take.
void check_against(const wan::Config& config, const ModuleInputs& in, const TransformerInputs& x) {
    const std::int64_t channels = x.latent.size(0) + (x.condition ? x.condition.size(0) : 0);
    if (channels != config.in_channels)
        in.refuse(x.condition ? "condition" : "latent",
                  fmt::format("latent and condition have {} channels together, the model takes {}", channels,
                              config.in_channels),
                  "give the tensors of this model");
    if (x.text.size(0) != config.text_len || x.text.size(1) != config.text_dim)
        in.refuse("text",
                  fmt::format("has shape {}, this model takes [{}, {}]", to_string(x.text.shape()), config.text_len,
                              config.text_dim),
                  x.text.size(1) != config.text_dim  ? "give the features of this model's text encoder"
                  : x.text.size(0) < config.text_len ? "pad the prompt's rows with zeros"
                                                     : "leave out the rows past them");
    if (x.fps && config.fps_rows == 0) in.refuse("fps", "this model has no fps branch", "leave it out");
    if (x.clip && config.clip_dim == 0) in.refuse("clip", "this model has no image branch", "leave it out");
    if (x.clip && config.clip_positions == 0 && x.clip.size(0) != clip_rows && x.clip.size(0) != 2 * clip_rows)
        in.refuse("clip",
                  fmt::format("has shape {}, expected [257, {}] or [514, {}]", to_string(x.clip.shape()),
                              config.clip_dim, config.clip_dim),
                  "give the features of one image, or of two behind each other");
}

/// Warns if config.json overrules `--set heads`. It does so in order that one setting serves models with and without a
/// config.json.
void tell_heads(std::optional<std::int64_t> asked, std::int64_t counts) {
    if (asked && *asked != counts)
        log::warning(fmt::format("--set heads: {} has no effect: config.json says {}", *asked, counts));
}

void tell_assumed(const wan::VaeConfig& config) {
    if (!config.assumed.empty()) log::warning(config.assumed);
}

} // namespace

Tensors run_transformer(const ModuleCall& call, std::stop_token stop) {
    const ModuleSettings set(call, {"heads", "causal_block"});
    const auto heads = set.whole("heads", 1, 1024), causal = set.whole("causal_block", 0, 4096);
    ModuleInputs in(call);
    const TransformerInputs x = transformer_inputs(in, set, causal);
    const auto weights = load(call, Component::transformer);
    const wan::Transformer::Options options{heads, causal, cast_points(policy(call, *weights))};
    const wan::Config config = wan::Config::read(*weights, heads);
    tell_heads(heads, config.heads);
    check_against(config, in, x);
    in.check_finite();

    const auto backend = open(call, stop);
    return with_inputs(call, [&]() -> Tensors {
        const wan::Transformer model(weights, backend, options);
        const wan::Context context = model.context(x.text, x.clip ? &x.clip : nullptr);
        const Tensor times = x.timestep.to_host_f32();
        const Tensor velocity =
            model.forward(x.latent, x.condition ? &x.condition : nullptr, times.span<float>(), context, x.fps);
        return checked(*weights, {{"velocity", backend->download(velocity).to_host_f32()}});
    });
}

Tensors run_vae_encode(const ModuleCall& call, std::stop_token stop) {
    const ModuleSettings set(call, {});
    ModuleInputs in(call);
    const Tensor video = in.get("video", {"[3, F, H, W]"});
    in.finish();
    const auto weights = load(call, Component::vae21);
    in.check_finite();
    tell_assumed(wan::VaeConfig::read(*weights));
    const auto backend = open(call, stop);
    return with_inputs(call, [&]() -> Tensors {
        const auto encoded = wan::Vae(weights, backend, {.dtype = call.dtype}).encode(video);
        return checked(*weights, {{"latent", encoded.latent.to_host_f32()}, {"mean", encoded.mean.to_host_f32()}});
    });
}

Tensors run_vae_decode(const ModuleCall& call, std::stop_token stop) {
    const ModuleSettings set(call, {});
    ModuleInputs in(call);
    const Tensor latent = in.get("latent", {"[z, T, h, w]"});
    in.finish();
    const auto weights = load(call, Component::vae21);
    const auto config = wan::VaeConfig::read(*weights);
    if (latent.size(0) != config.z)
        in.refuse("latent",
                  fmt::format("has shape {}, this VAE has {} latent channels", to_string(latent.shape()), config.z),
                  "give the latents of this model");
    in.check_finite();
    tell_assumed(config);
    const auto backend = open(call, stop);
    return with_inputs(call, [&]() -> Tensors {
        return checked(*weights, {{"video", wan::Vae(weights, backend, {.dtype = call.dtype}).decode(latent)}});
    });
}

Tensors run_umt5(const ModuleCall& call, std::stop_token stop) {
    const ModuleSettings set(call, {"heads"});
    const auto heads = set.whole("heads", 1, 1024);
    ModuleInputs in(call);
    const Tensor tokens = in.get("tokens", {"[n]"}, DType::i64);
    in.finish();
    const auto weights = load(call, Component::umt5);
    const std::int64_t rows = fields::integer(*weights, {"text_len"}, 1, fields::max_text_len)
                                  .value_or(fields::usual_text_len),
                       n = tokens.size(0);
    if (n > std::max(rows, fields::usual_text_len))
        in.refuse("tokens", fmt::format("{} tokens are more than the {} of this model", n, rows), "cut the prompt");
    std::vector<std::int64_t> ids(tokens.span<std::int64_t>().begin(), tokens.span<std::int64_t>().end());
    if (n > rows) { // as the tokenizer cuts: the closing token stays
        log::warning(fmt::format("tokens: {} are cut to the {} of this model", n, rows));
        ids[std::size_t(rows) - 1] = ids.back();
        ids.resize(std::size_t(rows));
    }
    const umt5::Config config = umt5::Config::read(*weights);
    if (heads && *heads != config.heads)
        set.refuse("heads", fmt::format("{} differs from the {} columns of the position table", *heads, config.heads),
                   "leave it out");
    const auto backend = open(call, stop);
    return with_inputs(call, [&]() -> Tensors {
        const Tensor encoded = umt5::Encoder(weights, backend, {call.dtype}).encode(ids);
        const Tensor real = backend->download(encoded).to_host_f32();
        Tensor text = Tensor::zeros({rows, real.size(1)});
        std::memcpy(text.raw(), real.raw(), real.bytes());
        return checked(*weights, {{"text", text}});
    });
}

Tensors run_clip(const ModuleCall& call, std::stop_token stop) {
    const ModuleSettings set(call, {"heads"});
    const auto heads = set.whole("heads", 1, 1024);
    ModuleInputs in(call);
    const Tensor image = in.get("image", {"[3, H, W]"});
    in.finish();
    const auto weights = load(call, Component::clip);
    const clip::Config config = clip::Config::read(*weights, heads);
    tell_heads(heads, config.heads);
    if (image.size(1) != config.image() || image.size(2) != config.image())
        in.refuse("image",
                  fmt::format("has shape {}, this model takes [3, {}, {}]", to_string(image.shape()), config.image(),
                              config.image()),
                  "resize and normalise it");
    in.check_finite();
    const auto backend = open(call, stop);
    return with_inputs(call, [&]() -> Tensors {
        const Tensor features = clip::Vision(weights, backend, {call.dtype, heads}).forward(image);
        return checked(*weights, {{"features", backend->download(features).to_host_f32()}});
    });
}

} // namespace denoir
