// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/names.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "support/name_lists.h"

namespace denoir {
namespace {

using namespace test;

TEST(NameLists, HaveTheCountsOfTheSpecification) {
    const auto transformer = [](std::int64_t dim, std::int64_t ffn, std::int64_t layers, std::int64_t in,
                                std::int64_t out, std::int64_t clip, std::int64_t positions, bool fps) {
        return transformer_names({dim, ffn, layers, in, out, 4096, 256, clip, positions, fps});
    };
    const auto check = [](const NameList& list, std::size_t tensors, std::int64_t count) {
        EXPECT_EQ(list.size(), tensors);
        EXPECT_EQ(parameters(list), count);
        std::set<std::string> unique;
        for (const auto& [name, shape] : list) unique.insert(name);
        EXPECT_EQ(unique.size(), tensors);
    };
    check(transformer(1536, 8960, 30, 16, 16, 0, 0, false), 825, 1'418'996'800);
    check(transformer(1536, 8960, 30, 16, 16, 0, 0, true), 830, 1'435'525'696);
    check(transformer(1536, 8960, 30, 36, 16, 1280, 0, false), 983, 1'564'428'608);
    check(transformer(5120, 13824, 40, 16, 16, 0, 0, false), 1095, 14'288'491'584);
    check(transformer(5120, 13824, 40, 36, 16, 1280, 0, false), 1303, 16'394'878'784);
    check(transformer(5120, 13824, 40, 36, 16, 1280, 514, false), 1304, 16'395'536'704);
    check(transformer(5120, 13824, 40, 36, 16, 0, 0, false), 1095, 14'288'901'184);
    check(transformer(3072, 14336, 30, 48, 48, 0, 0, false), 825, 4'999'787'712);
    check(vae21_names(), 194, 126'892'531);
    check(vae22_names(), 196, 704'688'668);
    check(umt5_names(), 242, 5'680'910'336);
    check(clip_names(), 392, 632'076'800);
}

/// Names and shapes as the libraries have them, written by tests/fixtures/weights/make_fixtures.py.
std::map<std::string, std::vector<std::int64_t>> library_names(const std::string& file) {
    std::map<std::string, std::vector<std::int64_t>> result;
    std::ifstream in(std::filesystem::path(DENOIR_FIXTURES) / "weights" / file);
    for (std::string line; std::getline(in, line);) {
        const std::size_t space = line.find(' ');
        std::istringstream numbers(line.substr(space + 1));
        std::vector<std::int64_t> shape;
        for (std::string n; std::getline(numbers, n, ',');) shape.push_back(std::stoll(n));
        result[line.substr(0, space)] = shape;
    }
    EXPECT_FALSE(result.empty()) << file;
    return result;
}

/// Every name must survive both ways, and the other layout's names must be exactly the library's.
void round_trip(Component component, Layout layout, const NameList& canonical, const std::string& file,
                const std::set<std::string>& twins = {}) {
    std::set<std::string> expected;
    for (const auto& [name, shape] : library_names(file))
        if (!twins.contains(name)) expected.insert(name);
    std::set<std::string> made;
    for (const auto& [name, shape] : canonical) {
        const int parts = is_split(component, layout, name) ? 3 : 1;
        for (int part = 0; part < parts; ++part) {
            const auto other = layout_name(component, layout, name, part);
            ASSERT_TRUE(other.has_value()) << name;
            EXPECT_TRUE(made.insert(*other).second) << *other;
            const auto back = canonical_name(component, layout, *other);
            ASSERT_TRUE(back.has_value()) << *other;
            EXPECT_EQ(back->name, name);
            EXPECT_EQ(back->part, parts == 3 ? part : -1);
        }
        const auto own = canonical_name(component, Layout::original, name);
        ASSERT_TRUE(own.has_value()) << name;
        EXPECT_EQ(own->name, name);
    }
    EXPECT_EQ(made, expected);
}

std::vector<std::string_view> views(const std::set<std::string>& names) { return {names.begin(), names.end()}; }

/// Another number of residual blocks or levels renumbers everything behind them in the flat list of the decoder.
TEST(Names, VaesOfOtherDepths) {
    for (const Component component : {Component::vae21, Component::vae22})
        for (int levels = 1; levels <= 5; ++levels)
            for (int blocks = 2; blocks <= 6; ++blocks) {
                const bool nested = component == Component::vae22;
                std::set<std::string> original, library;
                for (int l = 0, flat = 0; l < levels; ++l) {
                    const int count = blocks + (l + 1 < levels);
                    for (int k = 0; k < count; ++k, ++flat) {
                        const std::string at = nested ? fmt::format("decoder.upsamples.{}.upsamples.{}.", l, k)
                                                      : fmt::format("decoder.upsamples.{}.", flat);
                        const std::string there = fmt::format("decoder.up_blocks.{}.", l);
                        original.insert(at + (k < blocks ? "residual.2.weight" : "resample.1.weight"));
                        library.insert(there + (k < blocks ? fmt::format("resnets.{}.conv1.weight", k)
                                                : nested   ? "upsampler.resample.1.weight"
                                                           : "upsamplers.0.resample.1.weight"));
                    }
                }
                const VaeDepth depth = vae_depth(views(original)), other = vae_depth(views(library));
                EXPECT_EQ(depth.levels, levels);
                EXPECT_EQ(depth.blocks, blocks);
                EXPECT_EQ(other.levels, levels);
                EXPECT_EQ(other.blocks, blocks);
                std::set<std::string> made, back;
                for (const std::string& name : original)
                    made.insert(layout_name(component, Naming(Layout::diffusers, blocks), name).value_or("?"));
                for (const std::string& name : library)
                    back.insert(canonical_name(component, Naming(Layout::diffusers, blocks), name)->name);
                EXPECT_EQ(made, library);
                EXPECT_EQ(back, original);
            }
    const VaeDepth released = vae_depth({});
    EXPECT_EQ(released.levels, 4);
    EXPECT_EQ(released.blocks, 3);
    const std::vector<std::string_view> odd{"decoder.upsamples.99999999999.resample.1.weight", "decoder.upsamples.x",
                                            "decoder.up_blocks."};
    EXPECT_GE(vae_depth(odd).blocks, 2);
}

TEST(Names, TransformerAgreesWithDiffusers) {
    round_trip(Component::transformer, Layout::diffusers, transformer_names({24, 20, 2, 36, 16, 10, 8, 14, 514, false}),
               "names-flf2v.txt");
    round_trip(Component::transformer, Layout::diffusers, transformer_names({24, 20, 2, 16, 16, 10, 8, 0, 0, true}),
               "names-forcing.txt");
}

TEST(Names, AffineNormIsTheThirdHereAndTheSecondThere) {
    EXPECT_EQ(canonical_name(Component::transformer, Layout::diffusers, "blocks.7.norm2.bias")->name,
              "blocks.7.norm3.bias");
    EXPECT_EQ(layout_name(Component::transformer, Layout::diffusers, "blocks.7.norm3.bias"), "blocks.7.norm2.bias");
    EXPECT_FALSE(canonical_name(Component::transformer, Layout::diffusers, "blocks.7.norm3.bias"));
}

TEST(Names, VaesAgreeWithDiffusers) {
    round_trip(Component::vae21, Layout::diffusers, vae21_names(), "names-vae21.txt");
    round_trip(Component::vae22, Layout::diffusers, vae22_names(), "names-vae22.txt");
}

TEST(Names, Umt5AgreesWithTransformers) {
    round_trip(Component::umt5, Layout::diffusers, umt5_names(40, 16, 24, 2, 4), "names-umt5.txt",
               {"encoder.embed_tokens.weight"});
    EXPECT_EQ(canonical_name(Component::umt5, Layout::diffusers, "encoder.embed_tokens.weight")->name,
              "token_embedding.weight");
}

TEST(Names, ClipAgreesWithTransformers) {
    round_trip(Component::clip, Layout::diffusers, clip_names(12, 24, 2, 14, 5, 0), "names-clip.txt");
}

TEST(Names, ShapesOfTheLibrariesAreOurs) {
    const auto check = [](Component component, const NameList& canonical, const std::string& file) {
        const auto library = library_names(file);
        for (const auto& [name, shape] : canonical) {
            const auto it = library.find(*layout_name(component, Layout::diffusers, name));
            ASSERT_NE(it, library.end()) << name;
            EXPECT_EQ(it->second, shape) << name;
        }
    };
    check(Component::transformer, transformer_names({24, 20, 2, 36, 16, 10, 8, 14, 514, false}), "names-flf2v.txt");
    check(Component::transformer, transformer_names({24, 20, 2, 16, 16, 10, 8, 0, 0, true}), "names-forcing.txt");
    check(Component::vae21, vae21_names(), "names-vae21.txt");
    check(Component::vae22, vae22_names(), "names-vae22.txt");
    check(Component::umt5, umt5_names(40, 16, 24, 2, 4), "names-umt5.txt");
}

TEST(Names, LlamaAndOpenClip) {
    for (const auto& [name, shape] : umt5_names(40, 16, 24, 2, 4)) {
        const auto other = layout_name(Component::umt5, Layout::llama, name);
        ASSERT_TRUE(other) << name;
        EXPECT_EQ(canonical_name(Component::umt5, Layout::llama, *other)->name, name);
    }
    EXPECT_EQ(layout_name(Component::umt5, Layout::llama, "blocks.3.pos_embedding.embedding.weight"),
              "enc.blk.3.attn_rel_b.weight");
    EXPECT_EQ(layout_name(Component::umt5, Layout::llama, "blocks.3.ffn.fc2.weight"), "enc.blk.3.ffn_down.weight");
    for (const auto& [name, shape] : clip_names(8, 16, 2)) {
        const auto other = layout_name(Component::clip, Layout::open_clip, name);
        ASSERT_TRUE(other) << name;
        EXPECT_EQ(canonical_name(Component::clip, Layout::open_clip, *other)->name, name);
    }
    EXPECT_EQ(layout_name(Component::clip, Layout::open_clip, "visual.transformer.1.attn.to_qkv.weight"),
              "visual.transformer.resblocks.1.attn.in_proj_weight");
}

TEST(Names, ScalesMoveWithTheirLayer) {
    EXPECT_EQ(canonical_name(Component::transformer, Layout::diffusers, "blocks.0.attn1.to_out.0.scale_weight")->name,
              "blocks.0.self_attn.o.scale_weight");
}

Recognised recognised(const NameList& list, const std::string& prefix = {}) {
    std::vector<std::string> names;
    for (const auto& [name, shape] : list) names.push_back(prefix + name);
    std::vector<NamedRank> ranks;
    for (std::size_t i = 0; i < list.size(); ++i) ranks.push_back({names[i], static_cast<int>(list[i].second.size())});
    return recognise(ranks);
}

TEST(Recognise, EveryComponentInEveryLayout) {
    const auto check = [](Component component, const NameList& canonical, std::initializer_list<Layout> layouts) {
        for (const Layout layout : layouts) {
            NameList renamed;
            for (const auto& [name, shape] : canonical)
                if (const auto other = layout_name(component, layout, name)) renamed.emplace_back(*other, shape);
            const Recognised r = recognised(renamed);
            EXPECT_EQ(r.component, component) << name(component) << " " << name(layout);
            EXPECT_EQ(r.layout, layout) << name(component) << " " << name(layout);
        }
    };
    check(Component::transformer, transformer_names(tiny_transformer()), {Layout::original, Layout::diffusers});
    check(Component::vae21, vae21_names(4, 2), {Layout::original, Layout::diffusers});
    check(Component::vae22, vae22_names(4, 4, 2), {Layout::original, Layout::diffusers});
    check(Component::umt5, umt5_names(40, 16, 24, 2, 4), {Layout::original, Layout::diffusers, Layout::llama});
    check(Component::clip, clip_names(8, 16, 2), {Layout::original, Layout::diffusers, Layout::open_clip});
}

TEST(Recognise, StrangersStayUnknown) {
    // The image VAEs of other models have diffusers' names, but two-dimensional convolutions and other norms.
    NameList image_vae;
    for (const auto& [name, shape] : vae21_names(4, 4)) {
        std::string other = *layout_name(Component::vae21, Layout::diffusers, name);
        const std::size_t gamma = other.rfind("gamma");
        if (gamma != std::string::npos) {
            image_vae.emplace_back(other.substr(0, gamma) + "weight", std::vector<std::int64_t>{shape[0]});
            image_vae.emplace_back(other.substr(0, gamma) + "bias", std::vector<std::int64_t>{shape[0]});
        } else {
            image_vae.emplace_back(
                other, shape.size() == 5 ? std::vector<std::int64_t>(shape.begin(), shape.begin() + 4) : shape);
        }
    }
    EXPECT_EQ(recognised(image_vae).component, Component::unknown);
    EXPECT_EQ(recognised({{"latent", {16, 3, 4, 4}}}).component, Component::unknown);
    EXPECT_EQ(recognised({}).component, Component::unknown);
    EXPECT_EQ(recognised({{"blocks.0.self_attn.q.lora_down.weight", {8, 16}}}).component, Component::lora);
    EXPECT_EQ(recognised({{"diffusion_model.blocks.0.norm3.diff", {8}}}).component, Component::lora);
    EXPECT_EQ(recognised({{"lora.explora.lora.up.weight", {8, 16}}}).component, Component::lora);
    EXPECT_EQ(recognised({{"lora.explora.up.weight", {8, 16}}}).component, Component::unknown);
}

/// T5 is the encoder of Flux and others, which ComfyUI keeps in the same folder.
TEST(Recognise, T5IsNoUmt5) {
    for (const Layout layout : {Layout::diffusers, Layout::llama}) {
        NameList t5;
        for (const auto& [name, shape] : umt5_names(20, 8, 12, 4, 2))
            if (!name.ends_with("pos_embedding.embedding.weight") || name.starts_with("blocks.0."))
                t5.emplace_back(layout_name(Component::umt5, layout, name).value(), shape);
        EXPECT_EQ(recognised(t5).component, Component::unknown);
    }
}

TEST(Recognise, ClipWithoutItsPrefixAndWithItsTextHalf) {
    NameList bare, whole = clip_names(8, 16, 2);
    for (const auto& [name, shape] : clip_names(8, 16, 2)) bare.emplace_back(name.substr(7), shape);
    EXPECT_EQ(recognised(bare).component, Component::clip);
    EXPECT_TRUE(recognised(bare).without_visual);
    for (int i = 0; i < 300; ++i)
        whole.emplace_back("textual.layer." + std::to_string(i), std::vector<std::int64_t>{2, 2});
    EXPECT_EQ(recognised(whole).component, Component::clip);
    EXPECT_FALSE(recognised(whole).without_visual);
}

} // namespace
} // namespace denoir
