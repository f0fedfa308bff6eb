// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/project/cut_exporter.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/base/pace.h"
#include "app/base/text.h"
#include "app/clips/clip_source.h"
#include "app/clips/exact_clip.h"
#include "engine/media/indexed_video.h"
#include "engine/media/resize.h"
#include "engine/media/video_reader.h"
#include "engine/media/video_writer.h"
#include "engine/session/frame_output.h"

namespace denoir::app {
namespace fs = std::filesystem;
namespace {

/// `image`, scaled to fit and centred on black.
Image fitted(const Image& image, int width, int height) {
    if (image.width == width && image.height == height) return image;
    const double scale = std::min(double(width) / image.width, double(height) / image.height);
    const int w = std::clamp(int(std::lround(image.width * scale)), 1, width),
              h = std::clamp(int(std::lround(image.height * scale)), 1, height);
    const Image small = resize_pil(image, w, h, Filter::bicubic);
    Image out(width, height);
    const int left = (width - w) / 2, top = (height - h) / 2;
    for (int y = 0; y < h; ++y) std::copy_n(small.row(y), 3 * w, out.row(top + y) + 3 * left);
    return out;
}

/// Reads the frames of a shot in order; a frame may be read several times.
class ShotReader {
public:
    /// `file` holds the frames of the take: its own file or folder, or a video decoded from the latents.
    ShotReader(const Shot& shot, const fs::path& file, const std::stop_token& stop) : shot_(shot) {
        if (shot.current().kind != Take::Kind::video)
            pictures_ = open_clip(to_qstring(file), stop);
        else if (shot.in < far_in)
            in_turn_.emplace(file);
        else
            indexed_.emplace(file, MediaLimits{}, stop);
    }
    const Image& frame(int index) {
        if (pictures_) {
            index = std::min(shot_.current().picture(index), pictures_->info().frames - 1);
            if (index != at_) image_ = pictures_->read(index);
            at_ = index;
            return image_;
        }
        if (indexed_) {
            index = std::min(index, indexed_->frames() - 1); // if the file became shorter, its last picture stays
            if (index != at_) indexed_->read(index, image_);
            at_ = index;
            return image_;
        }
        while (at_ < index) {
            if (!in_turn_->read(image_)) {
                if (at_ >= 0) break; // the file became shorter, so its last picture stays
                throw Error(shot_.current().video.toStdString(), {}, "holds no pictures", "choose another take");
            }
            ++at_;
        }
        return image_;
    }

private:
    const Shot& shot_;
    std::unique_ptr<ClipSource> pictures_; ///< for a folder of frames or a still
    std::optional<VideoReader> in_turn_;
    std::optional<IndexedVideo> indexed_;
    Image image_;
    int at_ = -1;
};

std::int64_t frames_at(const Shot& shot, double fps) { return std::max(1ll, std::llround(shot.seconds() * fps)); }

} // namespace

bool CutExporter::start(const std::vector<Shot>& shots, const QString& out) {
    return Exporter::start(
        out, [=, this](const WorkCall& tell, const std::stop_token& stop) { write(shots, to_path(out), tell, stop); });
}

void CutExporter::write(const std::vector<Shot>& shots, const fs::path& out, const WorkCall& tell,
                        const std::stop_token& stop) {
    if (shots.empty()) throw Error({}, {}, "the cut holds no shots", "put a run on the timeline first");
    const auto [width, height, fps] = format_of(shots);
    std::vector<fs::path> inputs;
    std::int64_t total = 0;
    for (const Shot& shot : shots) {
        inputs.push_back(to_path(shot.current().video));
        total += frames_at(shot, fps);
    }
    VideoOptions options;
    options.width = width, options.height = height;
    options.fps = frame_rate(fps);
    options.odd_size = VideoOptions::OddSize::pad;
    FrameOutput output(out, check_output(out, inputs), options);
    std::int64_t done = 0;
    for (std::size_t n = 0; n < shots.size(); ++n) {
        const Shot& shot = shots[n];
        ShotReader reader(shot, source_of(shot.current(), int(n) + 1, int(shots.size()), stop), stop);
        const int count = int(frames_at(shot, fps));
        Image picture;
        for (int i = 0, shown = -1; i < count; ++i) {
            if (stop.stop_requested()) throw Cancelled();
            const int source = std::clamp(shot.in + int((i + 0.5) / fps * shot.current().fps), shot.in, shot.out - 1);
            if (const int wanted = shot.current().picture(source); wanted != shown) {
                picture = fitted(reader.frame(wanted), width, height);
                shown = wanted;
            }
            output.write(picture);
            tell("exporting", double(++done), double(total));
        }
    }
    output.finish();
}

/// The file to read a take from: decoded from its run's latents if it has them, or the take's own.
fs::path CutExporter::source_of(const Take& take, int shot, int shots, const std::stop_token& stop) {
    if (!take.run.isEmpty() && has_exact_clip(take.run)) {
        Pace pace;
        try {
            return to_path(exact_clip(take.run, stop, [&](double done, double total) {
                if (pace.is_due()) emit decoding(shot, shots, int(done), int(total));
            }));
        } catch (const Error& error) { // the model may be gone, but the video is still there
            emit noticed(Issue::from(error).line());
        }
    }
    return to_path(take.video);
}

} // namespace denoir::app
