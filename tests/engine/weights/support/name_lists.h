// SPDX-License-Identifier: Apache-2.0
// The complete tensor lists of the published models, written down from the tables of spec/dit.md 3, vae21.md 3.3,
// vae22.md 7, umt5.md 2 and clip.md 3.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/files.h"

namespace denoir::test {

using NameList = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;

struct TransformerSize {
    std::int64_t dim = 1536, ffn = 8960, layers = 30, in = 16, out = 16, text = 4096, freq = 256;
    std::int64_t clip = 0; ///< width of the image features; 0 for a transformer without that branch
    std::int64_t positions = 0;
    bool fps = false;
};
NameList transformer_names(const TransformerSize&);
NameList vae21_names(std::int64_t base = 96, std::int64_t z = 16);
NameList vae22_names(std::int64_t encoder = 160, std::int64_t decoder = 256, std::int64_t z = 48);
NameList umt5_names(std::int64_t vocabulary = 256384, std::int64_t dim = 4096, std::int64_t ffn = 10240,
                    std::int64_t layers = 24, std::int64_t heads = 64);
/// Names begin with `visual.`; the head is the projection that nothing uses.
NameList clip_names(std::int64_t width = 1280, std::int64_t mlp = 5120, std::int64_t layers = 32,
                    std::int64_t patch = 14, std::int64_t tokens = 257, std::int64_t head = 1024);

std::int64_t parameters(const NameList&);

/// Zeros with these names and shapes; `rename` may change each name.
template <class Rename> std::vector<Raw> zero_tensors(const NameList& list, const std::string& dtype, Rename rename) {
    std::vector<Raw> tensors;
    for (const auto& [name, shape] : list) tensors.push_back(zeros(rename(name), shape, dtype));
    return tensors;
}
inline std::vector<Raw> zero_tensors(const NameList& list, const std::string& dtype = "F16") {
    return zero_tensors(list, dtype, [](const std::string& n) { return n; });
}

/// Small enough to be written in every test.
TransformerSize tiny_transformer();

} // namespace denoir::test
