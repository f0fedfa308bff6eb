// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>
#include <QObject>
#include <memory>

namespace denoir::app {

/// Small pictures of runs and shots, read on a thread of their own and kept in memory up to a bound. Asking never
/// blocks.
class Thumbnails : public QObject {
    Q_OBJECT
public:
    explicit Thumbnails(qint64 bound_bytes = 128 << 20, QObject* parent = nullptr);
    ~Thumbnails() override;
    /// A picture file (thumbnail.png) at most `side` pixels long; null: not there yet, ready() follows (or nothing,
    /// where it cannot be read).
    QImage picture(const QString& file, int side);
    /// Frame `frame` of a video or of a folder of frames; a picture has one for all.
    QImage frame(const QString& video, int frame, int side);
    /// The newest step of a run folder, of its middle frame, as far as it has become clear: for a run without a picture
    /// of its own. `steps`: how many it has, at least 1; what was read of fewer is not shown for more.
    QImage step(const QString& run, int steps, int side);
    /// Forgets what was read of this file, or of this run's steps.
    void forget(const QString& file);

signals:
    void ready(const QString& file); ///< ask again

private:
    struct State;
    QImage find(const QString& file, int frame, int side);
    std::unique_ptr<State> state_;
};

} // namespace denoir::app
