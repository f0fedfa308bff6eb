// SPDX-License-Identifier: Apache-2.0
#include "engine/models/wan/transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/core/error.h"
#include "engine/models/wan/inputs.h"
#include "engine/models/wan/rope.h"
#include "engine/nn/layers.h"

// L tokens, D model width, N heads, R rows of modulation, each shared by L / R neighbouring tokens. Section numbers are
// those of spec/dit.md.
namespace denoir::wan {

/// What every part of one forward pass shares.
struct Pass {
    Backend& backend;
    const Config& config;
    const Precision& precision;
    nn::Probe* probe;
    Rope rope = {};                 // [L, head_dim/2]
    std::int64_t causal_tokens = 0; // tokens per causal block, 0: full attention

    RmsOptions rms() const { return {config.eps, precision.round_qk_normalised, precision.bf16_parameters}; }
    AttentionOptions attention() const { return nn::attention_over(config.head_dim(), precision.compute); }
    /// A parameter as f32 on the backend.
    Tensor parameter(const Module& m, std::string_view leaf) const {
        return backend.parameter(nn::weight(m, leaf), precision.bf16_parameters);
    }
    template <class Value> void tell(const Module& m, std::string_view leaf, Value&& value) const {
        nn::tell(probe, m, leaf, std::forward<Value>(value));
    }
};

namespace {

/// A linear layer and its activation. A probe is told the value before the activation as `first`, and the one after it
/// as `second`.
Tensor linear(const Module& m, const char* first, const char* second, const Pass& p, const Tensor& x, DType compute,
              Activation activation) {
    p.tell(m, first, [&] { return nn::linear(m[first], x, compute); });
    Tensor y = nn::linear(m[first], x, compute, activation);
    p.tell(m, second, y);
    return y;
}

/// x [n, D] with its last row repeated up to `rows` rows: undoes the collapsing of text padding, as a probe sees it.
Tensor expanded(Backend& backend, const Tensor& x, std::int64_t rows) {
    if (x.size(0) == rows) return x;
    const std::int64_t n = x.size(0);
    Tensor out = backend.empty({rows, x.size(1)}, x.dtype());
    Tensor same = out.slice(0, 0, n), repeated = out.slice(0, n, rows);
    ops::copy(x, same);
    ops::copy(x.slice(0, n - 1, n).expand(0, rows - n), repeated);
    return out;
}

// 5.2 ---------------------------------------------------------------------------------------------------------------

/// latent [C,T,H,W], condition [Cc,T,H,W] or null -> [L, D]
Tensor patch_embedding(const Module& m, const Pass& p, const Grid& g, const Tensor& latent, const Tensor* condition) {
    const std::int64_t channels = p.config.in_channels;
    Tensor patches = p.backend.empty({g.frames, g.height, g.width, channels, 2, 2}, p.precision.compute);
    auto place = [&](const Tensor& x, std::int64_t first) {
        const Tensor on_device = nn::on(p.backend, x);
        Tensor part = patches.slice(3, first, first + x.size(0));
        ops::copy(on_device.split(3, 2).split(2, 2).permute({1, 2, 4, 0, 3, 5}),
                  part); // [C,T,h,2,w,2] -> [T,h,w,C,2,2]
    };
    place(latent, 0);
    if (condition) place(*condition, latent.size(0));
    Tensor x = nn::linear(m, patches.reshape({g.tokens(), channels * 4}), p.precision.compute);
    p.tell(m, "", x);
    return x;
}

// 5.3, 5.4 ----------------------------------------------------------------------------------------------------------

struct Time {
    Tensor e;  // [R, D] f32
    Tensor e0; // [R, 6, D] f32
};

/// [R, freq_dim], cosines first
Tensor sinusoid(std::span<const float> timesteps, std::int64_t width, bool round) {
    const std::int64_t half = width / 2;
    Tensor rows = Tensor::host({static_cast<std::int64_t>(timesteps.size()), width});
    float* out = rows.data<float>();
    for (const float t : timesteps) {
        for (std::int64_t k = 0; k < half; ++k) {
            const double angle = t * std::pow(10000.0, -static_cast<double>(k) / static_cast<double>(half));
            out[k] = static_cast<float>(std::cos(angle));
            out[half + k] = static_cast<float>(std::sin(angle));
        }
        if (round) std::transform(out, out + width, out, round_to_bf16);
        out += width;
    }
    return rows;
}

/// [R, D] f32
Tensor time_features(const Module& m, const Pass& p, std::span<const float> timesteps) {
    Tensor e = p.backend.upload(sinusoid(timesteps, p.config.freq_dim, p.precision.round_sinusoid));
    p.tell(m["time_embedding"], "input", e);
    e = linear(m["time_embedding"], "0", "1", p, e, DType::f32, Activation::silu);
    e = nn::linear(m["time_embedding"][2], e, DType::f32);
    p.tell(m["time_embedding"], "2", e);
    return e;
}

Time time_embedding(const Module& m, const Pass& p, std::span<const float> timesteps, std::optional<int> fps) {
    const auto rows = static_cast<std::int64_t>(timesteps.size());
    const Tensor e = time_features(m, p, timesteps);
    const Tensor active = ops::activate(Activation::silu, e, DType::f32);
    p.tell(m["time_projection"], "0", active);
    Tensor e0 = nn::linear(m["time_projection"][1], active, DType::f32); // [R, 6D]
    p.tell(m["time_projection"], "1", e0);
    if (fps) {
        const std::int64_t index = *fps;
        Tensor rate = ops::gather(p.backend, nn::weight(m["fps_embedding"], "weight"), {&index, 1}, DType::f32);
        p.tell(m, "fps_embedding", rate);
        rate = linear(m["fps_projection"], "0", "1", p, rate, DType::f32, Activation::silu);
        rate = nn::linear(m["fps_projection"][2], rate, DType::f32);
        p.tell(m["fps_projection"], "2", rate);
        e0 = ops::add(e0, rate.expand(0, rows), DType::f32);
    }
    e0 = e0.reshape({rows, 6, p.config.dim});
    p.tell(m, "e0", e0);
    return {e, e0};
}

// 5.6, 5.7 ----------------------------------------------------------------------------------------------------------

/// [rows, text_dim] -> [rows, D]
Tensor text_embedding(const Module& m, const Pass& p, const Tensor& text) {
    const DType compute = p.precision.compute;
    auto told = [&](const char* leaf, const Tensor& x) {
        p.tell(m, leaf, [&] { return expanded(p.backend, x, p.config.text_len); });
        return x;
    };
    if (p.probe && p.probe->wants(m.prefix() + ".0")) told("0", nn::linear(m[0], text, compute));
    const Tensor x = told("1", nn::linear(m[0], text, compute, Activation::gelu_tanh));
    return told("2", nn::linear(m[2], x, compute));
}

/// [rows, clip_dim] f32 -> [rows, D] f32
Tensor image_embedding(const Module& m, const Pass& p, Tensor clip) {
    constexpr float eps = 1e-5f;
    const DType compute = p.precision.compute;
    if (p.config.clip_positions) clip = ops::add(clip, p.parameter(m, "emb_pos").reshape(clip.shape()), DType::f32);
    const Module proj = m["proj"];
    Tensor x = nn::layer_norm(proj[0], clip, eps, DType::f32, p.precision.bf16_parameters);
    p.tell(proj, "0", x);
    x = linear(proj, "1", "2", p, x, compute, Activation::gelu_erf);
    x = nn::linear(proj[3], x, compute);
    p.tell(proj, "3", x);
    x = nn::layer_norm(proj[4], x, eps, DType::f32, p.precision.bf16_parameters);
    p.tell(proj, "4", x);
    return x;
}

/// Keys and values of a context sequence [n, D] in one block; a probe sees them expanded to `rows` rows.
Context::Keys keys(const Module& attention, const Pass& p, const Tensor& context, const std::string& suffix,
                   std::int64_t rows) {
    const DType compute = p.precision.compute;
    auto told = [&](const std::string& leaf, const Tensor& x) {
        p.tell(attention, leaf + suffix, [&] { return expanded(p.backend, x, rows); });
        return x;
    };
    Tensor k = told("k", nn::linear(attention["k" + suffix], context, compute));
    k = told("norm_k", ops::rms_norm(k, p.parameter(attention["norm_k" + suffix], "weight"), p.rms(), compute));
    const Tensor v = told("v", nn::linear(attention["v" + suffix], context, compute));
    return {nn::heads(k, p.config.heads), nn::heads(v, p.config.heads)};
}

// 5.8 ---------------------------------------------------------------------------------------------------------------

/// x [L, D] -> [L, D]
Tensor self_attention(const Module& m, const Pass& p, Tensor x) {
    const DType compute = p.precision.compute;
    const std::int64_t heads = p.config.heads;
    constexpr std::array<const char*, 3> names{"q", "k", "v"};
    const Shape shape = x.shape();
    std::vector<Tensor> projected = nn::linear_joined(m, names, std::exchange(x, {}), compute);
    auto rotated = [&](const char* projection, const char* norm, const char* rope, Tensor y) {
        p.tell(m, projection, y);
        const Tensor weight = p.parameter(m[norm], "weight");
        p.tell(m, norm, [&] { return ops::rms_norm(y, weight, p.rms(), compute); });
        Tensor turned = ops::rms_norm_rope(y, weight, p.rms(), p.rope, static_cast<int>(heads), compute);
        p.tell(m, rope, turned);
        return turned;
    };
    Tensor q = rotated(names[0], "norm_q", "rope_q", std::exchange(projected[0], {}));
    Tensor k = rotated(names[1], "norm_k", "rope_k", std::exchange(projected[1], {}));
    Tensor v = std::exchange(projected[2], {});
    p.tell(m, "v", v);

    AttentionOptions options = p.attention();
    options.causal_block = p.causal_tokens;
    x = ops::attention(nn::heads(q, heads), nn::heads(k, heads), nn::heads(v, heads), options, compute).reshape(shape);
    q = k = v = {};
    p.tell(m, "o.input", x);
    x = nn::linear(m["o"], x, compute);
    p.tell(m, "o", x);
    return x;
}

/// Text and image are two softmaxes over the same queries, summed before the output projection.
Tensor cross_attention(const Module& m, const Pass& p, const Tensor& x, const Context::Keys& text,
                       const Context& context, const Context::Keys* image) {
    const DType compute = p.precision.compute;
    Tensor q = nn::linear(m["q"], x, compute);
    p.tell(m, "q", q);
    q = ops::rms_norm(q, p.parameter(m["norm_q"], "weight"), p.rms(), compute);
    p.tell(m, "norm_q", q);
    q = nn::heads(q, p.config.heads);

    AttentionOptions options = p.attention();
    options.key_bias = context.key_bias;
    options.last_key_count = context.last_key_count;
    if (image) options.added = ops::attention(q, image->k, image->v, p.attention(), compute);
    Tensor y = ops::attention(q, text.k, text.v, options, compute).reshape(x.shape());
    options.added = {};
    p.tell(m, "o.input", y);
    y = nn::linear(m["o"], y, compute);
    p.tell(m, "o", y);
    return y;
}

Tensor feed_forward(const Module& m, const Pass& p, const Tensor& x) {
    const DType compute = p.precision.compute;
    const std::int64_t tokens = x.size(0);
    if (p.probe || Transformer::hidden_end(0, tokens) == tokens) {
        Tensor y = linear(m, "0", "1", p, x, compute, Activation::gelu_tanh);
        y = nn::linear(m[2], y, compute);
        p.tell(m, "2", y);
        return y;
    }
    Tensor y = p.backend.empty(x.shape(), compute);
    for (std::int64_t first = 0, end = 0; first < tokens; first = end) {
        end = Transformer::hidden_end(first, tokens);
        const Tensor hidden = nn::linear(m["0"], x.slice(0, first, end), compute, Activation::gelu_tanh);
        Tensor part = y.slice(0, first, end);
        ops::linear(hidden, nn::weight(m["2"], "weight"), m["2"].find("bias"), {Activation::none, compute}, part);
    }
    return y;
}

/// The residual stream [L, D] between two blocks: x, or x + y·gate. A block leaves its last sum undone, so that a
/// backend can compute it together with the norm that reads it, in one pass over memory.
struct Stream {
    Tensor x, y = {}, gate = {};
    Tensor sum(const Pass& p) const { return y ? ops::gated_add(x, y, gate, p.precision.stream) : x; }
};

/// Returns the stream's sum x, and LN(x)·(1 + scale) + shift in the type of the linear layers.
std::pair<Tensor, Tensor> modulated_norm(const Module& m, const Pass& p, const Stream& stream, const Tensor& shift,
                                         const Tensor& scale) {
    const bool first = !stream.y, round_norm = first && p.precision.round_first_norm;
    Tensor x = stream.x, y;
    const auto normalised = [&] {
        return ops::layer_norm(x, nullptr, nullptr, p.config.eps, round_norm ? DType::bf16 : DType::f32);
    };
    if (!first)
        std::tie(x, y) = ops::add_layer_norm(x, stream.y, &stream.gate,
                                             {.weight = &scale, .bias = &shift, .modulate = true, .eps = p.config.eps},
                                             p.precision.stream, p.precision.compute);
    else if (round_norm)
        y = nn::modulate(normalised(), shift, scale, p.precision.compute);
    else
        y = ops::layer_norm_modulate(x, shift, scale, p.config.eps, p.precision.compute);
    p.tell(m, "norm1", normalised);
    p.tell(m, "self_attn.input", y);
    return {x, y};
}

/// e0 [R, 6, D] f32
Stream block(const Module& m, const Pass& p, Stream stream, const Tensor& e0, const Context& context,
             std::size_t index) {
    const Tensor e = ops::add(e0, p.parameter(m, "modulation").expand(0, e0.size(0)), DType::f32);
    auto row = [&](int i) { return e.select(1, i); }; // [R, D]
    const bool has_image = !context.image.empty();

    Tensor x, y;
    std::tie(x, y) = modulated_norm(m, p, std::exchange(stream, {}), row(0), row(1));
    y = self_attention(m["self_attn"], p, std::move(y));

    const Tensor weight = p.parameter(m["norm3"], "weight"), bias = p.parameter(m["norm3"], "bias"), gate = row(2);
    const bool rounded = p.precision.round_norm3_input && !has_image;
    std::tie(x, y) = ops::add_layer_norm(
        x, y, &gate, {.weight = &weight, .bias = &bias, .round_before = rounded, .eps = p.config.eps}, DType::f32,
        p.precision.compute);
    p.tell(m, "norm3.input", x);
    p.tell(m, "norm3", y);
    y = cross_attention(m["cross_attn"], p, y, context.text[index], context,
                        has_image ? &context.image[index] : nullptr);

    const Tensor shift = row(3), scale = row(4);
    std::tie(x, y) =
        ops::add_layer_norm(x, y, nullptr, {.weight = &scale, .bias = &shift, .modulate = true, .eps = p.config.eps},
                            DType::f32, p.precision.compute);
    p.tell(m, "norm2.input", x);
    p.tell(m, "norm2", [&] { return ops::layer_norm(x, nullptr, nullptr, p.config.eps, DType::f32); });
    p.tell(m, "ffn.input", y);
    y = feed_forward(m["ffn"], p, y);
    Stream next{x, y, row(5)};
    p.tell(m, "", [&] { return next.sum(p); });
    return next;
}

// 5.9, 5.10 ---------------------------------------------------------------------------------------------------------

/// x [L, D], e [R, D] f32 -> [L, 4·Co] f32
Tensor head(const Module& m, const Module& island, const Pass& p, const Tensor& x, const Tensor& e) {
    const Tensor modulation = p.parameter(m, "modulation"); // [1, 2, D]
    const Tensor rows = ops::add(e.unsqueeze(1).expand(1, 2), modulation.expand(0, e.size(0)), DType::f32);
    p.tell(m, "norm", [&] { return ops::layer_norm(x, nullptr, nullptr, p.config.eps, DType::f32); });
    const Tensor y = ops::layer_norm_modulate(x, rows.select(1, 0), rows.select(1, 1), p.config.eps, DType::f32);
    p.tell(m, "head.input", y);
    const Tensor out = nn::linear(island["head"], y, DType::f32);
    p.tell(m, "", out);
    return out;
}

/// [L, 2·2·Co] -> [Co, T, H, W]
Tensor unpatchify(const Tensor& x, const Grid& g, std::int64_t channels) {
    const Tensor cells = x.reshape({g.frames, g.height, g.width, 2, 2, channels}).permute({5, 0, 1, 3, 2, 4});
    return ops::contiguous(cells).reshape({channels, g.frames, g.height * 2, g.width * 2});
}

/// Everything besides shapes and weights that the result of a forward depends on. A recording (Backend::captured) is
/// replayed with other values of these in other steps and for other prompts.
struct ForwardInputs {
    Tensor latent, condition; ///< if only the blocks are recorded, `latent` is their input
    Time time;
    Rope rope;
    Context context;

