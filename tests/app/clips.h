// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>
#include <QTest>

#include "app/base/text.h"
#include "app/clips/frame_cache.h"
#include "engine/media/video_reader.h"
#include "engine/media/video_writer.h"
#include "engine/session/render.h"

namespace denoir::app {

/// A soft gradient that moves with `frame`, so that all frames differ.
inline Image moving_picture(int width, int height, int frame, int phase = 0) {
    Image image(width, height);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            std::uint8_t* p = image.row(y) + 3 * x;
            const bool inside =
                std::abs(x - (5 * frame + phase) % width) < width / 8 && std::abs(y - height / 2) < height / 4;
            p[0] = static_cast<std::uint8_t>(inside ? 230 : 60 + 100 * x / width);
            p[1] = static_cast<std::uint8_t>(inside ? 90 : 40 + 120 * y / height);
            p[2] = static_cast<std::uint8_t>((80 + 7 * frame + phase) % 256);
        }
    return image;
}

inline void write_clip(const QString& path, int width, int height, int frames, int phase = 0,
                       const std::string& metadata = {}) {
    VideoOptions o;
    o.width = width;
    o.height = height;
    o.metadata_json = metadata;
    VideoWriter writer(to_path(path), o);
    for (int i = 0; i < frames; ++i) writer.write(moving_picture(width, height, i, phase));
    writer.finish();
}

inline std::vector<Image> frames_in_turn(const QString& path) {
    VideoReader reader(to_path(path));
    std::vector<Image> frames;
    for (Image image; reader.read(image);) frames.push_back(image);
    return frames;
}

/// Renders into the folder and puts the video beside it.
inline QString rendered(const Request& r, const QString& folder) {
    RenderOptions options;
    options.out = to_path(folder + QStringLiteral(".mp4"));
    options.run_dir = to_path(folder);
    Observer observer;
    Engine engine(Residency::Span::run);
    render(r, options, engine, observer, {});
    return folder;
}

/// A finished run of the tiny model.
inline QString tiny_run(const QString& folder, int steps = 3, quint64 seed = 7) {
    Request r;
    r.model = DENOIR_TINY_MODEL;
    r.prompt = "a red balloon";
    r.width = 64;
    r.height = 48;
    r.frames = 9;
    r.steps = steps;
    r.seed = seed;
    r.threads = 1;
    return rendered(r, folder);
}

inline bool wait_open(const Clip& clip) {
    return QTest::qWaitFor([&] { return clip.state() != Clip::State::opening; }, 20000) &&
           clip.state() == Clip::State::ready;
}

/// The frame, once it is there.
inline Image frame_of(Clip& clip, int n) {
    clip.want(n, 1);
    if (!QTest::qWaitFor([&] { return clip.is_cached(n); }, 20000)) return {};
    return to_image(clip.cached(n));
}

} // namespace denoir::app
