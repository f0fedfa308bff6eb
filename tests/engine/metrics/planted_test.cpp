// SPDX-License-Identifier: Apache-2.0
// Errors planted in the transformer must be named, each time: several blocks, sizes and cast policies, with the noise
// of another order of summation over everything.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "engine/backend/cpu/cpu_backend.h"
#include "engine/metrics/trace_comparison.h"
#include "engine/models/clip/vision.h"
#include "engine/models/umt5/encoder.h"
#include "engine/models/wan/rope.h"
#include "engine/models/wan/transformer.h"
#include "tests/engine/models/support.h"

namespace denoir {
namespace {

struct Size {
    const char* name;
    std::int64_t dim, heads, layers;
    Shape latent;
};
const Size sizes[] = {
    {"small", 32, 2, 2, {4, 2, 4, 6}}, {"deep", 48, 4, 5, {4, 3, 4, 4}}, {"wide", 96, 3, 3, {4, 3, 6, 10}}};

/// The processor's kernels with an error planted in one place.
class PlantedBackend : public cpu::CpuBackend {
public:
    using CpuBackend::CpuBackend;
    std::string rounded;               ///< the linear layer with this weight has its result rounded to bf16
    const std::byte* turned = nullptr; ///< the rotation behind the norm with this weight is done about the wrong axis
    Rope wrong;
    float noise = 0; ///< relative noise on the result of every linear layer

    void linear(const Tensor& x, const Weight& w, const Weight* bias, const LinearOptions& o, Tensor& out) override {
        CpuBackend::linear(x, w, bias, o, out);
        if (out.dtype() != DType::f32 || !out.is_contiguous()) return;
        std::uint64_t i = 0;
        for (float& v : out.span<float>()) {
            if (noise > 0) v *= 1 + noise * float(test::named_value(w.name(), i++));
            if (w.name() == rounded) v = round_to_bf16(v);
        }
    }
    void rms_norm_rope(const Tensor& x, const Tensor& weight, const RmsOptions& o, const Rope& rope, int heads,
                       Tensor& out) override {
        CpuBackend::rms_norm_rope(x, weight, o, weight.raw() == turned ? wrong : rope, heads, out);
    }
};

struct Traced {
    Size size;
    wan::Precision precision;
    std::shared_ptr<const Weights> weights;
    std::shared_ptr<PlantedBackend> backend = std::make_shared<PlantedBackend>(1);

    wan::Config config() const {
        wan::Config c;
        c.dim = size.dim, c.ffn_dim = size.dim * 3 / 2, c.layers = size.layers, c.heads = size.heads;
        c.in_channels = c.out_channels = 4;
        c.freq_dim = 16, c.text_dim = 10, c.text_len = 6;
        return c;
    }
    Traced(const Size& s, const wan::Precision& p) : size(s), precision(p) {
        weights = test::filled(Component::transformer, config().expected(), {{"num_heads", s.heads}, {"text_len", 6}},
                               test::fill_transformer);
    }
    /// Changes one tensor of the model.
    template <class Change> void change(const std::string& name, Change change) {
        auto all = weights->all();
        Tensor t = Tensor::host(all.at(name).shape());
        const auto from = all.at(name).stored().span<float>();
        std::copy(from.begin(), from.end(), t.span<float>().begin());
        change(t.span<float>());
        all.at(name) = Weight(name, t);
        weights = std::make_shared<const Weights>(Component::transformer, all, weights->config(), "planted");
    }
    void swap(const std::string& a, const std::string& b) {
        const auto all = weights->all();
        const Tensor x = all.at(a).stored(), y = all.at(b).stored();
        const auto take = [](const Tensor& from) {
            return [&from](std::span<float> to) { std::copy_n(from.data<float>(), to.size(), to.begin()); };
        };
        change(a, take(y));
        change(b, take(x));
    }
    void turn(int block, const char* norm) {
        const std::int64_t t = size.latent[1], h = size.latent[2] / 2, w = size.latent[3] / 2;
        // The columns are counted where the rows should be.
        const Rope rope = wan::rope_table(t, h, w, size.dim / size.heads);
        Tensor cos = Tensor::host(rope.cos.shape()), sin = Tensor::host(rope.sin.shape());
        const Rope other = wan::rope_table(t, w, h, size.dim / size.heads);
        const std::int64_t pairs = rope.cos.size(1);
        for (std::int64_t f = 0; f < t; ++f)
            for (std::int64_t y = 0; y < h; ++y)
                for (std::int64_t x = 0; x < w; ++x) {
                    const std::int64_t to = ((f * h + y) * w + x) * pairs, from = ((f * w + x) * h + y) * pairs;
                    std::copy_n(other.cos.data<float>() + from, pairs, cos.data<float>() + to);
                    std::copy_n(other.sin.data<float>() + from, pairs, sin.data<float>() + to);
                }
        backend->wrong = {backend->upload(cos), backend->upload(sin)};
        const Weight* w_norm = weights->find("blocks." + std::to_string(block) + ".self_attn." + norm + ".weight");
        backend->turned = backend->parameter(*w_norm, precision.bf16_parameters).raw();
    }

