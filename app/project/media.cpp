// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/project/media.h"

#include <QFileInfo>
#include <QSet>

#include <utility>

#include "app/base/text.h"
#include "app/project/project.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/run_folder.h"

namespace denoir::app {
namespace {

bool lies_there(const Take& take, const QFileInfo& info) {
    return take.kind == Take::Kind::frames ? info.isDir() : info.isFile();
}

/// The folder that was moved, before and after: both paths without the name and the folders that they end with alike.
std::pair<QString, QString> roots_of(QString from, QString to) {
    constexpr QLatin1Char slash('/');
    if (from.section(slash, -1) != to.section(slash, -1)) // the file was renamed
        return {from.section(slash, 0, -2), to.section(slash, 0, -2)};
    for (QString name = from.section(slash, -1); !name.isEmpty() && name == to.section(slash, -1);
         name = from.section(slash, -1)) {
        from.chop(name.size() + 1);
        to.chop(name.size() + 1);
    }
    return {from, to};
}

/// The run folder that `video` belongs to; empty if it belongs to none.
QString run_of(const QString& video) {
    const std::filesystem::path folder = to_path(video).parent_path();
    const bool own = to_path(video).filename() == run_file::video && is_run_folder(folder);
    return own ? to_qstring(folder) : QString();
}

Medium look_at(const Take& take) {
    const QFileInfo info(take.video);
    if (!lies_there(take, info)) return {};
    return {true, info.size(), info.lastModified()};
}

} // namespace

bool is_there(const Take& take) { return lies_there(take, QFileInfo(take.video)); }

Media media_of(const std::vector<Shot>& shots) {
    Media media;
    for (const Shot& s : shots)
        if (!media.contains(s.current().video)) media.insert(s.current().video, look_at(s.current()));
    return media;
}

std::vector<MovedTake> moved_with(const std::vector<Shot>& shots, const Take& take, const QString& now) {
    std::vector<MovedTake> out{{take, now, run_of(now)}};
    const auto [from, to] = roots_of(take.video, now);
    QSet<QString> looked{take.video};
    for (const Shot& s : shots)
        for (const Take& other : s.takes) {
            if (looked.contains(other.video) || !other.video.startsWith(from + QLatin1Char('/'))) continue;
            looked.insert(other.video);
            const QString there = to + other.video.mid(from.size());
            if (!is_there(other) && lies_there(other, QFileInfo(there))) out.push_back({other, there, run_of(there)});
        }
    return out;
}

} // namespace denoir::app
