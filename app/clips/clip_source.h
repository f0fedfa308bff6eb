// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>
#include <QMetaType>
#include <QSize>
#include <QString>
#include <QStringList>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "engine/core/error.h"
#include "engine/media/image.h"

namespace denoir::app {

/// What is known of something that can be shown frame by frame.
struct ClipInfo {
    enum class Kind { video, folder, run, still };
    Kind kind = Kind::video;
    QString path; ///< what was opened
    QString name; ///< for labels: file or folder name, or a run's prompt
    int frames = 0;
    QSize size;                ///< pixels
    double fps = 0;            ///< mean rate; 0: a still picture
    double stated_fps = 0;     ///< what its file or run says; 0: nothing does, and fps is a guess
    std::vector<double> times; ///< seconds from the first frame's beginning to each frame's, ascending
    double duration = 0;       ///< seconds, the last frame's own included; 0 for a still picture
    QString run;               ///< the run folder it belongs to; empty: none
    QString video;             ///< of a run: the file its frames are read from; else empty
    QString request;           ///< the request that made it, JSON; empty: not made by Denoir
    QString hdr;               ///< of an HDR video its curve (VideoInfo::hdr), read as if it were SDR's; else empty
    QStringList unread;        ///< what its file holds and reading leaves out, as unread_parts() tells it; mostly none
    bool exact = false;        ///< frames as they were stored, with no lossy codec in between

    /// The frame shown at this time, 0 … frames - 1.
    int frame_at(double seconds) const;
};

/// Frames of one video, frame folder, run folder or picture. For one thread at a time.
class ClipSource {
public:
    virtual ~ClipSource() = default;
    const ClipInfo& info() const { return info_; }
    /// Throws Error.
    virtual Image read(int frame) = 0;
    /// Where decoding of this frame has to begin: reading onwards from there is quicker than backwards.
    virtual int begin_of(int frame) const { return frame; }

protected:
    ClipInfo info_;
};

/// From this frame on, decoding all before it costs more than finding one's way in the video.
inline constexpr int far_in = 250;

/// What is wrong with a run that is waited for.
inline constexpr const char no_video_yet[] = "this run has no video yet";

/// By content: a video, a picture, a folder of pictures in natural order, a run folder (its video). The video in a
/// run's folder, or beside it under its name, belongs to the run. `stop` ends opening, which may take long for some
/// videos, and reading. Throws Error, Cancelled.
std::unique_ptr<ClipSource> open_clip(const QString& path, std::stop_token stop = {});
/// The error of a video that cannot be read, with what to do about it: a run's own can be made again.
Error with_remedy(const std::filesystem::path& video, const Error& error);
/// The same for whoever opens it later, on a thread of theirs.
using ClipOpener = std::function<std::unique_ptr<ClipSource>(std::stop_token)>;

/// The rate that a stored request (JSON) names; `otherwise` where it names none. The text may come from anyone.
double rate_of(const QString& request, double otherwise);

/// RGB32, and back: no value changes.
QImage to_qimage(const Image& image);
Image to_image(const QImage& image);

} // namespace denoir::app

Q_DECLARE_METATYPE(denoir::app::ClipInfo)
