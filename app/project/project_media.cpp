// SPDX-License-Identifier: GPL-3.0-or-later
#include <QSet>
#include <utility>

#include "app/base/background.h"
#include "app/base/text.h"
#include "app/project/project.h"

namespace denoir::app {

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
        look_again_ = true; // as files may have changed since that look began
        return;
    }
    looking_ = true;
    run_then(
        this, [shots = shots_] { return media_of(shots); },
        [this, number = media_number_](const Media& found) {
            if (number != media_number_) return; // another project was opened meanwhile
            looking_ = false;
            media_found(found);
            if (std::exchange(look_again_, false)) look_at_media();
        });
}

void Project::media_found(const Media& found) {
    bool changed = false;
    QStringList rewritten;
    for (auto medium = found.begin(); medium != found.end(); ++medium) {
        const auto known = media_.constFind(medium.key());
        const bool first = known == media_.constEnd(); // until now it was assumed to exist
        if (!first && *known == *medium) continue;
        if ((first || known->there) != medium->there)
            changed = true;
        else if (!first)
            rewritten << medium.key();
        media_.insert(medium.key(), *medium);
    }
    for (const QString& video : rewritten) emit medium_rewritten(video);
    if (changed) emit media_changed();
    if (std::exchange(opened_, false)) emit media_known();
}

/// Whether the shots show files that no shot of the cut shows yet.
bool Project::has_new_media(const std::vector<Shot>& shots) const {
    QSet<QString> new_ones;
    for (const Shot& shot : shots) new_ones.insert(shot.current().video);
    for (const Shot& shot : shots_) new_ones.remove(shot.current().video);
    return !new_ones.isEmpty();
}

void Project::relink(const std::vector<MovedTake>& moved) {
    std::vector<Shot> after = shots_;
    for (Shot& s : after)
        for (Take& take : s.takes)
            for (const MovedTake& each : moved)
                if (take.video == each.take.video) {
                    take.video = each.now;
                    take.run = each.run;
                    break;
                }
    if (after == shots_) return;
    push(tr("locate media"), after, {}, {});
    emit media_changed();
}

} // namespace denoir::app
