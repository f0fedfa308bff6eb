// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/source.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "engine/compare/pairing.h"
#include "engine/compare/spool.h"
#include "engine/media/frames.h"
#include "engine/media/indexed_video.h"
#include "engine/media/video_reader.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/carried_request.h"
#include "engine/session/decode_run.h"
#include "engine/session/request_json.h"
#include "engine/session/sweep_folder.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

constexpr double least_fps = 1e-6, most_fps = 1e5; ///< a frame in twelve days; the fastest cameras
constexpr std::int64_t most_frames = std::int64_t{1} << 32;

Json stored_request(const fs::path& picture) {
    try {
        return request_in(read_request_metadata(picture), picture.string());
    } catch (const Error&) {
        return {};
    }
}

class VideoSource : public FrameSource {
public:
    VideoSource(const fs::path& path, std::stop_token stop)
        : path_(path), stop_(std::move(stop)), reader_(std::make_unique<VideoReader>(path)) {
        const VideoInfo& video = reader_->info();
        info_.path = path;
        info_.width = video.width;
        info_.height = video.height;
        // A file may claim any rate and length: impossible ones count as unknown.
        const double fps = video.fps.num > 0 && video.fps.den > 0 ? video.fps.value() : 0;
        if (fps >= least_fps && fps <= most_fps) info_.fps = fps;
        if (video.frames && *video.frames >= 0 && *video.frames <= most_frames) info_.frames = video.frames;
        info_.detail = fmt::format("{} in {}", video.codec, video.container);
        info_.warnings = reading_warnings(video);
        info_.request = request_in(video.comment, path.string());
    }
    bool read(SourceFrame& frame) override {
        at_start_ = false;
        return reader_->read(frame.image);
    }
    void rewind() override {
        if (at_start_) return;
        reader_ = std::make_unique<VideoReader>(path_);
        at_start_ = true;
    }
    const std::vector<double>& times() override {
        if (times_) return *times_;
        times_.emplace();
        MediaLimits limits;
        limits.packet_bytes = 0; // only times are read: no packet need be kept
        try {
            std::vector<double> found = IndexedVideo(path_, limits, stop_).times();
            if (!come_evenly(found, info_.fps)) *times_ = std::move(found);
        } catch (const Error&) { // the stated rate will do; damage is reported when its frame is read
        }
        return *times_;
    }

private:
    fs::path path_;
    std::stop_token stop_;
    std::unique_ptr<VideoReader> reader_;
    std::optional<std::vector<double>> times_;
    bool at_start_ = true;
};

/// A picture, or the pictures of a folder.
class PictureSource : public FrameSource {
public:
    PictureSource(const fs::path& path, std::vector<fs::path> files, SourceInfo::Kind kind) : files_(std::move(files)) {
        const ImageInfo first = image_info(files_.front());
        info_.kind = kind;
        info_.path = path;
        info_.width = first.width;
        info_.height = first.height;
        info_.frames = std::int64_t(files_.size());
        info_.detail = kind == SourceInfo::Kind::picture ? first.format : first.format + " files";
        info_.request = stored_request(files_.front());
        info_.warnings = unread_parts(sample_kind(files_.front()));
    }
    bool read(SourceFrame& frame) override {
        if (next_ == files_.size()) return false;
        const fs::path& file = files_[next_++];
        frame.image = read_image(file);
        if (frame.image.width != info_.width || frame.image.height != info_.height)
            throw Error(file.string(), "size",
                        fmt::format("is {}x{}, but the first picture of its folder is {}x{}", frame.image.width,
                                    frame.image.height, info_.width, info_.height),
                        "leave only frames of one video there");
        return true;
    }
    void rewind() override { next_ = 0; }

private:
    std::vector<fs::path> files_;
    std::size_t next_ = 0;
};

