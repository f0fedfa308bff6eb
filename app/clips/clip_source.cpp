// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/clips/clip_source.h"

#include <QCoreApplication>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "app/base/text.h"
#include "app/clips/clip_kind.h"
#include "engine/core/file.h"
#include "engine/core/json.h"
#include "engine/media/frames.h"
#include "engine/media/indexed_video.h"
#include "engine/media/sample_kind.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/request_json.h"
#include "engine/session/run_folder.h"

namespace denoir::app {
namespace fs = std::filesystem;
namespace {

constexpr double usual_fps = 24;

void even_times(ClipInfo& info) {
    info.times.clear();
    for (int n = 0; n < info.frames; ++n) info.times.push_back(info.fps > 0 ? n / info.fps : 0);
    info.duration = info.fps > 0 ? info.frames / info.fps : 0;
}

QStringList unread(const SampleKind& kind) {
    QStringList out;
    for (const std::string& part : unread_parts(kind)) out << to_qstring(part);
    return out;
}

/// The kind of samples as it is reported: for an HDR video without its bits, as ClipInfo::hdr says enough.
SampleKind told_kind(const VideoInfo& video) {
    SampleKind kind = video.kind;
    if (!video.hdr.empty()) kind.bits = 8;
    return kind;
}

/// Marks a clip as the run's: with its name and its request, which the video lacks if it was made with --no-metadata.
void belong_to(ClipInfo& info, const RunFolder& run) {
    const RunRecord& record = run.record();
    info.run = to_qstring(run.path());
    info.request = to_qstring(to_json(record.request).dump());
    info.name = to_qstring(record.request.prompt).simplified();
    if (info.name.isEmpty()) info.name = to_qstring(run.path().filename());
    if (record.request.seed)
        info.name +=
            QStringLiteral(" · ") + QCoreApplication::translate("ClipSource", "seed %1").arg(*record.request.seed);
}

/// The run that a video belongs to: the folder that it lies in, or the one beside it with the same name. Empty if
/// neither is a run.
std::optional<RunFolder> run_of(const fs::path& video) {
    std::error_code ignored;
    const fs::path beside = video.parent_path() / video.stem();
    try {
        if (const auto folder = run_of_video(video)) return RunFolder::open(*folder);
        if (is_run_folder(beside)) {
            RunFolder run = RunFolder::open(beside);
            if (fs::equivalent(run.record().out, video, ignored)) return run;
        }
    } catch (const Error&) { // the record cannot be read, but the video can
    }
    return {};
}

/// What to do about a damaged video: that of a run can be made again. For any other, and for one that must not be
/// opened, the hint of the error stays.
std::string remedy(const fs::path& video, const Error& error) {
    std::error_code none;
    const auto folder = run_of_video(video);
    if (!folder || !fs::is_regular_file(video, none) || !std::ifstream(video)) return error.hint();
    try {
        const RunFolder run = RunFolder::open(*folder);
        if (const auto& steps = run.record().steps;
            !steps.empty() && fs::is_regular_file(run.latents_file(steps.back().step), none))
            return "pick the run's last step and keep its draft: it is decoded again";
        return "make the run again";
    } catch (const Error&) { // the run cannot be read either
        return error.hint();
    }
}

/// Whether a file holds something that neither begins like a video nor like a picture.
bool is_of_another_kind(const fs::path& file) {
    try {
        std::error_code none;
        return fs::is_regular_file(file, none) && fs::file_size(file) > 0 && !run_of_video(file) && !is_picture(file) &&
               !holds_metadata(file);
    } catch (const std::exception&) { // it cannot be read, as the error says already
        return false;
    }
}

class VideoSource : public ClipSource {
public:
    VideoSource(const fs::path& path, std::stop_token stop) : video_(path, {}, std::move(stop)) {
        const VideoInfo& v = video_.info();
        info_.kind = ClipInfo::Kind::video;
        info_.path = to_qstring(path);
        info_.name = to_qstring(path.filename());
        info_.frames = video_.frames();
        info_.size = {v.width, v.height};
        info_.stated_fps = std::max(0.0, v.fps.value());
        info_.fps = info_.stated_fps > 0 ? info_.stated_fps : usual_fps;
        info_.times = video_.times();
        info_.duration = v.duration > 0 ? v.duration : info_.frames / info_.fps;
        if (v.comment.starts_with('{')) info_.request = to_qstring(v.comment);
        info_.hdr = to_qstring(v.hdr);
        info_.unread = unread(told_kind(v));
        info_.exact = v.codec == "ffv1" || v.codec == "huffyuv" || v.codec == "ffvhuff" || v.codec == "utvideo" ||
                      v.codec == "rawvideo";
        if (const auto run = run_of(path)) belong_to(info_, *run);
    }
    Image read(int frame) override {
        Image image;
        video_.read(frame, image);
        return image;
    }
    int begin_of(int frame) const override { return video_.keyframe_before(frame); }

private:
    IndexedVideo video_;
};

/// The video of a run.
class RunSource : public ClipSource {
public:
    RunSource(const fs::path& folder, std::stop_token stop) {
        const RunFolder run = RunFolder::open(folder);
        const RunRecord& record = run.record();
        std::error_code ignored;
        fs::path video = run.file(run_file::video);
        if (!fs::exists(video, ignored)) video = record.out;
        if (!fs::exists(video, ignored))
            throw Error(folder.string(), "", no_video_yet, "resume it, or decode one of its steps");
        inner_ = open_clip(to_qstring(video), std::move(stop));
        info_ = inner_->info();
        info_.kind = ClipInfo::Kind::run;
        info_.path = to_qstring(folder);
        info_.video = to_qstring(video);
        belong_to(info_, run);
    }
    Image read(int frame) override { return inner_->read(frame); }
    int begin_of(int frame) const override { return inner_->begin_of(frame); }

private:
    std::unique_ptr<ClipSource> inner_;
};

class FolderSource : public ClipSource {
public:
    explicit FolderSource(const fs::path& folder) : files_(frame_files(folder)) {
        if (files_.empty())
            throw Error(folder.string(), "", "holds no pictures", "choose a folder of frames, a run or a video");
        const ImageInfo first = image_info(files_.front());
        info_.kind = ClipInfo::Kind::folder;
        info_.path = to_qstring(folder);
        info_.name = to_qstring(folder.has_filename() ? folder.filename() : folder.parent_path().filename());
        info_.frames = static_cast<int>(std::min<std::size_t>(files_.size(), 1 << 20));
        info_.size = {first.width, first.height};
        info_.request = to_qstring(read_request_metadata(files_.front()));
        info_.fps = rate_of(info_.request, usual_fps);
        const SampleKind kind = sample_kind(files_.front());
        info_.exact = !kind.lossy;
        info_.unread = unread(kind);
        even_times(info_);
    }
    Image read(int frame) override {
        const fs::path& file = files_[static_cast<std::size_t>(frame)];
        Image image = read_image(file);
        if (image.width != info_.size.width() || image.height != info_.size.height())
            throw Error(file.string(), "",
                        "is " + std::to_string(image.width) + " x " + std::to_string(image.height) +
                            ", the first frame is " + std::to_string(info_.size.width()) + " x " +
                            std::to_string(info_.size.height()),
                        "keep frames of one size in a folder");
        return image;
    }

private:
    std::vector<fs::path> files_;
};

class StillSource : public ClipSource {
public:
    explicit StillSource(const fs::path& path) : picture_(read_image(path)) {
        info_.kind = ClipInfo::Kind::still;
        info_.path = to_qstring(path);
        info_.name = to_qstring(path.filename());
        info_.frames = 1;
        info_.size = {picture_.width, picture_.height};
        info_.request = to_qstring(read_request_metadata(path));
        const SampleKind kind = sample_kind(path);
        info_.exact = !kind.lossy;
        info_.unread = unread(kind);
        even_times(info_);
    }
    Image read(int) override { return picture_; }

private:
    Image picture_;
};

} // namespace

double rate_of(const QString& request, double otherwise) {
    Json json;
    try {
        json = parse_json(request.toStdString(), "request");
    } catch (const Error&) {
        return otherwise;
    }
    if (!json.is_object()) return otherwise;
    const auto fps = json.find("fps");
    if (fps == json.end() || !fps->is_number()) return otherwise;
    const double value = fps->get<double>();
    return value >= 0.1 && value <= 1000 ? value : otherwise;
}

int ClipInfo::frame_at(double seconds) const {
    if (times.empty()) return 0;
    // A little tolerance, so that n / fps gives frame n.
    const auto after = std::upper_bound(times.begin(), times.end(), seconds + 1e-6);
    return std::max(0, static_cast<int>(after - times.begin()) - 1);
}

Error with_remedy(const fs::path& video, const Error& error) {
    if (is_of_another_kind(video)) // nobody has said that it is to be a video
        return {error.file(), error.field(), "is neither a picture nor a video that can be read",
                "choose a picture such as PNG or JPEG, or a video such as MP4"};
    return {error.file(), error.field(), error.message(), remedy(video, error)};
}

std::unique_ptr<ClipSource> open_clip(const QString& name, std::stop_token stop) {
    const fs::path path = to_path(name);
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
        if (is_run_folder(path)) return std::make_unique<RunSource>(path, std::move(stop));
        return std::make_unique<FolderSource>(path);
    }
    if (clip_kind(name) == ClipKind::still) return std::make_unique<StillSource>(path);
    try {
        return std::make_unique<VideoSource>(path, std::move(stop));
    } catch (const Error& error) {
        const bool named_as_still = is_frame_name(path) && lower_extension(path) != ".gif"; // a GIF may move
        if (!named_as_still) throw with_remedy(path, error);
    }
    return std::make_unique<StillSource>(path); // or throws what is wrong with it as a picture
}

QImage to_qimage(const Image& image) {
    QImage out(image.width, image.height, QImage::Format_RGB32);
    if (out.isNull()) throw std::bad_alloc();
    for (int y = 0; y < image.height; ++y) {
        const std::uint8_t* from = image.row(y);
        auto* to = reinterpret_cast<QRgb*>(out.scanLine(y));
        for (int x = 0; x < image.width; ++x, from += 3) to[x] = qRgb(from[0], from[1], from[2]);
    }
    return out;
}

Image to_image(const QImage& picture) {
    const QImage rgb =
        picture.format() == QImage::Format_RGB32 ? picture : picture.convertToFormat(QImage::Format_RGB32);
    Image out(rgb.width(), rgb.height());
    for (int y = 0; y < out.height; ++y) {
        const auto* from = reinterpret_cast<const QRgb*>(rgb.constScanLine(y));
        std::uint8_t* to = out.row(y);
        for (int x = 0; x < out.width; ++x, to += 3) {
            to[0] = static_cast<std::uint8_t>(qRed(from[x]));
            to[1] = static_cast<std::uint8_t>(qGreen(from[x]));
            to[2] = static_cast<std::uint8_t>(qBlue(from[x]));
        }
    }
    return out;
}

} // namespace denoir::app
