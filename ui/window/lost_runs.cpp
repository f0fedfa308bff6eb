// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/lost_runs.h"

#include <QFileInfo>

#include "app/base/text.h"
#include "app/runs/run_history.h"
#include "ui/preview/preview_view.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/row_changes.h"
#include "ui/window/opener.h"
#include "ui/window/viewer.h"

namespace denoir::ui {

using app::Side;

namespace {

QString banner_of(const QString& run) { return QStringLiteral("lost %1").arg(run); }

} // namespace

LostRuns::LostRuns(const app::RunHistory& history, const Viewer& viewer, const PreviewView& preview, Opener& opener,
                   Banners& banners, QObject* parent)
    : QObject(parent), history_(history), viewer_(viewer), preview_(preview), opener_(opener), banners_(banners) {
    connect(&history_, &app::RunHistory::lost, this, &LostRuns::tell);
    connect(&viewer_, &Viewer::side_changed, this, &LostRuns::look_again);
    on_row_changes(history_, this, [this] { look_again(); });
}

void LostRuns::tell(const QStringList& lost) {
    for (const Side side : {Side::a, Side::b}) {
        const QString& run = viewer_.run(side);
        if (!lost.contains(run) || told_.contains(run)) continue;
        told_ << run;
        const app::ClipInfo* clip = preview_.info(side);
        std::vector<Banners::Choice> choices;
        if (clip && !clip->request.isEmpty())
            choices = {{tr("Restore its parameters"),
                        [this, request = clip->request, run] { opener_.restore_made(request, run); }}};
        banners_.show_banner(banner_of(run), Banners::Kind::info,
                             tr("“%1” was deleted outside of Denoir: only what is seen is left.")
                                 .arg(app::shortened(clip ? clip->name : QFileInfo(run).fileName(), 40)),
                             choices);
    }
}

/// Takes back what is said of runs that are not shown any more, or are there again.
void LostRuns::look_again() {
    for (const QString& run : QStringList(told_)) {
        const bool shown = run == viewer_.run(Side::a) || run == viewer_.run(Side::b);
        if (shown && !history_.contains(run)) continue;
        told_.removeAll(run);
        banners_.remove(banner_of(run));
    }
}

} // namespace denoir::ui