    std::vector<Tensor> list() const {
        std::vector<Tensor> out{latent, condition, time.e, time.e0, rope.cos, rope.sin, context.key_bias};
        for (const auto* keys : {&context.text, &context.image})
            for (const Context::Keys& k : *keys) out.insert(out.end(), {k.k, k.v});
        return out;
    }
    /// The same inputs with the tensors of `in`, which is ordered like list().
    ForwardInputs on(std::span<const Tensor> in) const {
        ForwardInputs other{in[0], in[1], {in[2], in[3]}, {in[4], in[5]}, context};
        other.context.key_bias = in[6];
        std::size_t next = 7;
        for (auto* keys : {&other.context.text, &other.context.image})
            for (Context::Keys& k : *keys) k.k = in[next++], k.v = in[next++];
        return other;
    }
};

/// Number of text rows that are not collapsed: `rows`, rounded up to one of sixteen lengths so that prompts of similar
/// length share plans and recordings, which are made for a shape. The extra rows are zeros.
std::int64_t shared_length(std::int64_t rows, std::int64_t text_len) {
    const std::int64_t grain = std::max<std::int64_t>(1, text_len / 16);
    return std::min(text_len, (rows + grain - 1) / grain * grain);
}

/// The three parts of a forward on one grid.
struct Network {
    const Pass& p;
    const Grid& g;
    Module m, island; ///< the weights, and those of the f32 islands

