// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QHash>
#include <QImage>
#include <QObject>
#include <QStringList>
#include <memory>

#include "app/clips/grid_player.h"

namespace denoir::ui {

/// The clips of the visible cells, decoded to a small size and played together. Their frames have a cache of their own,
/// so that a large grid does not push out those of the preview.
class SweepClips : public QObject {
    Q_OBJECT
public:
    static constexpr int most = 48; ///< most clips, as each has a thread of its own
    explicit SweepClips(QObject* parent = nullptr);
    ~SweepClips() override;

    app::GridPlayer& player() { return player_; }
    /// Sets the visible runs and the size of their pictures in pixels. Clips that are open already stay open.
    void want(const QStringList& runs, int side);
    /// The present picture of a run, or the one before while it is not there; null if there is none yet.
    QImage picture(const QString& run) const;
    /// What is wrong with its video; empty if nothing is.
    QString problem(const QString& run) const;
    bool settled() const; ///< whether every clip shows its present picture

signals:
    void changed(); ///< pictures have changed

private:
    void tell_player();
    struct Shown {
        std::unique_ptr<app::Clip> clip;
        QImage picture;
    };
    app::FrameCache cache_;
    QHash<QString, std::shared_ptr<Shown>> shown_;
    int side_ = 0;
    app::GridPlayer player_; ///< borrows the clips
};

} // namespace denoir::ui
