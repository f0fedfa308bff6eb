// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/entry_editing.h"

#include <utility>

#include "app/project/project.h"
#include "app/project/shot_requests.h"
#include "app/runs/run_queue.h"
#include "engine/session/request_json.h"
#include "ui/widgets/banner.h"

namespace denoir::ui {

EntryEditing::EntryEditing(app::RunQueue& queue, const app::Project& project, Banners& banners, QObject* parent)
    : QObject(parent), queue_(queue), project_(project), banners_(banners) {
    connect(&project_, &app::Project::loaded, this, &EntryEditing::end);
    connect(&queue_, &QAbstractItemModel::rowsRemoved, this, [this] {
        if (active() && queue_.row_of(entry_) < 0) end(); // the entry is gone
    });
    connect(&project_, &app::Project::step_changed, this, [this](int step) {
        if (active() && step < step_) end();
    });
}

void EntryEditing::begin(quint64 entry) {
    entry_ = entry;
    step_ = project_.step();
    if (entry == 0) return banners_.remove(QStringLiteral("editing"));
    banners_.show_banner(QStringLiteral("editing"), Banners::Kind::info,
                         tr("The parameters are those of a waiting run. Generate puts the changes into it."),
                         {{tr("Leave it as it is"), [this] { end(); }}}, 0, [this] { end(); });
}

bool EntryEditing::put(const app::RequestDocument::Snapshot& snapshot) {
    const quint64 entry = entry_;
    end();
    const auto before = queue_.snapshot(entry);
    if (!queue_.replace(entry, snapshot)) return false;
    const QModelIndex at = queue_.index(queue_.row_of(entry));
    auto place = app::ResultPlace::of_tag(at.data(app::RunQueue::TagRole).toString());
    if (place && std::exchange(place->part, {})) // it may no longer make that part
        queue_.set_tag(entry, place->tag());
    if (!place && before && to_json(before->request) != to_json(snapshot.request)) // no longer a cell of a sweep
        queue_.set_tag(entry, {});
    return true;
}

} // namespace denoir::ui
