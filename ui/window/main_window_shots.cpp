// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFileDialog>
#include <QRandomGenerator>

#include <algorithm>

#include "app/base/settings.h"
#include "app/base/text.h"
#include "app/clips/clip_source.h"
#include "app/project/project.h"
#include "app/project/shot_requests.h"
#include "app/request/request_document.h"
#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"
#include "app/studio.h"
#include "ui/docks/images_panel.h"
#include "ui/docks/seen_images.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/dock.h"
#include "ui/widgets/raise_dialog.h"
#include "ui/window/docks.h"
#include "ui/window/main_window.h"

namespace denoir::ui {
namespace {

Image frame_of(const app::Take& take, int frame) {
    const auto frames = app::open_clip(take.video);
    return frames->read(std::clamp(take.picture(frame), 0, frames->info().frames - 1));
}

} // namespace

void MainWindow::connect_shots() {
    const app::TakeReader& reader = timeline_->reader();
    connect(&reader, &app::TakeReader::progressed, this, [this](int done, int total) {
        status_->show_task(StatusLine::Task::reading, tr("reading · file %1/%2").arg(done + 1).arg(total), done, total);
    });
    connect(&reader, &app::TakeReader::finished, this, [this] { status_->end_task(StatusLine::Task::reading); });
    connect(&studio_.core.results, &app::ResultPlacer::said, this, &MainWindow::say);
    connect(&studio_.core.results, &app::ResultPlacer::held_changed, this, &MainWindow::offer_held);
}

void MainWindow::add_to_timeline(const QStringList& runs) {
    QStringList named = runs;
    named.removeAll(QString());
    if (!named.isEmpty()) timeline_->add_files(named);
}

void MainWindow::shots_added(int shots, int stills) {
    constexpr int like_frames = 5; // pictures at once: more likely those of one movement than cards
    if (layouts_->current() == Layout::create) docks_->at("timeline-dock").show();
    if (stills >= like_frames)
        say(tr("Each of the %n picture(s) is a shot of its own. Drop their folder to have them as frames of one.",
               nullptr, stills));
    else if (layouts_->current() != Layout::create)
        say(tr("%n shot(s) added to the timeline.", nullptr, shots));
}

void MainWindow::say_empty_cut() {
    say(tr("The cut is empty. Put what is shown on it first (%1), or drop a video or picture on the timeline.")
            .arg(actions_.at(QStringLiteral("run.to-timeline"))->shortcut().toString(QKeySequence::NativeText)));
}

void MainWindow::say_shot_is_gone() { say(tr("The shot is not there any more.")); }

void MainWindow::ask_for_shots(bool folder) {
    const QString title = folder ? tr("Add a folder of frames") : tr("Add videos or pictures");
    if (raise_dialog(*this, title)) return;
    auto* dialog = new QFileDialog(this, title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(folder ? QFileDialog::Directory : QFileDialog::ExistingFiles);
    if (!folder)
        dialog->setNameFilter(tr("Videos, pictures (*.mp4 *.mkv *.mov *.webm *.avi *.gif *.png *.jpg *.jpeg *.webp "
                                 "*.bmp *.tif *.tiff *.ppm *.pgm);;All files (*)"));
    connect(dialog, &QFileDialog::filesSelected, this,
            [this](const QStringList& files) { timeline_->add_files(files); });
    dialog->show();
}

void MainWindow::extend(int row) {
    const auto& shots = studio_.project.shots();
    if (row < 0 || row >= int(shots.size())) return say_empty_cut();
    const app::Shot& shot = shots[std::size_t(row)];
    struct Found {
        bool possible = false;          ///< the shot's model, or the one chosen now, takes an image
        std::optional<Request> request; ///< of the run that the shot shows; its model may be the one chosen now
        QImage last;                    ///< of a model without diffusion forcing: the clip begins with it
    };
    const auto& document = studio_.document;
    studio_.core.inputs.put(
        this,
        [shot, chosen = document.asked(), possible = document.takes_image(), forcing_model = document.forcing_model()] {
            Found found{possible, {}, {}};
            // After a still there is no motion to go on with: a clip begins with it.
            bool forcing = forcing_model && !shot.current().still();
            if (!shot.current().run.isEmpty()) {
                const Request made = app::RunHistory::record(shot.current().run).request;
                if (made.mode == Mode::forcing || app::begins_with_image(made)) {
                    found.possible = true;
                    found.request = made;
                    forcing = made.mode == Mode::forcing;
                } else {
                    found.request = chosen;
                    found.request->prompt = made.prompt;
                    found.request->width = made.width, found.request->height = made.height;
                }
                found.request->start.reset();
                found.request->seed.reset();
            }
            if (found.possible && !forcing && !shot.current().still())
                found.last = app::to_qimage(frame_of(shot.current(), shot.out - 1));
            return found;
        },
        [this, shot](const Found& found) {
            if (studio_.project.row_of(shot.id) < 0) return say_shot_is_gone();
            if (!found.possible)
                return say(tr("Extending starts from the shot's last picture, and this model takes no start image. "
                              "Choose one that does."));
            const bool still = shot.current().still(), goes_on = !still && found.last.isNull();
            const QString label = tr("Extend the shot");
            if (goes_on)
                studio_.document.restore(
                    app::extension_of(shot, found.request ? *found.request : studio_.document.asked()), label);
            else if (found.request || !studio_.document.asked().last_image.empty()) {
                Request r = found.request ? *found.request : studio_.document.asked();
                r.last_image.clear(); // of another clip
                studio_.document.restore(r, label);
            }
            if (!goes_on)
                images_->take(ImagesPanel::Side::start, {still ? shot.current().video : QString(), found.last});
            extend_shot_ = shot.id;
            // The picture arrives later, as a step of its own.
            extend_step_ = studio_.project.undo().index() + (goes_on ? 0 : 1);
            extend_video_ = goes_on ? studio_.document.value(QStringLiteral("forcing.video")).toString() : QString();
            banners_->show_banner(
                QStringLiteral("extend"), Banners::Kind::info,
                still ? tr("Generate now makes “%1” move: a clip that begins with it comes after it.")
                            .arg(app::shortened(shot.title(), 60))
                : goes_on ? tr("Generate now continues “%1” with its last pictures; the result comes after it.")
                                .arg(app::shortened(shot.title(), 60))
                          : tr("Generate now continues “%1” from its last picture; the result comes after it.")
                                .arg(app::shortened(shot.title(), 60)),
                {{tr("Not now"), [this] { extend_shot_.clear(); }}}, 0, [this] { extend_shot_.clear(); });
        });
}

void MainWindow::check_extension() {
    if (extend_video_.isEmpty() || studio_.document.value(QStringLiteral("forcing.video")).toString() == extend_video_)
        return;
    end_extension(); // undone, or the clip goes on after something else
}

void MainWindow::end_extension() {
    if (std::exchange(extend_shot_, {}).isEmpty()) return;
    banners_->remove(QStringLiteral("extend"));
}

void MainWindow::check_undone(int step) {
    if (editing_ != 0 && step < editing_step_) begin_editing(0);
    if (step < extend_step_) end_extension();
}

void MainWindow::retake(int row) {
    const auto& shots = studio_.project.shots();
    if (row < 0 || row >= int(shots.size())) return say_empty_cut();
    const app::Shot& shot = shots[std::size_t(row)];
    if (shot.current().run.isEmpty()) return say(tr("This shot is from elsewhere: there is no request to take again."));
    struct Found {
        app::Retake retake;
        QString last; ///< picture that follows the new frames
    };
    studio_.core.inputs.put(
        this,
        [shot, to = app::to_qstring(app::Settings::runs_folder().parent_path() / "images")] {
            Found found{app::retake_of(shot, app::RunHistory::record(shot.current().run).request), {}};
            if (found.retake.end) found.last = kept_picture(frame_of(shot.current(), *found.retake.end), to);
            return found;
        },
        [this, id = shot.id](const Found& found) {
            if (studio_.project.row_of(id) < 0) return say_shot_is_gone();
            app::RequestDocument::Snapshot snapshot;
            snapshot.request = found.retake.request;
            snapshot.request.seed = QRandomGenerator::global()->bounded(1000000);
            if (!found.last.isEmpty()) snapshot.request.last_image = app::to_path(found.last);
            watching_ = true;
            const QString tag = app::ResultPlace{id, found.retake.part, {}}.tag();
            const quint64 entry = studio_.queue.add(snapshot, false, tag);
            const QString words = found.retake.part
                                      ? tr("This part of the shot is made again with the shot's own prompt and "
                                           "parameters; the new take joins it when it is done.")
                                      : tr("The new take is made with the shot's own prompt and parameters; it joins "
                                           "the shot when it is done.");
            if (snapshot.request.prompt == studio_.document.asked().prompt) return say(words);
            banners_->show_banner(QStringLiteral("retake"), Banners::Kind::info, words,
                                  {{tr("With the prompt as it is now"),
                                    [this, entry, tag, snapshot]() mutable {
                                        const app::RequestDocument::Snapshot now = studio_.document.snapshot();
                                        snapshot.request.prompt = now.request.prompt;
                                        snapshot.prompt_template = now.prompt_template;
                                        if (studio_.queue.replace(entry, snapshot)) return;
                                        studio_.queue.cancel(entry); // it has begun
                                        studio_.queue.add(snapshot, false, tag);
                                    }}},
                                  30);
        });
}

void MainWindow::offer_held(int held) {
    if (held == 0) return banners_->remove(QStringLiteral("held"));
    banners_->show_banner(QStringLiteral("held"), Banners::Kind::info,
                          held == 1 ? tr("The new take is ready. It comes in with your next edit; until then, what was "
                                         "undone can be done again.")
                                    : tr("The new takes are ready. They come in with your next edit; until then, what "
                                         "was undone can be done again."),
                          {{tr("Put in now"), [this] { studio_.core.results.place_held(); }}});
}

} // namespace denoir::ui