    test::Recorder trace() const {
        const wan::Transformer model(weights, backend, {.precision = precision});
        Tensor text = test::numbered_tensor(901, {6, 10});
        test::Recorder told;
        const wan::Context context = model.context(text, nullptr, true, &told);
        const std::vector<float> timesteps{500};
        model.forward(test::numbered_tensor(900, size.latent), nullptr, timesteps, context, {}, &told);
        return told;
    }
};

metrics::TraceComparison compared(const Traced& a, const Traced& b) {
    const test::Recorder x = a.trace(), y = b.trace();
    metrics::TraceComparison c;
    for (const std::string& name : x.names) {
        metrics::LayerError l;
        const bool once = name.starts_with("text_embedding") || name.find("cross_attn.k") != std::string::npos ||
                          name.find("cross_attn.norm_k") != std::string::npos ||
                          name.find("cross_attn.v") != std::string::npos;
        l.key = (once ? "transformer/cond/" : "transformer/step_001/cond/") + name;
        l.parts = metrics::parse_trace_key(l.key);
        l.difference = metrics::difference(x.last.at(name), y.last.at(name));
        c.layers.push_back(l);
    }
    analyse(c);
    return c;
}

std::string named(const metrics::TraceComparison& c) {
    return c.first ? c.layers[*c.first].parts.layer : "none: " + c.verdict;
}

struct Policy {
    const char* name;
    wan::Precision precision;
};
const Policy policies[] = {
    {"f32", wan::Precision::f32()}, {"wan", wan::Precision::wan()}, {"skyreels", wan::Precision::skyreels()}};

class Planted : public testing::TestWithParam<std::tuple<Size, Policy>> {
protected:
    const Size& size() const { return std::get<0>(GetParam()); }
    /// Two runs, the second of which adds its numbers in another order.
    std::pair<Traced, Traced> runs() const {
        std::pair<Traced, Traced> both{Traced(size(), std::get<1>(GetParam()).precision),
                                       Traced(size(), std::get<1>(GetParam()).precision)};
        both.second.backend->noise = 2e-7f;
        return both;
    }
    std::string block(std::int64_t i) const { return "blocks." + std::to_string(i) + "."; }
    std::vector<std::int64_t> blocks() const { return {0, size().layers / 2, size().layers - 1}; }
};

TEST_P(Planted, NothingIsNamedWhereNothingIsWrong) {
    auto [a, b] = runs();
    EXPECT_FALSE(compared(a, b).first) << named(compared(a, b));
}

TEST_P(Planted, ABiasChangedByAHundredth) {
    for (const std::int64_t i : blocks())
        for (const char* layer : {"self_attn.q", "self_attn.k", "self_attn.v", "self_attn.o", "norm3", "cross_attn.q",
                                  "cross_attn.k", "cross_attn.o", "ffn.0", "ffn.2"}) {
            auto [a, b] = runs();
            a.change(block(i) + layer + ".bias", [](std::span<float> bias) {
                for (float& v : bias) v += 1e-2f;
            });
            EXPECT_EQ(named(compared(a, b)), block(i) + layer);
        }
}

TEST_P(Planted, TwoSwappedNorms) {
    for (const std::int64_t i : blocks())
        for (const std::string attention : {"self_attn", "cross_attn"}) {
            auto [a, b] = runs();
            a.swap(block(i) + attention + ".norm_q.weight", block(i) + attention + ".norm_k.weight");
            // The keys of the text are computed before the first block.
            EXPECT_EQ(named(compared(a, b)), block(i) + attention + (attention == "self_attn" ? ".norm_q" : ".norm_k"));
        }
    auto [a, b] = runs();
    a.swap("blocks.0.norm3.weight", block(size().layers - 1) + "norm3.weight");
    EXPECT_EQ(named(compared(a, b)), "blocks.0.norm3");
}

TEST_P(Planted, ARotationAboutTheWrongAxis) {
    for (const std::int64_t i : blocks())
        for (const char* which : {"q", "k"}) {
            auto [a, b] = runs();
            a.turn(int(i), which[0] == 'q' ? "norm_q" : "norm_k");
            EXPECT_EQ(named(compared(a, b)), block(i) + "self_attn.rope_" + which);
        }
}

TEST_P(Planted, AWrongCast) {
    const Policy& policy = std::get<1>(GetParam());
    if (policy.precision.compute == DType::f32) {
        for (const std::int64_t i : blocks())
            for (const char* layer : {"self_attn.q", "self_attn.o", "cross_attn.v", "ffn.2"}) {
                auto [a, b] = runs();
                a.backend->rounded = block(i) + layer + ".weight";
                EXPECT_EQ(named(compared(a, b)), block(i) + layer);
            }
        return;
    }
    // The casts in which the two references differ, on the same machine.
    auto [a, b] = runs();
    b.backend->noise = 0;
    a.precision.round_qk_normalised = !a.precision.round_qk_normalised;
    // The keys of the text are computed before the first block.
    EXPECT_EQ(named(compared(a, b)), "blocks.0.cross_attn.norm_k");
    a = b;
    a.precision.round_first_norm = !a.precision.round_first_norm;
    EXPECT_EQ(named(compared(a, b)), "blocks.0.norm1");
    a = b;
    a.precision.round_sinusoid = !a.precision.round_sinusoid;
    EXPECT_EQ(named(compared(a, b)), "time_embedding.input");
}

/// A layer that is not in the graph is taken to follow the one that was written before it.
TEST(TraceGraph, KnowsEveryLayer) {
    const auto known = [](const char* component, const std::vector<std::string>& layers) {
        for (const std::string& layer : layers)
            EXPECT_TRUE(metrics::inputs_of(component, layer)) << component << " " << layer;
    };
    wan::Config transformer;
    transformer.layers = transformer.fps_rows = 2;
    known("transformer", wan::layer_names(transformer));
    known("transformer", wan::context_layer_names(transformer, true));
    umt5::Config text;
    text.layers = 2;
    known("text_encoder", umt5::layer_names(text));
    clip::Config image;
    image.layers = 2;
    known("image_encoder", clip::layer_names(image));
}

INSTANTIATE_TEST_SUITE_P(Sizes, Planted, testing::Combine(testing::ValuesIn(sizes), testing::ValuesIn(policies)),
                         [](const auto& one) {
                             return std::string(std::get<0>(one.param).name) + "_" + std::get<1>(one.param).name;
                         });

} // namespace
} // namespace denoir
