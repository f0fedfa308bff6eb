// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/exports.h"

#include <QDesktopServices>
#include <QFileInfo>
#include <QTimer>
#include <QUrl>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "app/base/background.h"
#include "app/base/engine_text.h"
#include "app/base/folder.h"
#include "app/clips/exact_clip.h"
#include "app/project/cut_exporter.h"
#include "app/project/project.h"
#include "app/runs/engine_worker.h"
#include "app/runs/run_queue.h"
#include "app/studio.h"
#include "app/sweep/open_sweep.h"
#include "app/sweep/sweep_document.h"
#include "ui/actions/action_table.h"
#include "ui/preview/preview_view.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/save_dialog.h"

namespace denoir::ui {

using Task = StatusLine::Task;

namespace {

/// Offers to write to another place (`ask`) if the issue is about `out`, its folder or its unfinished file.
std::vector<Banners::Choice> elsewhere(const app::Issue& issue, const QString& out, const std::function<void()>& ask) {
    const QString file = app::real_path(issue.file), target = app::real_path(out),
                  folder = QFileInfo(target).absolutePath(),
                  partial = folder + QStringLiteral("/.") + QFileInfo(target).fileName();
    const bool place = file == target || file == folder || file.startsWith(target + u'/') || file.startsWith(partial);
    if (!place) return {};
    return {{Exports::tr("Write it elsewhere …"), ask}};
}

constexpr int said_after_ms = 500; // looking takes longer than that only on a slow disk

/// Whether neither the video nor the latents of a shot exist. Asks the disk, as the project's knowledge may be out of
/// date.
bool is_missed(const app::Shot& shot) {
    const app::Take& take = shot.current();
    return !app::is_there(take) && (take.run.isEmpty() || !app::has_exact_clip(take.run));
}

} // namespace

Exports::Exports(Studio& studio, const ActionTable& actions, PreviewView& preview, Banners& banners, StatusLine& status,
                 QWidget& window)
    : QObject(&window),
      studio_(studio),
      actions_(actions),
      preview_(preview),
      banners_(banners),
      status_(status),
      window_(window) {
    connect_cut();
    connect_exporter();
    connect_drafts();
}

bool Exports::running() const { return studio_.exporter.running() || exporter_.running(); }

void Exports::cancel() {
    if (studio_.exporter.running())
        studio_.exporter.cancel();
    else
        exporter_.cancel();
}

void Exports::stop_all() {
    studio_.exporter.cancel();
    exporter_.cancel();
    stop_drafts();
}

void Exports::end_task(Task task) {
    status_.end_task(task);
    banners_.remove(QStringLiteral("quit")); // it said that this export would be lost
}

void Exports::connect_cut() {
    connect(&studio_.project, &app::Project::media_changed, this, &Exports::look_again);
    connect(&studio_.project, &app::Project::changed, this, &Exports::look_again);
    const auto& worker = studio_.exporter;
    connect(&worker, &app::CutExporter::progressed, this, [this](const QString&, int frame, int frames) {
        status_.show_task(Task::cut, tr("exporting · frame %1/%2").arg(frame).arg(frames), frame, frames);
    });
    connect(&worker, &app::CutExporter::decoding, this, [this](int shot, int shots, int frame, int frames) {
        status_.show_task(
            Task::cut, tr("exporting · decoding shot %1/%2, frame %3/%4").arg(shot).arg(shots).arg(frame).arg(frames),
            frame, std::max(1, frames));
    });
    connect(&worker, &app::CutExporter::noticed, this, [this](const QString& text) {
        banners_.show_banner(QStringLiteral("export-notice"), Banners::Kind::warning,
                             tr("A shot was taken from its video instead of its latents: %1").arg(text));
    });
    connect(&worker, &app::CutExporter::finished, this, [this](const QString& file) {
        end_task(Task::cut);
        banners_.show_banner(QStringLiteral("export"), Banners::Kind::info, tr("Written: %1").arg(file),
                             {{tr("Show it"), [this, file] { emit open_requested(file); }}}, 60);
    });
    connect(&worker, &app::CutExporter::failed, this, [this](const app::Issue& issue) {
        end_task(Task::cut);
        banners_.show_banner(QStringLiteral("export"), Banners::Kind::error, issue.line(),
                             elsewhere(issue, cut_out_, [this] { export_cut(); }));
    });
    connect(&worker, &app::CutExporter::cancelled, this, [this] {
        end_task(Task::cut);
        banners_.remove(QStringLiteral("export"));
        emit said(tr("The export was stopped; nothing was written."));
    });
}

/// Looks whether the shot that was missing is there by now.
void Exports::look_again() {
    if (missed_.isEmpty()) return;
    const int row = studio_.project.row_of(missed_);
    if (row < 0) return forget_missed();
    if (looks_again_) return; // the answer in progress will ask again
    looks_again_ = true;
    app::run_then(
        this, [shot = studio_.project.shot(row)] { return std::pair(shot.current(), is_missed(shot)); },
        [this, id = missed_](const std::pair<app::Take, bool>& seen) {
            looks_again_ = false;
            const int now = studio_.project.row_of(missed_);
            if (id != missed_ || now < 0 || studio_.project.shot(now).current() != seen.first) return look_again();
            if (!seen.second) forget_missed();
        });
}

void Exports::forget_missed() {
    missed_.clear();
    banners_.remove(QStringLiteral("export-missing"));
}

void Exports::export_cut() {
    if (studio_.exporter.running()) return tell_cut_at_work();
    if (looks_) return say_looking();
    looks_ = true;
    QTimer::singleShot(said_after_ms, this, [this] {
        if (looks_) say_looking();
    });
    studio_.project.look_at_media();
    const auto first_missed = [shots = studio_.project.shots()] {
        const auto missed = std::ranges::find_if(shots, is_missed);
        return missed == shots.end() ? std::optional<app::Shot>() : *missed;
    };
    app::run_then(this, first_missed,
                  [this, number = studio_.project.number()](const std::optional<app::Shot>& missed) {
                      looks_ = false;
                      if (number != studio_.project.number()) return;
                      if (studio_.exporter.running()) return tell_cut_at_work();
                      if (!missed) return ask_for_cut();
                      const int row = studio_.project.row_of(missed->id);
                      if (row < 0 || studio_.project.shot(row).current() != missed->current())
                          return export_cut(); // the shot was changed meanwhile
                      tell_missing(row);
                  });
}

void Exports::say_looking() { emit said(tr("Looking for the files of the cut …")); }

void Exports::tell_missing(int row) {
    missed_ = studio_.project.shot(row).id;
    emit shot_missing(row);
    app::Issue issue = studio_.project.missing_issue(row);
    issue.file.clear();                         // it is long, and the shot is shown in the timeline
    banners_.remove(QStringLiteral("missing")); // it says the same of the project
    banners_.show_banner(QStringLiteral("export-missing"), Banners::Kind::error,
                         tr("The cut cannot be exported yet: %1").arg(issue.line()));
}

void Exports::ask_for_cut() {
    const auto& project = studio_.project;
    if (project.shots().empty()) return emit empty_cut(); // they may have been removed meanwhile
    ask_where_to_save(
        &window_, studio_.settings, tr("Export the cut"),
        project.path().isEmpty() ? tr("cut") : QFileInfo(project.path()).completeBaseName(),
        tr("H.264 video, without sound (*.mp4);;Lossless FFV1, without sound (*.mkv);;Folder of PNG pictures (*)"),
        [this](const QString& out) { write_cut(out); });
}

void Exports::write_cut(const QString& out) {
    if (!studio_.exporter.start(studio_.project.shots(), out)) return tell_cut_at_work();
    cut_out_ = out;
    show_cut_at_work();
}

/// Shows the banner again, as it may have been closed, and says it as well, as nothing would seem to happen otherwise.
void Exports::tell_cut_at_work() {
    show_cut_at_work();
    say_at_work();
}

void Exports::show_cut_at_work() {
    show_at_work(QStringLiteral("export"), cut_out_, tr("Stop the export"), [this] { studio_.exporter.cancel(); });
}

void Exports::show_at_work(const QString& banner, const QString& out, const QString& stop_text,
                           const std::function<void()>& stop) {
    banners_.show_banner(banner, Banners::Kind::info, tr("%1 is being written.").arg(out), {{stop_text, stop}});
}

void Exports::connect_exporter() {
    connect(&exporter_, &app::Exporter::progressed, this, [this](const QString& what, int done, int total) {
        const QString stage = app::engine_text(what);
        status_.show_task(Task::comparison, total > 0 ? tr("%1 · %2/%3").arg(stage).arg(done).arg(total) : stage, done,
                          std::max(1, total));
    });
    connect(&exporter_, &app::Exporter::finished, this, [this](const QString& file) {
        end_task(Task::comparison);
        const QString text = tr("Written: %1").arg(file);
        banners_.show_banner(QStringLiteral("export-file"), Banners::Kind::info,
                             remark_.isEmpty() ? text : text + QLatin1Char('\n') + remark_,
                             {{tr("Open it"),
                               [this, file] {
                                   if (!QDesktopServices::openUrl(QUrl::fromLocalFile(file)))
                                       emit said(tr("No program here opens it: %1").arg(file));
                               }}},
                             60);
    });
    connect(&exporter_, &app::Exporter::failed, this, [this](const app::Issue& issue) {
        end_task(Task::comparison);
        banners_.show_banner(QStringLiteral("export-file"), Banners::Kind::error, issue.line(),
                             elsewhere(issue, out_, again_));
    });
    connect(&exporter_, &app::Exporter::cancelled, this, [this] {
        end_task(Task::comparison);
        banners_.remove(QStringLiteral("export-file"));
        emit said(tr("The export was stopped; nothing was written."));
    });
}

void Exports::say_at_work() {
    const bool other = studio_.queue.running() != 0 || studio_.worker.busy(); // the keys stop these first
    const QString keys = other ? QString() : actions_.keys(QStringLiteral("run.cancel"));
    emit said(keys.isEmpty() ? tr("An export is already running.")
                             : tr("An export is already running; %1 stops it.").arg(keys));
}

void Exports::ask(const QString& title, const QString& name, const QString& filters,
                  const std::function<void(const QString&)>& take) {
    ask_where_to_save(&window_, studio_.settings, title, name, filters,
                      [this, title, name, filters, take](const QString& out) {
                          if (exporter_.running()) return say_at_work();
                          again_ = [this, title, name, filters, take] { ask(title, name, filters, take); };
                          take(out);
                      });
}

void Exports::write(const QString& out, app::Exporter::Work work, const QString& remark) {
    if (!exporter_.start(out, std::move(work))) return say_at_work();
    out_ = out;
    remark_ = remark;
    status_.show_task(Task::comparison, tr("exporting"));
    show_at_work(QStringLiteral("export-file"), out, tr("Stop the export"), [this] { exporter_.cancel(); });
}

void Exports::export_comparison(app::ComparisonExport kind) {
    const auto *a = preview_.info(app::Side::a), *b = preview_.info(app::Side::b);
    if (!a || !b || a->path.isEmpty() || b->path.isEmpty()) return emit said(tr("Choose an A and a B first."));
    const auto size = [](const app::ClipInfo& clip) {
        return QStringLiteral("%1 × %2").arg(clip.size.width()).arg(clip.size.height());
    };
    const bool beside = kind == app::ComparisonExport::side_by_side, scales = a->size != b->size;
    if (scales && !beside) // before anybody is asked for a file
        return emit said(tr("A is %1, B is %2: only clips of one size can be measured or subtracted; they can be "
                            "exported side by side.")
                             .arg(size(*a), size(*b)));
    if (exporter_.running()) return say_at_work();
    // Exports what is shown now, even if something else is opened while the dialog is.
    const Pairing pairing = preview_.player().pairing();
    const bool latents = preview_.comparison().by_latents();
    const auto source = [latents](const app::ClipInfo& clip) {
        return latents || clip.video.isEmpty() ? clip.path : clip.video;
    };
    const QString video = tr("Video (*.mp4 *.mkv)");
    const std::tuple<QString, QString, QString> words[] = {
        {tr("Export side by side"), tr("side-by-side"), video},
        {tr("Export the difference"), tr("difference"), video},
        {tr("Export the report"), tr("comparison"), tr("Report (*.html)")},
        {tr("Export the figures of A and B"), tr("comparison"), tr("Table (*.csv)")}};
    const auto& [title, name, filters] = words[int(kind)];
    const app::ShownComparison shown{source(*a), source(*b), pairing.offset(),
                                     pairing.by_time() ? FrameMatch::time : FrameMatch::index,
                                     preview_.canvas().gain()};
    const QString remark =
        scales ? tr("B, which is %1, was scaled to the size of A, %2.").arg(size(*b), size(*a)) : QString();
    ask(title, name, filters,
        [this, shown, kind, remark](const QString& out) { write(out, app::export_of(shown, kind, out), remark); });
}

void Exports::export_sweep(app::SweepExport kind) {
    if (!studio_.core.sweeps().shown()) return emit said(tr("There is no sweep to export yet."));
    if (exporter_.running()) return say_at_work();
    const std::tuple<QString, QString, QString> words[] = {
        {tr("Export the grid"), tr("grid"), tr("Video (*.mp4 *.mkv)")},
        {tr("Export a contact sheet"), tr("grid"), tr("Picture (*.png)")},
        {tr("Export the report"), tr("sweep"), tr("Report (*.html)")},
        {tr("Export the figures"), tr("sweep"), tr("Table (*.csv)")}};
    const auto& [title, name, filters] = words[int(kind)];
    ask(title, name, filters, [this, kind](const QString& out) {
        const app::SweepDocument& sweeps = studio_.core.sweeps();
        if (!sweeps.shown()) return;
        write(out, app::export_of(sweeps.shown()->record(), kind, out));
        const QString unmeasured = QStringLiteral("export-unmeasured");
        banners_.remove(unmeasured);
        if (const int open = sweeps.measuring(); open > 0)
            banners_.show_banner(unmeasured, Banners::Kind::warning,
                                 tr("%n clip(s) are still being measured: what is written lacks their figures. "
                                    "Export it again when they are there.",
                                    nullptr, open),
                                 {}, 30);
    });
}

void Exports::connect_drafts() {
    const auto& drafts = studio_.drafts;
    connect(&drafts, &app::DraftDecoder::kept, this, [this](app::DraftId draft, const QString& out) {
        draft_ended(draft);
        emit said(tr("Draft kept as %1").arg(out));
    });
    connect(&drafts, &app::DraftDecoder::failed, this, [this](app::DraftId draft, const app::Issue& issue) {
        const Kept kept = kept_drafts_.value(draft);
        if (!draft_ended(draft)) return emit said(issue.line());
        banners_.show_banner(QStringLiteral("draft-failed"), Banners::Kind::error, issue.line(),
                             elsewhere(issue, kept.out, [this, kept] { keep_draft(kept.run, kept.step); }));
    });
    connect(&drafts, &app::DraftDecoder::cancelled, this, [this](app::DraftId draft) {
        if (draft_ended(draft)) emit said(tr("The draft was stopped; nothing was written."));
    });
}

void Exports::keep_draft(const QString& run, int step) {
    ask_where_to_save(&window_, studio_.settings, tr("Keep the draft of step %1").arg(step),
                      tr("draft-step-%1").arg(step), tr("Video (*.mp4 *.mkv)"), [this, run, step](const QString& out) {
                          banners_.remove(QStringLiteral("draft-failed"));
                          kept_drafts_.insert(studio_.drafts.keep(run, step, out), {run, out, step});
                          status_.show_task(Task::draft, tr("keeping the draft of step %1").arg(step));
                          show_at_work(QStringLiteral("draft"), out, tr("Stop it"), [this] { stop_drafts(); });
                      });
}

bool Exports::draft_ended(app::DraftId draft) {
    if (!kept_drafts_.remove(draft)) return false; // it was only for pictures
    if (!kept_drafts_.isEmpty()) return true;
    end_task(Task::draft);
    banners_.remove(QStringLiteral("draft"));
    return true;
}

bool Exports::stop_drafts() {
    if (kept_drafts_.isEmpty()) return false;
    for (const app::DraftId draft : kept_drafts_.keys()) studio_.drafts.cancel(draft);
    return true;
}

} // namespace denoir::ui
