// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>
#include <QObject>
#include <memory>

namespace denoir::app {

/// Small pictures of runs and shots, read on a thread of their own and kept in memory up to a limit. No call blocks.
class Thumbnails : public QObject {
    Q_OBJECT
public:
    explicit Thumbnails(qint64 bound_bytes = 128 << 20, QObject* parent = nullptr);
    ~Thumbnails() override;
    /// A picture file (thumbnail.png), at most `side` pixels on its longer side. Null if it is not read yet; then
    /// ready() follows, unless it cannot be read.
    QImage picture(const QString& file, int side);
    /// The same for a frame of a video or of a folder of frames; a picture has one for all.
    QImage frame(const QString& video, int frame, int side);
    /// The same for the middle frame of a run's newest step, for a run without a picture of its own. `steps` is how
    /// many it has, at least 1; with another number, the picture is read again.
    QImage step(const QString& run, int steps, int side);
    /// Forgets what was read of a file, or of a run's steps.
    void forget(const QString& file);

signals:
    void ready(const QString& file); ///< a picture of this file was read

private:
    struct State;
    QImage find(const QString& file, int frame, int side);
    std::unique_ptr<State> state_;
};

} // namespace denoir::app
