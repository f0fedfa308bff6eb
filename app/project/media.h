// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The files that a cut shows. What is here asks the disk, which may be slow: any thread but the window's.
#include <QDateTime>
#include <QHash>
#include <QString>

#include <vector>

#include "app/project/take.h"

namespace denoir::app {

struct Shot;

/// What a take's file or folder was when it was looked at.
struct Medium {
    bool there = false;
    qint64 bytes = 0;
    QDateTime modified;
    friend bool operator==(const Medium&, const Medium&) = default;
};
using Media = QHash<QString, Medium>; ///< by Take::video

bool is_there(const Take& take);                ///< its file, or folder of frames
Media media_of(const std::vector<Shot>& shots); ///< of their current takes

/// A take whose file, or folder of frames, is elsewhere now.
struct MovedTake {
    Take take;
    QString now, run; ///< Take::video and Take::run there
};
/// This take of the shots, whose file is now at `now`, and the other missing takes whose files have moved along with
/// it.
std::vector<MovedTake> moved_with(const std::vector<Shot>& shots, const Take& take, const QString& now);

} // namespace denoir::app
