// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <optional>
#include <stop_token>

namespace denoir::app {

/// One result that a shot may show: a run, or a video, a folder of frames or a picture from elsewhere.
struct Take {
    enum class Kind { video, frames, still };
    static constexpr int longest_still = 1'000'000; ///< frames
    static constexpr double least_fps = 0.01, most_fps = 1000;
    Kind kind = Kind::video;
    QString id;      ///< unique in the project; given by it
    QString run;     ///< run folder; empty: from elsewhere
    QString video;   ///< file; of frames: their folder; of a still: the picture
    QString name;    ///< shown; may be empty
    int frames = 0;  ///< pictures that there are, >= 1; of a still: 1
    double fps = 24; ///< of a still: what a shot's length is counted in
    int width = 0, height = 0;
    std::optional<int> part; ///< of a part that was made again: where its first frame lies in a whole take. Else empty
    bool still() const { return kind == Kind::still; }
    /// How long a shot of it can be, frames.
    int most() const { return still() ? longest_still : frames; }
    /// The picture that is shown for this frame of a shot: a still has one for all.
    int picture(int frame) const { return still() ? 0 : frame; }
    /// Frames that a shot of it begins with: all; of a still two seconds.
    int usual() const;
    friend bool operator==(const Take&, const Take&) = default;
};

// Takes of what there is. Each throws Error, or Cancelled where `stop` ends it.
/// A run folder: its video and sizes. Refused where it has none (yet).
Take take_of_run(const QString& run, const std::stop_token& stop = {});
/// A video. Reads its headers; where they do not tell its length, all of it is gone through.
Take take_of_video(const QString& video, const std::stop_token& stop = {});
/// A folder of pictures, in natural order: at the rate that Denoir wrote into the first one, else at `fps`.
Take take_of_frames(const QString& folder, double fps, const std::stop_token& stop = {});
/// A picture, its length counted in frames of `fps`. Reads its headers.
Take take_of_picture(const QString& picture, double fps);
/// Whatever `path` is, by content (a GIF that does not move is a picture).
Take take_of(const QString& path, double fps, const std::stop_token& stop = {});

} // namespace denoir::app
