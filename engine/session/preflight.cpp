// SPDX-License-Identifier: Apache-2.0
#include "engine/session/preflight.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/disk.h"
#include "engine/core/file.h"
#include "engine/core/text.h"
#include "engine/core/units.h"
#include "engine/media/image.h"
#include "engine/models/clip/vision.h"
#include "engine/models/fields.h"
#include "engine/models/umt5/encoder.h"
#include "engine/models/wan/config.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/prefix.h"
#include "engine/pipeline/tokenizer_file.h"
#include "engine/pipeline/variant.h"
#include "engine/pipeline/windows.h"
#include "engine/weights/headers.h"
#include "engine/weights/model_folder.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

constexpr int solver_tensors = 4;                ///< latents as large as the sample that a solver remembers, at most
constexpr double spare_bytes = 16.0 * (1 << 20); ///< video, pictures and the rest

/// Throws Error naming the first of a part's files if the part does not fit the transformer.
void check_fit(const std::vector<fs::path>& files, const char* what, std::int64_t found, std::int64_t wanted) {
    if (found == wanted) return;
    throw Error(files.front().string(), "", fmt::format("gives {} {}, the transformer takes {}", found, what, wanted),
                "use the part that belongs to this model");
}

void check_encoders(const Request& r, const ModelFolder& model, const wan::Config& transformer,
                    const std::stop_token& stop) {
    if (!r.image.empty()) read_image(r.image);
    if (!r.last_image.empty()) read_image(r.last_image);
    if (goes_on(r)) {
        FramesBefore before(*r.forcing, stop);
        for (int i = 0; i < before.count(); ++i) before.read(i);
    }
    const Weights text = load_headers(model.text_encoder, Component::umt5);
    check_fit(model.text_encoder, "text channels", umt5::Config::read(text).dim, transformer.text_dim);
    load_tokenizer(model.tokenizer);
    if (r.image.empty() || transformer.clip_dim == 0) return;
    const Weights clip = load_headers(model.clip, Component::clip);
    check_fit(model.clip, "image channels", clip::Config::read(clip).width, transformer.clip_dim);
}

/// spec/schedulers.md 8: where the second expert takes over.
void check_boundary(const ModelFolder& model) {
    const auto it = model.model_index.find("boundary_ratio");
    if (it == model.model_index.end() || it->is_null()) return;
    if (!it->is_number() || it->get<double>() < 0 || it->get<double>() > 1)
        throw Error(model.model_index_file.string(), "boundary_ratio", "must be a number from 0 to 1", "correct it");
}

} // namespace

void preflight(const Request& r, const ModelFolder& model, Needs needs, const std::stop_token& stop) {
    const auto transformer = wan::Config::read(load_headers(model.transformer, Component::transformer));
    if (const std::int64_t block = transformer.causal_block, frames = latent_frames(*r.frames);
        *r.mode != Mode::forcing && block > 0 && frames % block != 0)
        throw fields::config_error(
            model.transformer.front().string(), "num_frame_per_block",
            fmt::format("the clip has {} latent frames, which are not a whole number of blocks of {}", frames, block),
            fmt::format("choose {} frames", video_frames((frames + block - 1) / block * block)));
    check_boundary(model);
    if (!model.transformer_low.empty()) {
        const auto low = wan::Config::read(load_headers(model.transformer_low, Component::transformer));
        check_fit(model.transformer_low, "channels", low.out_channels, transformer.out_channels);
    }
    if (needs == Needs::everything) check_encoders(r, model, transformer, stop);
    Variant::read(model); // checks the VAE
}

void check_disk_space(const Request& r, const ModelFolder& model, const fs::path& run) {
    std::error_code code;
    const fs::path place = fs::exists(run, code) ? run : run.parent_path();
    const auto left = free_space(place);
    if (!left) return;
    // A branch links the files that it takes over if its parent lies on the same disk.
    const int linked = r.start && same_disk(r.start->run, place) ? r.start->step + 1 : 0;
    const double latent = double(latent_shape(r, Variant::read(model)).elements()) * sizeof(float);
    const int steps = Pipeline::step_count(r) + 1 - linked;
    const double before = double(pictures_given_again(r)) * 3 * *r.height * *r.width * sizeof(float);
    const double needed = steps * latent * (2 + solver_tensors) + before + spare_bytes;
    if (double(*left) >= needed) return;
    throw NoSpace(
        run.string(), "",
        fmt::format("the run needs about {}, the disk has {} left", bytes_text(needed), bytes_text(double(*left))),
        "free some space, or choose another place");
}

std::vector<fs::path> files_of_steps(const ModelFolder& model, const Request& r) {
    std::vector<fs::path> all = model_files(model, r.loras);
    if (!r.noise.file.empty()) all.push_back(r.noise.file);
    return all;
}

std::vector<fs::path> model_files(const ModelFolder& model, std::span<const Lora> loras) {
    std::vector<fs::path> all;
    for (const auto* part : {&model.transformer, &model.transformer_low, &model.text_encoder, &model.clip, &model.vae})
        for (const fs::path& path : *part) {
            std::error_code code;
            if (!fs::is_directory(path, code)) {
                all.push_back(path);
                continue;
            }
            for (const auto& entry : entries_of(path, code))
                if (entry.is_regular_file(code)) all.push_back(entry.path());
        }
    std::error_code code;
    std::vector<fs::path> small = tokenizer_files(model.tokenizer);
    small.push_back(model.model_index_file);
    for (const fs::path& weights : all) small.push_back(weights.parent_path() / "config.json");
    for (const Lora& lora : loras) {
        small.push_back(lora.file);
        small.push_back(peft_config_of(lora.file));
    }
    for (fs::path& file : small)
        if (fs::is_regular_file(file, code)) all.push_back(std::move(file));
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

} // namespace denoir
