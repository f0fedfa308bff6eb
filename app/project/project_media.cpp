// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFileInfo>
#include <QSet>
#include <utility>

#include "app/base/background.h"
#include "app/base/text.h"
#include "app/project/project.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/run_folder.h"

namespace denoir::app {
namespace {

bool lies_there(const Take& take, const QFileInfo& info) {
    return take.kind == Take::Kind::frames ? info.isDir() : info.isFile();
}

/// Where a file has moved: what is left of both paths without the folders and the name that they end with alike.
std::pair<QString, QString> roots_of(QString from, QString to) {
    constexpr QLatin1Char slash('/');
    if (from.section(slash, -1) != to.section(slash, -1)) // has another name now
        return {from.section(slash, 0, -2), to.section(slash, 0, -2)};
    for (QString name = from.section(slash, -1); !name.isEmpty() && name == to.section(slash, -1);
         name = from.section(slash, -1)) {
        from.chop(name.size() + 1);
        to.chop(name.size() + 1);
    }
    return {from, to};
}

/// The run whose video it is; empty: it is from elsewhere.
QString run_of(const QString& video) {
    const std::filesystem::path folder = to_path(video).parent_path();
    const bool own = to_path(video).filename() == run_file::video && is_run_folder(folder);
    return own ? to_qstring(folder) : QString();
}

} // namespace

Project::Medium Project::look_at(const Take& take) {
    const QFileInfo info(take.video);
    if (!lies_there(take, info)) return {};
    return {true, info.size(), info.lastModified()};
}

bool Project::is_there(int row) const {
    const Take& take = shot(row).current();
    return lies_there(take, QFileInfo(take.video));
}

QList<Issue> Project::missing_media() const {
    QList<Issue> out;
    for (int row = 0; row < count(); ++row)
        if (is_missing(row)) out << missing_issue(row);
    return out;
}

bool Project::is_missing(int row) const {
    const auto medium = media_.constFind(shot(row).current().video);
    return medium != media_.constEnd() && !medium->there;
}

Issue Project::missing_issue(int row) const {
    const Take& take = shot(row).current();
    return {take.video, tr("shot %1, “%2”").arg(row + 1).arg(shortened(shot(row).title(), 40)),
            take.still()                      ? tr("its picture is not there any more")
            : take.kind == Take::Kind::frames ? tr("its folder of frames is not there any more")
                                              : tr("its video is not there any more"),
            take.run.isEmpty() ? tr("put it back, choose another take, or remove the shot")
                               : tr("bring the deleted run back, choose another take, or remove the shot")};
}

void Project::look_at_media() {
    if (looking_) {
        look_again_ = true; // at what changed since that look began
        return;
    }
    looking_ = true;
    QHash<QString, Take> takes;
    for (const Shot& s : shots_) takes.insert(s.current().video, s.current());
    const auto look = [takes] {
        Media found;
        for (const Take& take : takes) found.insert(take.video, look_at(take));
        return found;
    };
    run_then(this, look, [this, number = number_](const Media& found) {
        looking_ = false;
        if (number == number_) media_found(found);
        if (std::exchange(look_again_, false)) look_at_media();
    });
}

void Project::media_found(const Media& found) {
    bool changed = false;
    QStringList rewritten;
    for (auto medium = found.begin(); medium != found.end(); ++medium) {
        const auto known = media_.find(medium.key());
        if (known == media_.end() || *known == *medium) continue; // or not of the cut any more
        if (known->there != medium->there)
            changed = true;
        else
            rewritten << medium.key();
        *known = *medium;
    }
    for (const QString& video : rewritten) emit medium_rewritten(video);
    if (changed) emit media_changed();
}

/// What is of the cut no more is looked at anew when it comes back.
void Project::look_at_new_media() {
    const Media before = std::exchange(media_, {});
    for (const Shot& s : shots_) {
        const Take& take = s.current();
        const auto known = before.constFind(take.video);
        if (!media_.contains(take.video)) media_.insert(take.video, known == before.end() ? look_at(take) : *known);
    }
}

std::vector<Project::Moved> Project::moved_with(const Take& take, const QString& now) const {
    std::vector<Moved> out{{take, now}};
    const auto [from, to] = roots_of(take.video, now);
    QSet<QString> looked{take.video};
    for (const Shot& s : shots_)
        for (const Take& other : s.takes) {
            if (looked.contains(other.video) || !other.video.startsWith(from + QLatin1Char('/'))) continue;
            looked.insert(other.video);
            const QString there = to + other.video.mid(from.size());
            if (!lies_there(other, QFileInfo(other.video)) && lies_there(other, QFileInfo(there)))
                out.push_back({other, there});
        }
    return out;
}

void Project::relink(const std::vector<Moved>& moved) {
    std::vector<Shot> after = shots_;
    for (Shot& s : after)
        for (Take& take : s.takes)
            for (const Moved& each : moved)
                if (take.video == each.take.video) {
                    take.video = each.now;
                    take.run = run_of(each.now);
                    break;
                }
    if (after == shots_) return;
    push(tr("locate media"), after, {}, {});
    emit media_changed();
}

} // namespace denoir::app