    Tensor embedded(const Tensor& latent, const Tensor* condition) const {
        return patch_embedding(m["patch_embedding"], p, g, latent, condition);
    }
    Tensor blocks(const ForwardInputs& in, Tensor x) const {
        Pass pass = p;
        pass.rope = in.rope;
        Stream stream{std::move(x)};
        for (int i = 0; i < p.config.layers; ++i)
            stream =
                block(m["blocks"][i], pass, std::move(stream), in.time.e0, in.context, static_cast<std::size_t>(i));
        return stream.sum(p);
    }
    Tensor projected(const Tensor& x, const Tensor& e) const {
        return unpatchify(head(m["head"], island["head"], p, x, e), g, p.config.out_channels);
    }
    Tensor whole(const ForwardInputs& in) const {
        return projected(blocks(in, embedded(in.latent, in.condition ? &in.condition : nullptr)), in.time.e);
    }
};

/// body(inputs), which a device may record under `key` and replay. `body` must return one tensor and keep no other.
template <class Body>
Tensor captured(const Pass& p, const std::string& key, const ForwardInputs& inputs, const Body& body) {
    if (p.probe) return body(inputs);
    return p.backend.captured(key, inputs.list(), [&](std::span<const Tensor> in) { return body(inputs.on(in)); });
}

/// The key of a recording: the transformer's `id` and the shapes that it depends on. `rows` is the number of rows of
/// modulation.
std::string recording_key(std::uint64_t id, const ForwardInputs& in, std::size_t rows) {
    const Context& context = in.context;
    return fmt::format("transformer {}: {}, {} rows, {} and {} keys, {}", id, to_string(in.latent.shape()), rows,
                       context.text[0].k.size(0), context.image.empty() ? 0 : context.image[0].k.size(0),
                       context.last_key_count);
}

/// a - b
Tensor difference(Backend& backend, const Tensor& a, const Tensor& b, DType dtype) {
    Tensor minus = backend.empty({1, a.size(1)}, DType::f32);
    backend.fill(minus, -1);
    return ops::gated_add(a, b, minus, dtype);
}

} // namespace

Precision Precision::wan() {
    Precision p;
    p.compute = DType::bf16;
    p.round_first_norm = p.round_qk_normalised = true;
    return p;
}

Precision Precision::skyreels() {
    Precision p;
    p.compute = p.stream = DType::bf16;
    p.bf16_parameters = p.round_sinusoid = p.round_norm3_input = true;
    return p;
}

std::size_t Context::bytes() const {
    std::size_t total = key_bias.defined() ? key_bias.bytes() : 0;
    for (const auto* list : {&text, &image})
        for (const Keys& keys : *list) total += keys.k.bytes() + keys.v.bytes();
    return total;
}

Transformer::Transformer(std::shared_ptr<const Weights> weights, std::shared_ptr<Backend> backend, Options options)
    : weights_(std::move(weights)),
      backend_(std::move(backend)),
      config_(Config::read(*weights_, options.heads)),
      precision_(options.precision),
      causal_block_(options.causal_block.value_or(config_.causal_block)) {
    static std::atomic<std::uint64_t> made{0};
    id_ = ++made;
    if (causal_block_ < 0) throw UsageError({}, "causal_block", "must not be negative", "0 means full attention");
    if (!precision_.bf16_parameters) return;
    std::map<std::string, Weight, std::less<>> islands;
    for (const auto& [name, weight] : weights_->all())
        if (is_f32_island(name)) islands.emplace(name, nn::rounded_to_bf16(weight));
    rounded_ = Weights(Component::transformer, std::move(islands), Json::object(), weights_->origin());
}

bool is_f32_island(std::string_view name) {
    constexpr std::array<std::string_view, 4> parts{"time_embedding.", "time_projection.", "fps_", "head.head."};
    return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return name.starts_with(part); });
}

