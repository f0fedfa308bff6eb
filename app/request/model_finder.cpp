// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/request/model_finder.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <utility>

#include "app/base/text.h"
#include "engine/core/error.h"
#include "engine/core/text.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/experts.h"
#include "engine/weights/model_folder.h"
#include "engine/weights/parts.h"
#include "engine/weights/places.h"

namespace denoir::app {
namespace fs = std::filesystem;
namespace {

constexpr int most_depth = 6; ///< as for ComfyUI/models/diffusion_models/WanVideo/I2V or Hugging Face's cache
constexpr std::size_t most_looked_at = 20'000; ///< entries below one root

/// The checkpoints in a folder, with a series of shards as one; none if the folder cannot be read.
std::vector<CheckpointFiles> checkpoints_in(const fs::path& folder) {
    const auto is_other = [](const CheckpointFiles& files) {
        if (files.files.empty()) return true;
        const fs::path& file = files.files.front();
        const std::string ending = file.extension().string();
        return file.filename().string().starts_with('.') ||
               (ending != ".safetensors" && ending != ".pth" && ending != ".gguf");
    };
    try {
        std::vector<Error> bad; // a damaged index, whose files are listed all the same
        std::vector<CheckpointFiles> all = list_checkpoints(folder, &bad);
        std::erase_if(all, is_other);
        return all;
    } catch (const Error&) {
        return {};
    }
}

bool is_lfs_pointer(const fs::path& file) {
    constexpr std::string_view begins = "version https://git-lfs";
    std::string start(begins.size(), '\0');
    return std::ifstream(file, std::ios::binary).read(start.data(), std::streamsize(start.size())) && start == begins;
}

/// Whether a file that cannot be read is to be shown: many programs write .pth files, few of which are models.
bool is_worth_showing(const fs::path& file) { return file.extension() != ".pth" || is_lfs_pointer(file); }

bool holds_transformer(const CheckpointFiles& files, const std::stop_token& stop) {
    return holds(Checkpoint::open(files, OldPth::refuse, stop), Component::transformer);
}

/// Whether a folder has a name under which ComfyUI, Forge, Wan2GP or lightx2v keep the transformers of many models.
bool is_for_many(const fs::path& folder) {
    static constexpr std::array names{"diffusion_models", "unet",           "checkpoints",
                                      "stable-diffusion", "distill_models", "ckpts"};
    return std::find(names.begin(), names.end(), lower_ascii(folder.filename().string())) != names.end();
}

/// Whether VAE and encoders, as far as they were found, lie in `folder` beside the transformer, in files of their own.
bool has_companions_in(const fs::path& folder, const ModelFolder& model) {
    std::size_t beside = 0, elsewhere = 0;
    for (const auto* files : {&model.vae, &model.text_encoder, &model.clip}) {
        if (files->empty() || files->front() == model.transformer.front()) continue;
        ++(normal_path(files->front()).parent_path() == folder ? beside : elsewhere);
    }
    return beside > 0 && elsewhere == 0;
}

/// Whether the folder that was opened belongs to this model alone.
bool is_its_own(const ModelFolder& model) {
    const fs::path root = normal_path(model.root), place = normal_path(model.transformer.front()).parent_path();
    if (is_file(root / "model_index.json")) return true;
    if (is_for_many(root)) return false;
    if (place == root)
        return model.transformer.size() > 1 || is_file(root / "config.json") || has_companions_in(root, model);
    const std::string part = place.filename().string();
    return place.parent_path() == root && (part == "transformer" || expert_of(part) != Expert::none);
}

/// Whether below a model's folder lie only its parts or its earlier revisions.
bool is_closed(const fs::path& folder, const ModelFolder& model) {
    return is_file(model.root / "model_index.json") || model.root != folder;
}

} // namespace

void ModelFinder::look_below(const fs::path& root) {
    Level level;
    level.folders = {root};
    for (int depth = 1; depth <= most_depth; ++depth) {
        for (const fs::path& folder : level.folders)
            if (!look(folder, level)) return;
        level.folders = std::exchange(level.below, {});
    }
}

/// Returns false if enough was looked at, or the search was stopped.
bool ModelFinder::look(const fs::path& folder, Level& level) {
    if (!is_folder(folder)) return true;
    folders << to_qstring(folder);
    std::vector<fs::path> deeper;
    std::error_code code;
    for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
        if (end_.stop_requested() || ++level.looked > most_looked_at) return false;
        if (!it->path().filename().string().starts_with('.') && is_folder(it->path())) deeper.push_back(it->path());
    }
    std::sort(deeper.begin(), deeper.end());
    const std::optional<ModelFolder> model = opened(folder);
    if (model && is_its_own(*model)) {
        add(folder, *model);
        if (is_closed(folder, *model)) return true;
    } else if (!look_at_files(folder)) {
        return false;
    }
    level.below.insert(level.below.end(), deeper.begin(), deeper.end());
    return true;
}

/// Returns false if the search was stopped.
bool ModelFinder::look_at_files(const fs::path& folder) {
    for (const CheckpointFiles& files : checkpoints_in(folder)) {
        if (end_.stop_requested()) return false;
        const fs::path& file = files.files.front();
        if (taken_.contains(normal_path(file))) continue;
        try {
            if (!holds_transformer(files, end_)) continue;
        } catch (const std::exception&) { // will be listed as unreadable
            if (is_worth_showing(file)) found << to_qstring(file);
            continue;
        }
        if (const auto model = opened(file))
            add(model->transformer.front(), *model);
        else
            found << to_qstring(file); // the catalogue will say what is wrong with it
    }
    return true;
}

/// The model at `path`; empty if there is no transformer, or several, or one that cannot be run.
std::optional<ModelFolder> ModelFinder::opened(const fs::path& path) const {
    try {
        ModelFolder model = ModelFolder::open(path, {}, end_);
        if (!model.transformer.empty()) return model;
    } catch (const std::exception&) { // the catalogue will say why
    }
    return std::nullopt;
}

void ModelFinder::add(const fs::path& path, const ModelFolder& model) {
    if (taken_.contains(normal_path(model.transformer.front()))) return;
    found << to_qstring(path);
    for (const auto* files : {&model.transformer, &model.transformer_low})
        for (const fs::path& file : *files) taken_.insert(normal_path(file));
}

} // namespace denoir::app
