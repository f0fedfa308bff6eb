// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/media_locator.h"

#include <QFileInfo>

#include "app/base/background.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/open_dialog.h"

namespace denoir::ui {
namespace {

/// Why what was found cannot be used for the take; empty if it can.
QString why_not(const app::Take& take, const app::TakeReader::Found& found) {
    if (!found.issue.isEmpty()) return found.issue.line();
    const QString name = QFileInfo(found.take.video).fileName();
    if (found.take.kind != take.kind) return MediaLocator::tr("“%1” is not what is missing.").arg(name);
    if (found.take.frames >= take.frames) return {};
    return MediaLocator::tr("“%1” is too short: %2 of %n frame(s).", nullptr, take.frames)
        .arg(name, QString::number(found.take.frames));
}

} // namespace

MediaLocator::MediaLocator(TimelineView& timeline, app::Settings& settings, QWidget& window)
    : QObject(&window), timeline_(timeline), settings_(settings), window_(window) {}

void MediaLocator::locate(int row) {
    const app::Take take = timeline_.project().shot(row).current();
    const bool folder = take.kind == app::Take::Kind::frames;
    ask_to_open(&window_, settings_, tr("Locate “%1”").arg(QFileInfo(take.video).fileName()),
                {folder ? ToOpen::Kind::folder : ToOpen::Kind::file, ToOpen::Sort::videos},
                [this, take](const QStringList& chosen) { look(take, chosen.constFirst()); });
}

void MediaLocator::look(const app::Take& take, const QString& path) {
    app::run_then(
        this,
        [shots = timeline_.project().shots(), take, path] {
            return app::moved_with(shots, take, QFileInfo(path).absoluteFilePath());
        },
        [this, take, number = timeline_.project().number()](const std::vector<app::MovedTake>& moved) {
            if (number != timeline_.project().number()) return;
            QStringList paths;
            for (const auto& each : moved) paths << each.now;
            timeline_.reader().read(paths, take.fps, [this, moved](const auto& found) { relink(moved, found); });
        });
}

/// Relinks the first, which the user has chosen, and those of the others that fit.
void MediaLocator::relink(const std::vector<app::MovedTake>& moved, const std::vector<app::TakeReader::Found>& found) {
    if (const QString refusal = why_not(moved[0].take, found[0]); !refusal.isEmpty()) return emit said(refusal);
    std::vector<app::MovedTake> good;
    for (std::size_t i = 0; i < moved.size(); ++i)
        if (why_not(moved[i].take, found[i]).isEmpty()) good.push_back(moved[i]);
    timeline_.project().relink(good);
    emit said(tr("%n file(s) of the cut found again.", nullptr, int(good.size())));
}

} // namespace denoir::ui