Pass Transformer::pass(nn::Probe* probe, std::int64_t causal_tokens) const {
    return {*backend_, config_, precision_, probe, {}, causal_tokens};
}

Context Transformer::context(const Tensor& text, const Tensor* clip, bool collapse, nn::Probe* probe) const {
    inputs::check_clip(config_, clip);
    Context context;
    if (clip) {
        const Pass p = pass(probe);
        const Module m(*weights_);
        const Tensor rows = image_embedding(m["img_emb"], p, backend_->upload(nn::host_f32(*clip)));
        for (int i = 0; i < config_.layers; ++i)
            context.image.push_back(keys(m["blocks"][i]["cross_attn"], p, rows, "_img", rows.size(0)));
    }
    add_text(context, text, collapse, probe);
    return context;
}

Context Transformer::context(const Tensor& text, const Context& other) const {
    Context context;
    context.image = other.image;
    add_text(context, text, true, nullptr);
    return context;
}

void Transformer::add_text(Context& context, const Tensor& text, bool collapse, nn::Probe* probe) const {
    inputs::check_text(config_, text);
    Tensor rows = nn::host_f32(text);
    const std::int64_t used = shared_length(inputs::rows_used(rows), config_.text_len), zeros = config_.text_len - used;
    if (collapse && zeros > 1) {
        rows = rows.slice(0, 0, used + 1);
        Tensor bias = Tensor::zeros({used + 1});
        bias.data<float>()[used] = static_cast<float>(std::log(static_cast<double>(zeros)));
        context.key_bias = backend_->upload(bias);
        context.last_key_count = zeros;
    }
    const Pass p = pass(probe);
    const Module m(*weights_);
    const Tensor embedded = text_embedding(m["text_embedding"], p, backend_->upload(rows));
    for (int i = 0; i < config_.layers; ++i)
        context.text.push_back(keys(m["blocks"][i]["cross_attn"], p, embedded, "", config_.text_len));
}

