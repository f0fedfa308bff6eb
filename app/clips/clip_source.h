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

/// Describes something that can be shown frame by frame.
struct ClipInfo {
    enum class Kind { video, folder, run, still };
    Kind kind = Kind::video;
    QString path; ///< what was opened
    QString name; ///< for labels: file or folder name, or a run's prompt
    int frames = 0;
    QSize size;                ///< pixels
    double fps = 0;            ///< mean rate; 0 for a still picture
    double stated_fps = 0;     ///< the rate that its file or run states; 0 if none does, and fps is a guess
    std::vector<double> times; ///< when each frame begins, in seconds after the first one; ascending
    double duration = 0;       ///< seconds, including the last frame; 0 for a still picture
    QString run;               ///< the run folder it belongs to; empty if none
    QString video;             ///< for a run, the file that its frames are read from; else empty
    QString request;           ///< JSON of the request that made it; empty if Denoir did not
    QString hdr;               ///< curve of an HDR video (VideoInfo::hdr), which is read as if it were SDR; else empty
    QStringList unread;        ///< unread_parts(): what the file holds but is not read; mostly empty
    bool exact = false;        ///< no lossy codec lies between the frames and what was stored

    /// The frame shown at a time, 0 … frames - 1.
    int frame_at(double seconds) const;
};

/// Reads the frames of a video, frame folder, run folder or picture. For one thread at a time.
class ClipSource {
public:
    virtual ~ClipSource() = default;
    const ClipInfo& info() const { return info_; }
    /// Throws Error.
    virtual Image read(int frame) = 0;
    /// The frame at which decoding of this one has to begin: reading forwards from there is faster than backwards.
    virtual int begin_of(int frame) const { return frame; }

protected:
    ClipInfo info_;
};

/// To begin at this frame or a later one, indexing the video is faster than decoding all frames before.
inline constexpr int far_in = 250;

/// The message of the error for a run that has no video yet.
inline constexpr const char no_video_yet[] = "this run has no video yet";

/// Opens a video, a picture, a folder of pictures (in natural order) or a run folder (its video), recognised by
/// content. A video in a run's folder, or beside it with the same name, belongs to the run. `stop` ends opening, which
/// may take long for some videos, and reading. Throws Error, Cancelled.
std::unique_ptr<ClipSource> open_clip(const QString& path, std::stop_token stop = {});
/// `error` of a video that cannot be read, with what to do about it: that of a run can be made again. A file that is
/// neither a picture nor a video is called so, unless it lies in a run as its video.
Error with_remedy(const std::filesystem::path& video, const Error& error);
/// Opens a clip later, on another thread.
using ClipOpener = std::function<std::unique_ptr<ClipSource>(std::stop_token)>;

/// The rate in a stored request (JSON); `otherwise` if it has none or is damaged.
double rate_of(const QString& request, double otherwise);

// Conversion to RGB32 and back, which changes no value.
QImage to_qimage(const Image& image);
Image to_image(const QImage& image);

} // namespace denoir::app

Q_DECLARE_METATYPE(denoir::app::ClipInfo)
