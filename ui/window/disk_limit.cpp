// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/disk_limit.h"

#include <QInputDialog>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/base/settings.h"
#include "app/base/text.h"
#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"
#include "app/studio.h"
#include "engine/core/disk.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/raise_dialog.h"

namespace denoir::ui {
namespace {

/// Whether a file, which need not exist, is on the disk of a run.
bool shares_disk(const QString& file, const QString& run) {
    namespace fs = std::filesystem;
    fs::path place = app::to_path(file);
    std::error_code code;
    while (place.has_relative_path() && !fs::exists(place, code)) place = place.parent_path();
    return same_disk(place, app::to_path(run));
}

} // namespace

DiskLimit::DiskLimit(Studio& studio, Banners& banners, QWidget& window)
    : QObject(&window), studio_(studio), banners_(banners), window_(window) {
    connect(&studio_.core, &app::Studio::over_limit_changed, this, &DiskLimit::look);
    connect(&studio_.queue, &app::RunQueue::entry_ended, this, [this](quint64 id) {
        const QModelIndex entry = studio_.queue.index(studio_.queue.row_of(id));
        const auto issue = entry.data(app::RunQueue::IssueRole).value<app::Issue>();
        if (issue.no_space) offer_room(issue.file);
    });
}

void DiskLimit::ask() {
    const QString title = tr("Disk space for runs");
    if (raise_dialog(window_, title)) return;
    constexpr qint64 gigabyte = qint64{1} << 30;
    auto* dialog = new QInputDialog(&window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);
    dialog->setLabelText(tr("GiB that all runs may take together; 0: no limit.\n"
                            "Over it the steps of unstarred old runs may go; videos stay."));
    dialog->setIntRange(0, 1'000'000);
    dialog->setIntStep(10);
    // A fraction of a gigabyte, written into the settings by hand, is rounded up here, but stays unless it is changed.
    const qint64 whole = (studio_.settings.history_bytes() + gigabyte - 1) / gigabyte;
    const int shown = int(std::min<qint64>(whole, dialog->intMaximum()));
    dialog->setIntValue(shown);
    connect(dialog, &QInputDialog::intValueSelected, this, [this, shown](int gigabytes) {
        if (gigabytes != shown) studio_.settings.set_value(QStringLiteral("history_bytes"), gigabytes * gigabyte);
    });
    dialog->show();
}

void DiskLimit::look() {
    const auto limit = quint64(studio_.settings.history_bytes());
    const auto plan = studio_.core.over_limit();
    const bool free = studio_.settings.may_drop_latents();
    const auto before = std::exchange(seen_, {limit, plan.runs, free});
    if (plan.runs.isEmpty() || free) banners_.remove(QStringLiteral("disk"));
    if (plan.runs.isEmpty() || seen_ == before) return; // the banner is there or was closed, or it is being done
    if (free) return studio_.history.drop_latents(plan);
    banners_.show_banner(QStringLiteral("disk"), Banners::Kind::warning,
                         tr("The runs use %1 of the %2 they may. The steps of %n unstarred old run(s) could go (%3); "
                            "videos and last latents stay.",
                            nullptr, int(plan.runs.size()))
                             .arg(app::bytes_text(double(studio_.history.bytes())), app::bytes_text(double(limit)),
                                  app::bytes_text(double(plan.bytes))),
                         {{tr("Free them, now and later"), [this] { studio_.settings.set_may_drop_latents(true); }}});
}

void DiskLimit::offer_room(const QString& file) {
    const auto plan = studio_.history.plan_drop(0);
    if (plan.runs.isEmpty() || !shares_disk(file, plan.runs.constFirst())) return;
    banners_.show_banner(
        QStringLiteral("no-room"), Banners::Kind::warning,
        tr("The disk has no room for the run. The steps of %n unstarred run(s) could go (%1); videos and last latents "
           "stay.",
           nullptr, int(plan.runs.size()))
            .arg(app::bytes_text(double(plan.bytes))),
        {{tr("Free them"), [this] { studio_.history.drop_latents(studio_.history.plan_drop(0)); }}});
}

} // namespace denoir::ui