void Transformer::release_context_weights() const {
    const auto release = [&](const std::string& name) {
        if (const Weight* weight = weights_->find(name)) weight->prepared.clear();
    };
    for (const std::string& layer : context_layer_names(config_, config_.clip_dim > 0))
        for (const char* leaf : {".weight", ".bias"}) release(layer + leaf);
    release("img_emb.emb_pos"); // a table, not a layer
}

Tensor Transformer::forward(const Tensor& latent, const Tensor* condition, std::span<const float> timesteps,
                            const Context& context, std::optional<int> fps, nn::Probe* probe, Tensor* residual) const {
    const Grid g = inputs::check_latent(config_, latent, condition);
    inputs::check_fps(config_, fps);
    const std::vector<float> rows = inputs::timestep_rows(timesteps, g);
    if (causal_block_ && g.frames % causal_block_)
        throw Error({}, "causal_block",
                    fmt::format("{} latent frames are not a multiple of blocks of {}", g.frames, causal_block_),
                    "choose another length or block");
    assert(std::ssize(context.text) == config_.layers);

    const Pass p = pass(probe, causal_block_ * g.height * g.width);
    const Network network{p, g, Module(*weights_), Module(islands())};
    ForwardInputs inputs{ops::contiguous(nn::on(*backend_, latent)),
                         condition ? ops::contiguous(nn::on(*backend_, *condition)) : Tensor(),
                         time_embedding(network.island, p, rows, fps), rotation(g), context};
    const std::string key = recording_key(id_, inputs, rows.size());
    if (!residual) return captured(p, key, inputs, [&](const ForwardInputs& in) { return network.whole(in); });

    // Only the blocks are recorded, since their input is needed for the residual.
    const Tensor before = network.embedded(inputs.latent, inputs.condition ? &inputs.condition : nullptr);
    const Tensor e = inputs.time.e;
    inputs.latent = before, inputs.condition = inputs.time.e = {};
    const Tensor after =
        captured(p, "blocks of " + key, inputs, [&](const ForwardInputs& in) { return network.blocks(in, in.latent); });
    *residual = difference(*backend_, after, before, precision_.stream);
    return network.projected(after, e);
}

