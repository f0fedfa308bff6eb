// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <optional>
#include <stop_token>

namespace denoir::app {

/// One of the things that a shot may show: a run, or a video, a folder of frames or a picture from elsewhere.
struct Take {
    enum class Kind { video, frames, still };
    static constexpr int longest_still = 1'000'000; ///< frames
    static constexpr double least_fps = 0.01, most_fps = 1000;
    Kind kind = Kind::video;
    QString id;      ///< unique in the project, which assigns it
    QString run;     ///< run folder; empty if it is from elsewhere
    QString video;   ///< the video file, the folder of frames, or the picture
    QString name;    ///< to be shown; may be empty
    int frames = 0;  ///< number of pictures, >= 1; 1 for a still
    double fps = 24; ///< for a still, the rate in which a shot's length is counted
    int width = 0, height = 0;
    std::optional<int> part; ///< for a part that was made again: where its first frame lies in the whole take
    bool still() const { return kind == Kind::still; }
    /// The most frames of a shot of it.
    int most() const { return still() ? longest_still : frames; }
    /// The picture that is shown for a frame of the take; a still has one for all.
    int picture(int frame) const { return still() ? 0 : frame; }
    /// The frames of a new shot of it: all, or for a still two seconds.
    int usual() const;
    friend bool operator==(const Take&, const Take&) = default;
};

// Takes of files and folders. Each throws Error, or Cancelled if `stop` ends it.
/// The video of a run folder. An error if it has none (yet).
Take take_of_run(const QString& run, const std::stop_token& stop = {});
/// A video. Reads its headers or, if these do not say how long it is, all of it.
Take take_of_video(const QString& video, const std::stop_token& stop = {});
/// A folder of pictures, in natural order, at the rate that Denoir wrote into the first one, or at `fps`.
Take take_of_frames(const QString& folder, double fps, const std::stop_token& stop = {});
/// A picture, whose length is counted in frames of `fps`. Reads its headers.
Take take_of_picture(const QString& picture, double fps);
/// Any of these, by the content of `path` (a GIF that does not move is a picture).
Take take_of(const QString& path, double fps, const std::stop_token& stop = {});

} // namespace denoir::app
