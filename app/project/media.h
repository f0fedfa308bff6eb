// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The files that a cut shows. These functions ask the disk, which may be slow: do not call them on the window's thread.
#include <QDateTime>
#include <QHash>
#include <QString>

#include <vector>

#include "app/project/take.h"

namespace denoir::app {

struct Shot;

/// The state of a take's file or folder when it was looked at.
struct Medium {
    bool there = false;
    qint64 bytes = 0;
    QDateTime modified;
    friend bool operator==(const Medium&, const Medium&) = default;
};
using Media = QHash<QString, Medium>; ///< by Take::video

bool is_there(const Take& take);                ///< whether its file or folder of frames exists
Media media_of(const std::vector<Shot>& shots); ///< those of their current takes

/// A take whose file or folder of frames has been moved.
struct MovedTake {
    Take take;
    QString now, run; ///< its new Take::video and Take::run
};
/// A take of the shots whose file is now at `now`, and the other missing takes whose files were moved together with it.
std::vector<MovedTake> moved_with(const std::vector<Shot>& shots, const Take& take, const QString& now);

} // namespace denoir::app
