// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/clips/exact_clip.h"

#include <algorithm>
#include <filesystem>
#include <thread>
#include <vector>

#include "app/base/text.h"
#include "engine/core/file.h"
#include "engine/core/own_folders.h"
#include "engine/session/decode_run.h"
#include "engine/session/sha256.h"

namespace denoir::app {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t folder_bound = std::uintmax_t{4} << 30;
/// The number of videos that are kept whatever their size, as they may be in use by a comparison or a sweep.
constexpr std::size_t most_in_use = 4;

class Progress : public Observer {
public:
    explicit Progress(const ProgressCall& tell) : tell_(tell) {}
    void progress(Stage stage, double done, double total, double) override {
        if (stage == Stage::decode) tell_(done, total);
    }

private:
    const ProgressCall& tell_;
};

/// Changes with everything that decides the frames: the latents and the files of the model.
std::string key_of(const RunFolder& run, const StepRecord& last) {
    std::string text = last.sha256;
    for (const ModelFile& file : run.record().files)
        text += "\n" + file.path + " " + std::to_string(file.bytes) + " " + std::to_string(file.modified_ns);
    return sha256_hex(text.data(), text.size()).substr(0, 32);
}

void keep_bounded(const fs::path& folder) {
    struct Kept {
        fs::path path;
        fs::file_time_type used;
        std::uintmax_t bytes;
    };
    std::vector<Kept> files;
    std::error_code code;
    for (const auto& entry : entries_of(folder, code))
        if (entry.path().extension() == ".mkv")
            files.push_back({entry.path(), entry.last_write_time(code), entry.file_size(code)});
    std::sort(files.begin(), files.end(), [](const Kept& a, const Kept& b) { return a.used > b.used; });
    std::uintmax_t bytes = 0;
    for (std::size_t i = 0; i < files.size(); ++i) {
        bytes += files[i].bytes;
        if (bytes > folder_bound && i >= most_in_use) fs::remove(files[i].path, code);
    }
}

} // namespace

bool has_exact_clip(const QString& folder) try {
    const RunFolder run = RunFolder::open(to_path(folder));
    const int last = run.record().total_steps;
    return run.record().find(last) && run.has_step_tensor(last, "latent");
} catch (const Error&) {
    return false;
}

QString exact_clip(const QString& folder, std::stop_token stop, const ProgressCall& progress) {
    const RunFolder run = RunFolder::open(to_path(folder));
    const StepRecord* last = run.record().find(run.record().total_steps);
    if (!last)
        throw Error(folder.toStdString(), "latents", "the run is not finished", "resume it, or compare its drafts");
    const fs::path place = made_folder(cache_folder() / "decoded");
    const fs::path file = place / (key_of(run, *last) + ".mkv");
    std::error_code code;
    if (!fs::exists(file, code)) {
        Progress observer(progress);
        const int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / 2);
        decode_run(to_path(folder), std::nullopt, file, threads, observer, std::move(stop));
    }
    fs::last_write_time(file, fs::file_time_type::clock::now(), code);
    keep_bounded(place);
    return to_qstring(file);
}

} // namespace denoir::app