/// A run's latents, decoded once into a spool.
class RunSource : public FrameSource {
public:
    RunSource(const fs::path& path, const SourceOptions& options, Observer& observer, std::stop_token stop)
        : floats_(options.depth == SourceDepth::floats) {
        const RunFolder run = RunFolder::open(path);
        const Request& r = run.record().request;
        const int step = decode_frames(
            run, options.step, options.threads, [&](int, const Tensor& frame) { keep(frame); }, observer,
            std::move(stop));
        info_.kind = SourceInfo::Kind::run;
        info_.path = path;
        info_.fps = r.fps.value_or(0);
        info_.frames = count_;
        info_.detail = fmt::format("step {} of {}, decoded from its latents", step, run.record().total_steps);
        info_.request = to_json(r);
    }
    bool read(SourceFrame& frame) override {
        if (next_ == count_) return false;
        const std::uint64_t offset = std::uint64_t(next_++) * frame_bytes();
        if (frame.image.width != info_.width || frame.image.height != info_.height)
            frame.image = Image(info_.width, info_.height);
        spool_.read(offset, frame.image.rgb.data(), samples());
        if (floats_) {
            if (!frame.values) frame.values = Tensor::host({3, info_.height, info_.width});
            spool_.read(offset + samples(), frame.values.raw(), samples() * sizeof(float));
        }
        return true;
    }
    void rewind() override { next_ = 0; }

private:
    std::size_t samples() const { return 3 * std::size_t(info_.width) * std::size_t(info_.height); }
    std::size_t frame_bytes() const { return samples() * (floats_ ? 1 + sizeof(float) : 1); }

    /// frame [3,H,W] in -1 … 1
    void keep(const Tensor& frame) {
        info_.width = int(frame.size(2));
        info_.height = int(frame.size(1));
        const Image image = to_image(frame.unsqueeze(1), 0);
        spool_.append(image.rgb.data(), samples());
        if (floats_) {
            Tensor values = frame.to_host_f32();
            if (values.buffer() == frame.buffer()) values = Tensor::from(values.span<float>(), values.shape());
            for (float& v : values.span<float>()) {
                const float scaled = (v / 2 + 0.5f) * 255;
                v = scaled > 0 ? std::min(scaled, 255.0f) : 0; // NaN becomes 0, as in 8 bits
            }
            spool_.append(values.raw(), samples() * sizeof(float));
        }
        ++count_;
    }

    bool floats_;
    Spool spool_;
    std::int64_t count_ = 0, next_ = 0;
};

std::unique_ptr<FrameSource> open_folder(const fs::path& path, const SourceOptions& options, Observer& observer,
                                         std::stop_token stop) {
    if (is_run_folder(path)) return std::make_unique<RunSource>(path, options, observer, stop);
    if (is_sweep_folder(path)) // its grid.png would pass for a frame
        throw Error(path.string(), "", "is the folder of a sweep, which holds many clips",
                    "name one of those in its folder runs, or its grid.mp4");
    std::vector<fs::path> files = frame_files(path);
    if (files.empty())
        throw Error(path.string(), "", "holds neither a run nor pictures",
                    "name a video, a run folder or a folder of frames");
    return std::make_unique<PictureSource>(path, std::move(files), SourceInfo::Kind::frames);
}

std::unique_ptr<FrameSource> open_file(const fs::path& path, std::stop_token stop) {
    if (is_picture(path)) {
        image_info(path); // throws if something is wrong with it
        return std::make_unique<PictureSource>(path, std::vector{path}, SourceInfo::Kind::picture);
    }
    return std::make_unique<VideoSource>(path, std::move(stop));
}

} // namespace

std::string_view name(SourceInfo::Kind kind) {
    constexpr std::array<std::string_view, 4> names{"video", "picture", "frames", "run"};
    return names[std::size_t(kind)];
}

std::string display_name(const SourceInfo& source) {
    const fs::path& path = source.path;
    fs::path name = path.has_filename() ? path.filename() : path.parent_path().filename();
    // Every run's video has the same file name: the name of the run tells it from others.
    if (run_of_video(path)) name = path.parent_path().filename() / name;
    return printable((name.empty() || name == "." ? path : name).string(), 200);
}

std::unique_ptr<FrameSource> open_source(const fs::path& path, const SourceOptions& options, Observer& observer,
                                         std::stop_token stop) {
    if (path.empty()) throw UsageError("", "input", "is empty", "name a video, a run folder or a folder of frames");
    std::error_code code;
    auto source = fs::is_directory(path, code) ? open_folder(path, options, observer, stop) : open_file(path, stop);
    const bool run = source->info().kind == SourceInfo::Kind::run;
    if (options.step && !run)
        throw UsageError(path.string(), "step", "is not a run folder", "name a run, or leave the step out");
    if (options.depth == SourceDepth::floats && !run)
        throw UsageError(path.string(), "--depth", "is not a run, and has only 8 bits",
                         "compare two runs, or use --depth 8");
    return source;
}

} // namespace denoir
