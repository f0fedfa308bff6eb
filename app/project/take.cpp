// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/project/take.h"

#include <QFileInfo>
#include <algorithm>
#include <cmath>

#include "app/base/text.h"
#include "app/clips/clip_source.h"
#include "engine/media/indexed_video.h"
#include "engine/media/video_reader.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/run_folder.h"

namespace denoir::app {
namespace fs = std::filesystem;

int Take::usual() const { return still() ? std::clamp(int(std::lround(2 * fps)), 1, longest_still) : frames; }

Take take_of_run(const QString& run, const std::stop_token& stop) {
    const RunFolder folder = RunFolder::open(to_path(run));
    const fs::path video = folder.file(run_file::video);
    std::error_code code;
    if (!fs::is_regular_file(video, code))
        throw Error(run.toStdString(), {}, no_video_yet, "wait for it, or resume it");
    Take take = take_of_video(to_qstring(video), stop);
    take.run = to_qstring(folder.path());
    take.name = shortened(to_qstring(folder.record().request.prompt).simplified(), 80);
    return take;
}

Take take_of_video(const QString& video, const std::stop_token& stop) try {
    const VideoInfo info = VideoReader(to_path(video)).info();
    Take take;
    take.video = QFileInfo(video).absoluteFilePath();
    take.name = QFileInfo(video).completeBaseName();
    take.width = info.width;
    take.height = info.height;
    take.fps = info.fps.value() > 0 ? std::clamp(info.fps.value(), Take::least_fps, Take::most_fps) : 24;
    const bool stated = info.frames && *info.frames > 0 && *info.frames < 100'000'000;
    take.frames = stated ? int(*info.frames) : IndexedVideo(to_path(video), {}, stop).frames();
    if (take.frames < 1) throw Error(video.toStdString(), {}, "holds no pictures", "choose another video");
    return take;
} catch (const Error& error) {
    throw with_remedy(to_path(video), error);
}

Take take_of_frames(const QString& folder, double fps, const std::stop_token& stop) {
    const ClipInfo info = open_clip(folder, stop)->info();
    if (info.kind != ClipInfo::Kind::folder)
        throw Error(folder.toStdString(), {}, "is no folder of frames", "choose a folder of frames, a run or a video");
    Take take;
    take.kind = Take::Kind::frames;
    take.video = QFileInfo(folder).absoluteFilePath();
    take.name = info.name;
    take.width = info.size.width();
    take.height = info.size.height();
    take.frames = info.frames;
    take.fps = std::clamp(rate_of(info.request, fps), Take::least_fps, Take::most_fps);
    return take;
}

Take take_of_picture(const QString& picture, double fps) {
    const ImageInfo info = image_info(to_path(picture));
    Take take;
    take.kind = Take::Kind::still;
    take.video = QFileInfo(picture).absoluteFilePath();
    take.name = QFileInfo(picture).completeBaseName();
    take.width = info.width;
    take.height = info.height;
    take.frames = 1;
    take.fps = std::clamp(fps, Take::least_fps, Take::most_fps);
    return take;
}

Take take_of(const QString& path, double fps, const std::stop_token& stop) {
    const QFileInfo info(path);
    if (info.isDir()) return is_run_folder(to_path(path)) ? take_of_run(path, stop) : take_of_frames(path, fps, stop);
    if (is_picture(to_path(path))) return take_of_picture(path, fps);
    const Take take = take_of_video(path, stop);
    if (take.frames > 1) return take;
    try {
        return take_of_picture(path, fps);
    } catch (const Error&) {
        return take; // a video of one frame
    }
}

} // namespace denoir::app
