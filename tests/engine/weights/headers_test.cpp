// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/headers.h"

#include <gtest/gtest.h>

#include <fstream>

#include "engine/weights/weights.h"
#include "support/model_files.h"
#include "support/name_lists.h"
#include "support/torch_writer.h"

namespace denoir {
namespace {

using namespace test;
namespace fs = std::filesystem;

/// Asking for shapes alone must not copy tensors, not even those that are not aligned.
TEST(Headers, AreReadWithoutCopies) {
    const auto used = [] { // bytes that this process has allocated for itself
        std::ifstream file("/proc/self/statm");
        std::int64_t all = 0, resident = 0, shared = 0;
        file >> all >> resident >> shared;
        return (resident - shared) * 4096;
    };
    TransformerSize size = tiny_transformer();
    size.ffn = 1 << 20;
    std::map<std::string, Shape> shapes;
    for (const auto& [name, shape] : transformer_names(size))
        shapes.emplace(name, Shape(std::span<const std::int64_t>(shape)));
    TempFolder folder;
    write_bytes(folder / "x.safetensors", misaligned(transformer_file(size)));
    const std::vector<fs::path> files{folder / "x.safetensors"};
    const std::int64_t before = used();
    const Weights headers = load_headers(files, Component::transformer);
    constexpr std::int64_t mib = 1 << 20;
    EXPECT_LT(used() - before, 32 * mib); // a sanitizer adds an eighth of them
    EXPECT_NO_THROW(headers.require(shapes));
    const Weights in_place = load_in_place(files, Component::transformer);
    EXPECT_LT(used() - before, 32 * mib);
    EXPECT_EQ(in_place.stored_bytes(), headers.stored_bytes());
    const Weights all = Weights::load(files, Component::transformer);
    EXPECT_GT(all.stored_bytes(), std::size_t(64 * mib));
    EXPECT_EQ(headers.stored_bytes(), all.stored_bytes());
    for (const auto& [name, weight] : all.all())
        EXPECT_EQ(headers.find(name)->stored().dtype(), weight.stored().dtype()) << name;
}

} // namespace
} // namespace denoir
