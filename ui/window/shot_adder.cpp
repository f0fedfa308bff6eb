// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/shot_adder.h"

#include <algorithm>

#include "app/base/background.h"
#include "app/clips/clip_source.h"
#include "app/project/result_placer.h"
#include "app/runs/run_history.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/open_dialog.h"
#include "ui/window/layouts.h"
#include "ui/window/status_line.h"

namespace denoir::ui {

ShotAdder::ShotAdder(TimelineView& timeline, app::ResultPlacer& results, const Layouts& layouts, Banners& banners,
                     StatusLine& status, app::Settings& settings, QWidget& window)
    : QObject(&window),
      timeline_(timeline),
      results_(results),
      layouts_(layouts),
      banners_(banners),
      status_(status),
      settings_(settings),
      window_(window) {
    show_progress();
    connect(&timeline_, &TimelineView::files_added, this, &ShotAdder::tell_added);
    connect(&timeline_, &TimelineView::files_refused, this, &ShotAdder::tell_refused);
    connect(&timeline_, &TimelineView::shown_otherwise, this, &ShotAdder::tell_otherwise);
    connect(&results_, &app::ResultPlacer::said, this, &ShotAdder::said);
    connect(&results_, &app::ResultPlacer::held_changed, this, &ShotAdder::offer_held);
}

void ShotAdder::show_progress() {
    const app::TakeReader& reader = timeline_.reader();
    connect(&reader, &app::TakeReader::progressed, this, [this](int done, int total) {
        status_.show_task(StatusLine::Task::reading, tr("reading · file %1/%2").arg(done + 1).arg(total), done, total);
    });
    connect(&reader, &app::TakeReader::finished, this, [this] { status_.end_task(StatusLine::Task::reading); });
}

void ShotAdder::add(const QStringList& paths) {
    QStringList named = paths;
    named.removeAll(QString());
    if (!named.isEmpty()) timeline_.add_files(named);
}

void ShotAdder::ask_for_files() {
    const QString filters = tr("Videos, pictures (%1 %2);;All files (*)").arg(video_endings, picture_endings);
    ask_to_open(&window_, settings_, tr("Add videos or pictures"), {ToOpen::Kind::files, ToOpen::Sort::videos, filters},
                [this](const QStringList& files) { timeline_.add_files(files); });
}

void ShotAdder::ask_for_folder() {
    ask_to_open(&window_, settings_, tr("Add a folder of frames"), {ToOpen::Kind::folder, ToOpen::Sort::videos},
                [this](const QStringList& folders) { timeline_.add_files(folders); });
}

void ShotAdder::tell_added(int shots, int stills) {
    constexpr int like_frames = 5; // so many pictures at once are more likely the frames of a video
    const bool create = layouts_.current() == Layout::create;
    if (create) emit added_in_create();
    if (stills >= like_frames)
        emit said(tr("Each of the %n picture(s) is a shot of its own. Drop their folder to have them as frames of one.",
                     nullptr, stills));
    else if (!create)
        emit said(tr("%n shot(s) added to the timeline.", nullptr, shots));
}

/// Says it in one sentence with a count, as only the last of several could be read.
void ShotAdder::tell_refused(const QList<app::Issue>& issues, int added) {
    const bool no_video = std::ranges::all_of(
        issues, [](const app::Issue& each) { return each.message == QLatin1String(app::no_video_yet); });
    const int refused = int(issues.size());
    const auto say = [this, added](const QString& why) {
        emit said(tr("%n added.", nullptr, added) + QLatin1Char(' ') + why);
    };
    if (no_video) return say(tr("%n run(s) have no video yet: wait for them, or resume them.", nullptr, refused));
    app::run_then(
        this, [issue = issues.constFirst()] { return app::RunHistory::titled(issue).line(); },
        [refused, say](const QString& first) { say(tr("%n could not be added: %1", nullptr, refused).arg(first)); });
}

void ShotAdder::tell_otherwise(const QStringList& videos) {
    const int others = int(videos.size()) - 1;
    QString text = videos.constFirst() + QLatin1Char('.');
    if (others > 0) text += QLatin1Char(' ') + tr("%n other(s) of these videos look otherwise, too.", nullptr, others);
    banners_.show_banner(QStringLiteral("shown-otherwise"), Banners::Kind::warning, text, {}, 60);
}

void ShotAdder::offer_held(int held) {
    if (held == 0) return banners_.remove(QStringLiteral("held"));
    banners_.show_banner(QStringLiteral("held"), Banners::Kind::info,
                         held == 1 ? tr("The new clip is ready. It comes in with your next edit; until then, what was "
                                        "undone can be done again.")
                                   : tr("The new clips are ready. They come in with your next edit; until then, what "
                                        "was undone can be done again."),
                         {{tr("Put in now"), [this] { results_.place_held(); }}});
}

} // namespace denoir::ui
