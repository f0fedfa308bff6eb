// SPDX-License-Identifier: Apache-2.0
// The layers that a transformer tells a probe, in the order of transformer.cpp.
#include <fmt/format.h>

#include "engine/models/wan/transformer.h"

namespace denoir::wan {

std::vector<std::string> context_layer_names(const Config& c, bool image) {
    std::vector<std::string> names;
    auto keys = [&](const char* suffix) {
        for (int i = 0; i < c.layers; ++i)
            for (const char* leaf : {"k", "norm_k", "v"})
                names.push_back(fmt::format("blocks.{}.cross_attn.{}{}", i, leaf, suffix));
    };
    if (image) {
        for (const int i : {0, 1, 2, 3, 4}) names.push_back(fmt::format("img_emb.proj.{}", i));
        keys("_img");
    }
    for (const int i : {0, 1, 2}) names.push_back(fmt::format("text_embedding.{}", i));
    keys("");
    return names;
}

std::vector<std::string> layer_names(const Config& c) {
    std::vector<std::string> names{"time_embedding.input", "time_embedding.0",  "time_embedding.1",
                                   "time_embedding.2",     "time_projection.0", "time_projection.1"};
    if (c.fps_rows > 0)
        for (const char* leaf : {"fps_embedding", "fps_projection.0", "fps_projection.1", "fps_projection.2"})
            names.emplace_back(leaf);
    names.insert(names.end(), {"e0", "patch_embedding"});
    for (int i = 0; i < c.layers; ++i) {
        for (const char* leaf : {"norm1",
                                 "self_attn.input",
                                 "self_attn.q",
                                 "self_attn.norm_q",
                                 "self_attn.rope_q",
                                 "self_attn.k",
                                 "self_attn.norm_k",
                                 "self_attn.rope_k",
                                 "self_attn.v",
                                 "self_attn.o.input",
                                 "self_attn.o",
                                 "norm3.input",
                                 "norm3",
                                 "cross_attn.q",
                                 "cross_attn.norm_q",
                                 "cross_attn.o.input",
                                 "cross_attn.o",
                                 "norm2.input",
                                 "norm2",
                                 "ffn.input",
                                 "ffn.0",
                                 "ffn.1",
                                 "ffn.2"})
            names.push_back(fmt::format("blocks.{}.{}", i, leaf));
        names.push_back(fmt::format("blocks.{}", i));
    }
    names.insert(names.end(), {"head.norm", "head.head.input", "head"});
    return names;
}

} // namespace denoir::wan
