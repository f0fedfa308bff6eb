// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/residency.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "engine/core/atomic_file.h"
#include "engine/weights/config_file.h"
#include "engine/weights/container.h"
#include "engine/weights/model_folder.h"
#include "tests/engine/temp_folder.h"

namespace denoir {
namespace {

namespace fs = std::filesystem;

const fs::path models = fs::path(DENOIR_FIXTURES) / "_models";

/// A copy of a tiny model, whose files may be changed.
ModelFolder copied_model(const test::TempFolder& folder) {
    fs::copy(models / "Wan2.1-T2V-tiny", folder.path(), fs::copy_options::recursive);
    return ModelFolder::open(folder.path());
}

/// An encoded prompt takes some MiB at UMT5-XXL's width, so only the last few are kept.
TEST(Residency, KeepsThePromptsUsedLast) {
    Residency often(Residency::Span::runs), once;
    const auto kept = [](Residency& of) {
        int count = 0;
        for (int i = 0; i < 40; ++i) count += of.text(std::to_string(i)).has_value();
        return count;
    };
    for (int i = 0; i < 40; ++i) {
        often.keep_text(std::to_string(i), {Tensor::zeros({1, 1}), false});
        once.keep_text(std::to_string(i), {Tensor::zeros({1, 1}), false});
        EXPECT_TRUE(often.text("0").has_value()) << "it was used since " << i;
    }
    EXPECT_EQ(kept(often), 16);
    EXPECT_EQ(kept(once), 0);
}

/// Callers ask for "vae21", whichever VAE the model has.
TEST(Residency, EitherVaeIsReleased) {
    for (const char* name : {"Wan2.1-T2V-tiny", "Wan2.2-TI2V-tiny"}) {
        const ModelFolder model = ModelFolder::open(models / name);
        Residency residency(Residency::Span::runs);
        residency.get(model.vae, Component::vae21);
        EXPECT_GT(residency.bytes(), 0u) << name;
        residency.release(Component::vae21);
        EXPECT_EQ(residency.bytes(), 0u) << name;
    }
}

/// Another config.json can mean other numbers to normalise latents with, even if the weights are the same.
TEST(Residency, AnotherConfigIsReadAgain) {
    const test::TempFolder folder;
    const ModelFolder model = copied_model(folder);
    Residency residency(Residency::Span::runs);
    for (const auto* files : {&model.transformer, &model.vae}) {
        const Component component = files == &model.vae ? Component::vae21 : Component::transformer;
        const auto before = residency.get(*files, component);
        EXPECT_EQ(residency.get(*files, component), before) << "nothing changed";
        Json config = read_json_object(files->front().parent_path() / "config.json");
        config["text_len"] = 77;
        write_file(files->front().parent_path() / "config.json", config.dump());
        const auto after = residency.get(*files, component);
        EXPECT_NE(after, before);
        EXPECT_EQ(after->config().value("text_len", 0), 77);
    }
}

/// The index says which tensors of the shards count.
TEST(Residency, AnotherIndexIsReadAgain) {
    const test::TempFolder folder;
    const ModelFolder model = copied_model(folder);
    Residency residency(Residency::Span::runs);
    const auto before = residency.get(model.transformer, Component::transformer);
    Json map = Json::object();
    for (const FileTensor& t : open_container(model.transformer.front()).tensors)
        map[t.name] = model.transformer.front().filename().string();
    const fs::path index = folder / "one.safetensors.index.json";
    write_file(index, Json{{"weight_map", map}}.dump());
    const auto indexed = residency.get(model.transformer, Component::transformer);
    EXPECT_NE(indexed, before);
    EXPECT_EQ(residency.get(model.transformer, Component::transformer), indexed) << "nothing changed";
    const std::string left_out = map.begin().key();
    map.erase(left_out);
    write_file(index, Json{{"weight_map", map}}.dump());
    EXPECT_TRUE(indexed->find(left_out));
    EXPECT_FALSE(residency.get(model.transformer, Component::transformer)->find(left_out));
}

} // namespace
} // namespace denoir
