// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QHash>
#include <QImage>
#include <QObject>
#include <QStringList>
#include <memory>

#include "app/clips/grid_player.h"

namespace denoir::ui {

/// The clips of the cells in sight, decoded small and played together. Their frames have a bound of their own, so that
/// a large grid leaves the preview what it holds.
class SweepClips : public QObject {
    Q_OBJECT
public:
    static constexpr int most = 48; ///< each has a thread of its own
    explicit SweepClips(QObject* parent = nullptr);
    ~SweepClips() override;

    app::GridPlayer& player() { return player_; }
    /// The runs in sight, and how large their pictures are drawn, pixels. What is open already stays open.
    void want(const QStringList& runs, int side);
    /// This moment's picture of a run, else the one before; null: none yet.
    QImage picture(const QString& run) const;
    /// What is wrong with its video; empty: nothing.
    QString problem(const QString& run) const;
    bool settled() const; ///< every clip shows this moment

signals:
    void changed(); ///< pictures

private:
    void tell_player();
    struct Shown {
        std::unique_ptr<app::Clip> clip;
        QImage picture;
    };
    app::FrameCache cache_;
    QHash<QString, std::shared_ptr<Shown>> shown_;
    int side_ = 0;
    app::GridPlayer player_; ///< borrows the clips: emptied first
};

} // namespace denoir::ui
