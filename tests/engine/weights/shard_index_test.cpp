// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <span>

#include "engine/core/error.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/headers.h"
#include "engine/weights/inspect.h"
#include "engine/weights/weights.h"
#include "support/model_files.h"
#include "support/name_lists.h"
#include "support/torch_writer.h"

namespace denoir {
namespace {

using namespace test;
namespace fs = std::filesystem;

/// spec/checkpoints.md 1.4: tensors that the index does not name are harmless. ModelFolder passes the shards on without
/// their index, which must count all the same.
TEST(ShardIndex, CountsForFilesThatAreNamedOneByOne) {
    TempFolder folder;
    const std::vector<Raw> all = zero_tensors(transformer_names(tiny_transformer()));
    const auto half = std::ptrdiff_t(all.size() / 2);
    const std::vector<Raw> first(all.begin(), all.begin() + half);
    std::vector<Raw> second(all.begin() + half, all.end());
    const std::vector<fs::path> files{folder / "m-00001-of-00002.safetensors", folder / "m-00002-of-00002.safetensors"};
    Json map = Json::object();
    for (const Raw& t : first) map[t.name] = files[0].filename().string();
    for (const Raw& t : second) map[t.name] = files[1].filename().string();
    second.push_back(first.front());              // a tensor of the first shard once more
    second.push_back(f32("other.thing", {2, 2})); // a tensor of something else
    write_bytes(files[0], safetensors(first));
    write_bytes(files[1], safetensors(second));
    const auto loaded = [&] { return Weights::load(files, Component::transformer); };
    EXPECT_THROW(loaded(), Error) << "without an index";
    write_bytes(folder / "another.safetensors.index.json", "{");
    write_bytes(folder / "m.safetensors.index.json", Json{{"weight_map", map}}.dump());
    EXPECT_EQ(loaded().all().size(), all.size());
    EXPECT_EQ(load_headers(files, Component::transformer).all().size(), all.size());

    EXPECT_EQ(index_of(files), folder / "m.safetensors.index.json");
    EXPECT_TRUE(index_of(std::span(files).first(1)).empty()) << "of one of them it does not speak";
    EXPECT_TRUE(index_of({}).empty());
}

TEST(ShardIndex, CountsForAModelThatIsInspected) {
    TempFolder folder("Wan2.1-T2V-tiny");
    add_companions(folder.path());
    const auto all = zero_tensors(transformer_names(tiny_transformer()), "BF16");
    const auto half = std::ptrdiff_t(all.size() / 2);
    const std::vector<Raw> first(all.begin(), all.begin() + half);
    std::vector<Raw> second(all.begin() + half, all.end());
    const char* shards[] = {"m-00001-of-00002.safetensors", "m-00002-of-00002.safetensors"};
    write_bytes(folder / shards[0], safetensors(first));
    write_bytes(folder / shards[1], safetensors(second));
    const Inspection plain = inspect(folder.path());

    Json map = Json::object();
    for (const Raw& t : first) map[t.name] = shards[0];
    for (const Raw& t : second) map[t.name] = shards[1];
    second.push_back(first.front());
    write_bytes(folder / shards[1], safetensors(second));
    write_bytes(folder / "m.safetensors.index.json", Json{{"weight_map", map}}.dump());
    const Inspection indexed = inspect(folder.path());
    EXPECT_EQ(indexed.variant, plain.variant);
    EXPECT_EQ(indexed.tensors.size(), plain.tensors.size());
    EXPECT_EQ(indexed.warnings, plain.warnings);
}

} // namespace
} // namespace denoir