Tensor Transformer::forward_reusing(const Tensor& latent, const Tensor* condition, std::span<const float> timesteps,
                                    const Tensor& residual, nn::Probe* probe) const {
    const Grid g = inputs::check_latent(config_, latent, condition);
    assert(residual.shape() == Shape({g.tokens(), config_.dim}));
    const Pass p = pass(probe);
    const Network network{p, g, Module(*weights_), Module(islands())};
    const Tensor e = time_features(network.island, p, inputs::timestep_rows(timesteps, g));
    const Tensor x = network.embedded(latent, condition);
    return network.projected(ops::add(x, residual, x.dtype()), e);
}

Tensor Transformer::time_signal(std::span<const float> timesteps, std::optional<int> fps, bool projected) const {
    inputs::check_fps(config_, fps);
    const Pass p = pass(nullptr);
    const Module island(islands());
    if (!projected) return nn::host_f32(time_features(island, p, timesteps));
    const Tensor e0 = time_embedding(island, p, timesteps, fps).e0;
    return nn::host_f32(e0.reshape({e0.size(0), 6 * config_.dim}));
}

/// The rotation of a grid. Cached, as every step of a run needs the same.
Rope Transformer::rotation(const Grid& g) const {
    if (rotation_grid_ != std::array{g.frames, g.height, g.width}) {
        const Rope table = rope_table(g.frames, g.height, g.width, config_.head_dim());
        rotation_ = {backend_->upload(table.cos), backend_->upload(table.sin)};
        rotation_grid_ = {g.frames, g.height, g.width};
    }
    return rotation_;
}

} // namespace denoir::wan
