// SPDX-License-Identifier: Apache-2.0
// What actions, menus and banners of the whole window do with clips, shots and the queue.
#include <QDockWidget>
#include <QFileDialog>
#include <QListView>
#include <QMenu>
#include <QMessageBox>
#include <QSignalSpy>
#include <QTimer>
#include <QToolButton>
#include <functional>
#include <optional>

#include "app/base/background.h"
#include "app/base/settings.h"
#include "app/request/request_document.h"
#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"
#include "app/sweep/sweep_document.h"
#include "tests/app/grey_clips.h"
#include "tests/app/takes.h"
#include "tests/ui/tune/sweeps.h"
#include "tests/ui/window/window_main.h"
#include "tests/ui/window/window_tools.h"
#include "ui/docks/runs_panel.h"
#include "ui/preview/metrics_view.h"
#include "ui/preview/preview_view.h"
#include "ui/steps/step_strip.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/layouts.h"

using namespace denoir;
using namespace denoir::ui;

class WindowActionsTest : public QObject {
    Q_OBJECT

    static void trigger(StudioFixture& studio, const char* action) { studio.find<QAction>(action)->trigger(); }
    /// Drops a picture on the preview and chooses an entry from the menu that appears.
    static void drop(StudioFixture& studio, const QString& picture, const char* entry) {
        QTimer look;
        connect(&look, &QTimer::timeout, &look, [&] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            if (!menu) return;
            look.stop();
            for (QAction* action : menu->actions())
                if (action->text() == QLatin1String(entry)) action->trigger();
            menu->close();
        });
        look.start(10);
        emit studio.window().preview().files_dropped({picture}, app::Side::a, {100, 100});
        QTRY_VERIFY_WITH_TIMEOUT(!look.isActive(), 30000);
        QVERIFY(looked_at(studio.window()));
    }
    /// Shows two clips beside each other.
    static void compare(StudioFixture& studio, const QString& a, const QString& b) {
        studio.window().viewer().compare(a, b);
        const auto& preview = studio.window().preview();
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a) && preview.info(app::Side::a)->path == a, 30000);
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::b) && preview.info(app::Side::b)->path == b, 30000);
        QTRY_VERIFY_WITH_TIMEOUT(preview.is_settled(app::Side::a) && preview.is_settled(app::Side::b), 30000);
    }

private slots:
    void a_dropped_picture_becomes_what_is_chosen() {
        const app::Home home;
        const QString card = home.file("card.png");
        QImage picture(64, 48, QImage::Format_RGB32);
        picture.fill(Qt::green);
        QVERIFY(picture.save(card));
        StudioFixture studio;
        load_tiny(studio);
        auto& core = studio.core();
        drop(studio, card, "Start image");
        QTRY_COMPARE_WITH_TIMEOUT(core.document.value("image").toString(), card, 30000);
        QVERIFY(!core.document.has_value("last_image"));
        drop(studio, card, "End image");
        QTRY_COMPARE_WITH_TIMEOUT(core.document.value("last_image").toString(), card, 30000);
        QCOMPARE(core.project.count(), 0);
        drop(studio, card, "A shot of the cut");
        QTRY_COMPARE_WITH_TIMEOUT(core.project.count(), 1, 30000);
        QCOMPARE(core.project.shot(0).current().video, card);
        const auto& preview = studio.window().preview();
        QVERIFY(!preview.info(app::Side::a));
        drop(studio, card, "Only look at it");
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a) && preview.info(app::Side::a)->path == card, 30000);
    }

    void loras_are_dropped_together() {
        const app::Home home;
        const QString style = QFileInfo(DENOIR_FIXTURES "/_inputs/style-kohya.safetensors").absoluteFilePath();
        const QStringList files{home.file("one.safetensors"), home.file("two.safetensors")};
        for (const QString& file : files) QVERIFY(QFile::copy(style, file));
        StudioFixture studio;
        load_tiny(studio);
        emit studio.window().preview().files_dropped(files, app::Side::a, {100, 100});
        QTRY_COMPARE_WITH_TIMEOUT(studio.core().document.asked().loras.size(), 2U, 30000);
        QCOMPARE(app::to_qstring(studio.core().document.asked().loras[1].file), files[1]);
    }

    void a_sweep_is_opened_as_any_file() {
        const app::Home home;
        const QString sweep = made_sweep(home, "sweep", {parse_axis("seed", "1, 2")});
        StudioFixture studio;
        studio.open({sweep});
        QCOMPARE(studio.window().layouts().current(), Layout::tune);
        QTRY_VERIFY_WITH_TIMEOUT(studio.core().sweeps().shown(), 30000);
        QCOMPARE(studio.core().sweeps().shown()->size(), 2U);
    }

    void a_sweep_gives_its_axes_and_what_it_lacks() {
        const app::Home home;
        const QString sweep = made_sweep(home, "sweep", {parse_axis("seed", "1, 2")});
        std::filesystem::remove_all(SweepFolder::take(app::to_path(sweep)).record().cells[1].run);
        StudioFixture studio(Layout::tune);
        auto& core = studio.core();
        load_tiny(studio);
        core.queue.set_paused(true);
        trigger(studio, "tune.missing");
        QVERIFY2(said(studio).contains("No sweep is shown"), qPrintable(said(studio)));
        show_sweep(studio, sweep);
        core.sweeps().axes().set_all({{"steps", "2, 3"}}, {});
        trigger(studio, "tune.take-axes");
        QCOMPARE(core.sweeps().axes().axes().size(), 1);
        QCOMPARE(core.sweeps().axes().axes()[0].field, QString("seed"));
        trigger(studio, "tune.missing");
        QTRY_COMPARE_WITH_TIMEOUT(core.queue.rowCount(), 1, 30000);
        trigger(studio, "tune.missing");
        QVERIFY2(said(studio).contains("No clip is missing"), qPrintable(said(studio)));
    }

    void two_clips_are_held_against_each_other() {
        const app::Home home;
        const QString a = home.file("a.mp4"), b = home.file("b.mp4");
        app::write_clip(a, 64, 48, 12);
        app::write_clip(b, 64, 48, 12, 7);
        StudioFixture studio;
        trigger(studio, "compare.wipe");
        QVERIFY2(said(studio).contains("Choose an A and a B first"), qPrintable(said(studio)));
        studio.open({a});
        QTRY_VERIFY_WITH_TIMEOUT(studio.window().preview().info(app::Side::a), 30000);
        studio.window().say({});
        trigger(studio, "compare.flip"); // a single clip has neither
        QVERIFY2(said(studio).contains("Choose an A and a B first"), qPrintable(said(studio)));
        compare(studio, a, b);
        auto& preview = studio.window().preview();
        for (const auto& [action, mode] : {std::pair{"compare.side-by-side", CompareMode::side_by_side},
                                           {"compare.flicker", CompareMode::flicker},
                                           {"compare.difference", CompareMode::difference}}) {
            trigger(studio, action);
            QCOMPARE(preview.mode(), mode);
        }
        const double edge = preview.canvas().wipe();
        trigger(studio, "compare.edge-right"); // a difference has no line
        QVERIFY2(said(studio).contains("Choose wipe or onion first"), qPrintable(said(studio)));
        QCOMPARE(preview.canvas().wipe(), edge);
        trigger(studio, "compare.wipe");
        trigger(studio, "compare.edge-right");
        QCOMPARE(preview.canvas().wipe(), edge + 0.02);
        trigger(studio, "compare.edge-left");
        QCOMPARE(preview.canvas().wipe(), edge);
        trigger(studio, "compare.onion");
        const double share = preview.canvas().onion();
        trigger(studio, "compare.edge-left");
        QCOMPARE(preview.canvas().onion(), share - 0.05);
        trigger(studio, "compare.shift-on");
        QCOMPARE(preview.player().offset(), 1);
        trigger(studio, "compare.shift-back");
        trigger(studio, "compare.shift-back");
        QCOMPARE(preview.player().offset(), -1);
        trigger(studio, "compare.shift-on");
        QTRY_VERIFY_WITH_TIMEOUT(preview.comparison().complete(), 30000);
        preview.player().go_to((preview.comparison().worst() + 1) % 12);
        trigger(studio, "compare.worst");
        QCOMPARE(preview.player().frame_of(app::Side::a), preview.comparison().worst());
        trigger(studio, "play.true-size");
        QCOMPARE(preview.canvas().scale(), 1.0);
        trigger(studio, "play.fit");
        QVERIFY(preview.canvas().fits());
        trigger(studio, "play.values");
        QVERIFY(preview.canvas().shows_values());
        trigger(studio, "play.values");
        QVERIFY(!preview.canvas().shows_values());
        // A clip compared with itself has no worst frame.
        studio.window().viewer().compare({}, a);
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::b)->path == a && preview.comparison().complete(), 30000);
        trigger(studio, "compare.worst");
        QVERIFY2(said(studio).contains("No frame that was measured differs"), qPrintable(said(studio)));
        // Clips of two sizes are not measured at all.
        app::write_clip(home.file("small.mp4"), 32, 48, 12);
        studio.window().viewer().compare({}, home.file("small.mp4"));
        QTRY_VERIFY_WITH_TIMEOUT(!preview.comparison().issue().isEmpty(), 30000);
        trigger(studio, "compare.worst");
        QVERIFY2(said(studio).contains("only equal sizes can be measured"), qPrintable(said(studio)));
        QVERIFY2(preview.comparison().issue().line().startsWith("A is "), qPrintable(said(studio)));
        for (const char* of_both : {"difference", "report", "csv"}) {
            trigger(studio, "compare.worst");
            QVERIFY(!said(studio).contains("exported"));
            trigger(studio, ("compare.export-" + QByteArray(of_both)).constData());
            QVERIFY2(said(studio).contains("only clips of one size can be measured or subtracted"),
                     qPrintable(said(studio)));
            QVERIFY2(!studio.window().findChild<QFileDialog*>(), of_both);
        }
        studio.window().viewer().compare({}, a);
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::b)->path == a && preview.comparison().complete(), 30000);
        // Another layout puts the pair away, and the first one brings it back with its wipe.
        studio.window().layouts().show(Layout::create);
        QVERIFY(!preview.info(app::Side::b));
        studio.window().layouts().show(Layout::compare);
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::b), 30000);
        QCOMPARE(preview.mode(), CompareMode::wipe);
        trigger(studio, "compare.end");
        QVERIFY(!preview.info(app::Side::b));
        QCOMPARE(preview.mode(), CompareMode::single);
    }

    /// The selected run is compared with what is shown. If it is shown itself, another one is needed.
    void one_selected_run_is_compared_with_what_is_shown() {
        const app::Home home;
        for (const int seed : {1, 2, 3}) listed_run(home, QStringLiteral("run-%1").arg(seed), 1 + seed, quint64(seed));
        StudioFixture studio;
        auto* list = studio.find<RunsView>("runs");
        QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 3, 30000);
        const auto run = [&](int row) {
            return studio.core().history.index(row).data(app::RunHistory::PathRole).toString();
        };
        const Viewer& viewer = studio.window().viewer();
        studio.window().viewer().open_run(run(1));
        QTRY_VERIFY_WITH_TIMEOUT(studio.window().preview().info(app::Side::a), 30000);
        list->setCurrentIndex(list->model()->index(1, 0));
        trigger(studio, "compare.selected");
        QVERIFY2(said(studio).contains("Select two runs"), qPrintable(said(studio)));
        list->setCurrentIndex(list->model()->index(0, 0));
        trigger(studio, "compare.selected");
        QTRY_COMPARE_WITH_TIMEOUT(viewer.run(app::Side::b), run(0), 30000);
        QCOMPARE(viewer.run(app::Side::a), run(1));
        QVERIFY2(!said(studio).contains("Select two runs"), qPrintable(said(studio)));
        // Another run becomes B, and A stays.
        QTRY_VERIFY_WITH_TIMEOUT(studio.window().preview().info(app::Side::b), 30000);
        list->setCurrentIndex(list->model()->index(2, 0));
        trigger(studio, "compare.selected");
        QTRY_COMPARE_WITH_TIMEOUT(viewer.run(app::Side::b), run(2), 30000);
        QCOMPARE(viewer.run(app::Side::a), run(1));
    }

    /// The first file is A, and the layout stays.
    void two_clips_are_dropped_together() {
        const app::Home home;
        const QString a = home.file("a.mp4"), b = home.file("b.mp4");
        app::write_clip(a, 64, 48, 4);
        app::write_clip(b, 64, 48, 4, 7);
        StudioFixture studio;
        auto& preview = studio.window().preview();
        emit preview.files_dropped({a, b}, app::Side::a, {100, 100});
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a) && preview.info(app::Side::b), 30000);
        QCOMPARE(preview.info(app::Side::a)->path, a);
        QCOMPARE(preview.info(app::Side::b)->path, b);
        QCOMPARE(studio.window().layouts().current(), Layout::create);
    }

    void files_are_chosen_in_dialogs() {
        const app::Home home;
        const QString a = home.file("a.mp4"), b = home.file("b.mp4");
        app::write_clip(a, 64, 48, 4);
        app::write_clip(b, 64, 48, 4, 7);
        StudioFixture studio;
        auto& preview = studio.window().preview();
        trigger(studio, "file.open");
        QVERIFY(studio.answer_file_dialog(a));
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a) && preview.info(app::Side::a)->path == a, 30000);
        trigger(studio, "compare.with-file");
        QVERIFY(studio.answer_file_dialog(b));
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::b) && preview.info(app::Side::b)->path == b, 30000);
        QCOMPARE(preview.info(app::Side::a)->path, a);
    }

    void layers_come_with_their_layout() {
        const app::Home home;
        StudioFixture studio;
        auto* dock = studio.find<QDockWidget>("layers-dock");
        QVERIFY(!dock->isVisible());
        trigger(studio, "compare.layers");
        QCOMPARE(studio.window().layouts().current(), Layout::compare);
        QVERIFY(dock->isVisible());
        studio.window().layouts().show(Layout::create);
        trigger(studio, "compare.first-error");
        QVERIFY(dock->isVisible());
        QVERIFY2(said(studio).contains("No layer makes an error"), qPrintable(said(studio)));
    }

    /// If the timeline is not in the layout a message says so; the layout Create opens it.
    void what_is_shown_goes_on_the_timeline() {
        const app::Home home;
        app::write_clip(home.file("a.mp4"), 64, 48, 4);
        StudioFixture studio;
        studio.open({home.file("a.mp4")});
        QTRY_VERIFY_WITH_TIMEOUT(studio.window().preview().info(app::Side::a), 30000);
        auto& project = studio.core().project;
        auto* dock = studio.find<QDockWidget>("timeline-dock");
        dock->hide();
        trigger(studio, "run.to-timeline");
        QTRY_COMPARE_WITH_TIMEOUT(project.count(), 1, 30000);
        QTRY_VERIFY_WITH_TIMEOUT(dock->isVisible(), 30000);
        studio.window().layouts().show(Layout::compare);
        QVERIFY(!dock->isVisible());
        trigger(studio, "run.to-timeline");
        QTRY_COMPARE_WITH_TIMEOUT(project.count(), 2, 30000);
        QTRY_VERIFY2_WITH_TIMEOUT(said(studio).contains("1 shot added to the timeline"), qPrintable(said(studio)),
                                  30000);
        QVERIFY(!dock->isVisible());
    }

    void the_window_and_its_players_have_switches() {
        const app::Home home;
        StudioFixture studio;
        trigger(studio, "view.full-screen");
        QVERIFY(studio.window().isFullScreen());
        trigger(studio, "view.full-screen");
        QVERIFY(!studio.window().isFullScreen());
        const auto* loop = studio.find<QAction>("play.loop");
        const auto& player = studio.window().preview().player();
        const auto& grid = studio.window().findChild<SweepView*>()->player();
        QVERIFY(loop->isChecked() && player.loop() && grid.loop());
        trigger(studio, "play.loop");
        QVERIFY(!loop->isChecked() && !player.loop() && !grid.loop());
        trigger(studio, "play.loop");
        QVERIFY(loop->isChecked() && player.loop() && grid.loop());
    }

    /// That it waits, that it is running, and what came of it.
    void a_verification_is_told_of() {
        const app::Home home;
        listed_run(home, QStringLiteral("run-1"), 2, 1);
        StudioFixture studio;
        auto* list = studio.find<RunsView>("runs");
        QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 1, 30000);
        list->setCurrentIndex(list->model()->index(0, 0));
        trigger(studio, "run.verify");
        QVERIFY2(said(studio).contains("verifying"), qPrintable(said(studio)));
        QVERIFY(studio.idle());
        QTRY_VERIFY2_WITH_TIMEOUT(!said(studio).contains("verifying"), qPrintable(said(studio)), 30000);
        QVERIFY2(!studio.window().banners().texts().isEmpty(), qPrintable(said(studio)));
    }

    void the_cut_is_worked_on_by_actions() {
        const app::Home home;
        app::write_grey_clip(home.file("a.mkv"), 12, 96, 54);
        app::write_grey_clip(home.file("b.mkv"), 8, 96, 54, 80);
        StudioFixture studio;
        auto& project = studio.core().project;
        for (const char* name : {"a.mkv", "b.mkv"}) project.add_shot(app::take_of_video(home.file(name)));
        auto* timeline = studio.find<TimelineView>("timeline");
        studio.find<QDockWidget>("timeline-dock")->show();
        timeline->setFocus();
        timeline->select(1);
        trigger(studio, "timeline.previous");
        QCOMPARE(timeline->selected(), 0);
        trigger(studio, "timeline.next");
        QCOMPARE(timeline->selected(), 1);
        const int wide = timeline->shot_rect(0).width();
        trigger(studio, "timeline.zoom-in");
        QCOMPARE(timeline->shot_rect(0).width(), int(std::lround((wide + 2) * 1.25)) - 2);
        trigger(studio, "timeline.zoom-out");
        trigger(studio, "timeline.zoom-out");
        QVERIFY(timeline->shot_rect(0).width() < wide);
        trigger(studio, "timeline.fit");
        QCOMPARE(timeline->shot_rect(0).width(), wide);
        QSignalSpy opened(timeline, &TimelineView::open_requested);
        trigger(studio, "timeline.open");
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened[0][1].toString(), home.file("b.mkv"));
        trigger(studio, "timeline.remove");
        QCOMPARE(project.count(), 1);
        QCOMPARE(project.shot(0).current().video, home.file("a.mkv"));
    }

    /// The banner that tells of the pause also ends it.
    void a_paused_queue_goes_on_by_its_banner() {
        const app::Home home;
        std::optional<StudioFixture> studio(std::in_place);
        studio->core().queue.set_paused(true);
        studio->core().queue.add({app::tiny_request(), {}});
        QVERIFY(studio->window().close());
        studio.reset();
        studio.emplace();
        auto& queue = studio->core().queue;
        QVERIFY(queue.paused());
        QVERIFY(studio->press("Continue"));
        QVERIFY(!queue.paused());
        QVERIFY(studio->idle());
        // Two failures for the same reason stop the queue until the user wants to go on.
        Request wrong = app::tiny_request();
        wrong.model = home.file("nowhere").toStdString();
        for (int i = 0; i < 3; ++i) queue.add({wrong, {}});
        QTRY_VERIFY_WITH_TIMEOUT(queue.paused(), 30000);
        QCOMPARE(queue.waiting(), 1);
        QVERIFY(studio->press("Continue all the same"));
        QVERIFY(!queue.paused());
        QTRY_COMPARE_WITH_TIMEOUT(queue.waiting(), 0, 30000);
    }

    /// Also if the dock is hidden.
    void docks_come_with_what_is_asked_of_them() {
        const app::Home home;
        StudioFixture studio;
        for (const auto& [action, dock] : {std::pair{"edit.prompt", "prompt-dock"},
                                           {"view.search", "runs-dock"},
                                           {"view.timeline", "timeline-dock"},
                                           {"view.parameters", "parameters-dock"},
                                           {"view.queue", "queue-dock"}}) {
            auto* widget = studio.find<QDockWidget>(dock);
            widget->hide();
            trigger(studio, action);
            QVERIFY2(widget->isVisible(), action);
        }
    }

    void a_theme_is_chosen_and_kept() {
        const app::Home home;
        StudioFixture studio;
        for (const auto& [action, scheme] :
             {std::pair{"view.theme-light", Scheme::light}, {"view.theme-dark", Scheme::dark}}) {
            trigger(studio, action);
            QCOMPARE(studio.theme().scheme(), scheme);
            QCOMPARE(studio.core().settings.theme(), scheme_name(scheme));
        }
    }

    /// Once the user allows it, old runs lose their steps now and later. Their videos stay.
    void steps_make_room_when_that_is_allowed() {
        const app::Home home;
        for (const int seed : {1, 2}) listed_run(home, QStringLiteral("run-%1").arg(seed), 3, quint64(seed));
        StudioFixture studio;
        auto& core = studio.core();
        QTRY_COMPARE_WITH_TIMEOUT(core.history.rowCount(), 2, 30000);
        QTRY_VERIFY_WITH_TIMEOUT(core.history.bytes() > 0, 30000);
        const auto before = core.history.bytes();
        core.settings.set_value("history_bytes", 1);
        QTRY_VERIFY2_WITH_TIMEOUT(said(studio).contains("The runs use"), qPrintable(said(studio)), 30000);
        QVERIFY(!core.settings.may_drop_latents());
        QVERIFY(studio.press("Free them, now and later"));
        QVERIFY(core.settings.may_drop_latents());
        QTRY_VERIFY_WITH_TIMEOUT(core.history.bytes() < before, 30000);
        QVERIFY(!said(studio).contains("The runs use"));
        for (int row = 0; row < 2; ++row)
            QVERIFY(!core.history.index(row).data(app::RunHistory::VideoRole).toString().isEmpty());
    }

    void what_is_asked_for_twice_is_asked_once() {
        const app::Home home;
        const QString clip = home.file("clip.mkv");
        app::write_clip(clip, 96, 54, 9);
        for (const char* name : {"first.denoir", "second.denoir"}) {
            app::Project project;
            project.add_shot(app::take_of_video(clip));
            save_as(project, home.file(QLatin1String(name)));
        }
        StudioFixture studio;
        load_tiny(studio);
        auto& project = studio.core().project;
        project.add_shot(app::take_of_video(clip));
        const auto open = [&](auto* kind) {
            int count = 0;
            for (auto* each : studio.window().findChildren<std::remove_pointer_t<decltype(kind)>*>())
                count += each->isVisible();
            return count;
        };
        for (const char* action : {"file.export", "file.open", "file.save-as", "help.about"}) {
            for (int i = 0; i < 2; ++i) studio.find<QAction>(action)->trigger();
            app::background_pool()->waitForDone(); // an export first looks for the files of the cut
            QCoreApplication::processEvents();
            QCOMPARE(open(static_cast<QDialog*>(nullptr)), 1);
            for (auto* dialog : studio.window().findChildren<QDialog*>()) dialog->close();
        }
        // A second studio hands its files over while the question about the first ones is still open.
        studio.open({home.file("first.denoir")});
        studio.open({home.file("second.denoir")});
        QCOMPARE(open(static_cast<QMessageBox*>(nullptr)), 1);
        for (auto* box : studio.window().findChildren<QMessageBox*>())
            if (box->isVisible()) box->button(QMessageBox::Discard)->click();
        QTRY_COMPARE_WITH_TIMEOUT(open(static_cast<QMessageBox*>(nullptr)), 0, 5000);
        QTRY_COMPARE_WITH_TIMEOUT(project.path(), home.file("second.denoir"), 30000);
    }

    /// Even if a run is compared with a file, the run is marked as A.
    void a_run_compared_with_a_file_is_marked_in_the_list() {
        const app::Home home;
        const QString run = listed_run(home, "a", 3, 1);
        app::write_clip(home.file("clip.mp4"), 64, 48, 9);
        StudioFixture studio(Layout::compare);
        auto* list = studio.find<RunsView>("runs");
        QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 1, 30000);
        const auto* delegate = dynamic_cast<const RunDelegate*>(list->itemDelegate());
        const auto words = [&] { return delegate->words(list->model()->index(0, 0)).join('\n'); };
        QVERIFY(delegate && !words().contains("compared as"));
        studio.window().viewer().compare(run, home.file("clip.mp4"));
        QTRY_VERIFY2_WITH_TIMEOUT(words().contains("compared as A"), qPrintable(words()), 30000);
        trigger(studio, "compare.swap");
        QTRY_VERIFY2_WITH_TIMEOUT(words().contains("compared as B"), qPrintable(words()), 30000);
        trigger(studio, "compare.swap");
        QTRY_VERIFY2_WITH_TIMEOUT(words().contains("compared as A"), qPrintable(words()), 30000);
        // Another layout puts the pair away.
        studio.window().layouts().show(Layout::create);
        QTRY_VERIFY2_WITH_TIMEOUT(!words().contains("compared as"), qPrintable(words()), 30000);
        studio.window().layouts().show(Layout::compare);
        QTRY_VERIFY2_WITH_TIMEOUT(words().contains("compared as A"), qPrintable(words()), 30000);
        trigger(studio, "compare.end");
        QTRY_VERIFY2_WITH_TIMEOUT(!words().contains("compared as"), qPrintable(words()), 30000);
        // The same if the run was still being opened when the two changed places.
        studio.window().viewer().compare(run, home.file("clip.mp4"));
        for (int i = 0; i < 2; ++i) trigger(studio, "compare.swap");
        for (const Layout layout : {Layout::create, Layout::compare}) studio.window().layouts().show(layout);
        const auto& preview = studio.window().preview();
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::b), 30000);
        QCOMPARE(preview.info(app::Side::b)->path, home.file("clip.mp4"));
        QTRY_VERIFY2_WITH_TIMEOUT(words().contains("compared as A"), qPrintable(words()), 30000);
    }

    /// Space and the button below the picture lead back from a chosen step to the video.
    void whoever_plays_sees_the_video_again() {
        const app::Home home;
        const QString run = listed_run(home, "a", 3, 1);
        StudioFixture studio(Layout::create);
        PreviewView& preview = studio.window().preview();
        studio.window().viewer().show_run(run);
        auto* strip = studio.find<StepStrip>("run-steps");
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a) && strip->step() == 3, 30000);
        auto* play = preview.findChild<QToolButton*>("play-clip");
        QVERIFY(play);
        const auto by_key = [&] { trigger(studio, "play.toggle"); };
        const auto by_hand = [&] { play->click(); };
        for (const std::function<void()>& begin : {std::function<void()>(by_key), std::function<void()>(by_hand)})
            for (const bool played : {false, true}) { // until the step was picked
                played ? preview.player().play() : preview.player().pause();
                strip->set_step(1);
                QTRY_VERIFY_WITH_TIMEOUT(preview.covered(), 30000);
                QVERIFY2(!preview.player().playing(), "it plays on below the step");
                QVERIFY(play->isEnabled());
                QCOMPARE(play->accessibleName(), QStringLiteral("Play"));
                begin();
                QVERIFY(!preview.covered());
                QVERIFY(preview.player().playing());
                QCOMPARE(strip->step(), 3);
            }
        // One frame on is one of the video, too, and so is a point of the curves.
        const auto by_step = [&] { trigger(studio, "play.frame-on"); };
        const auto by_arrow = [&] { QTest::keyClick(&preview, Qt::Key_Left); };
        const auto by_curve = [&] { emit studio.window().findChild<MetricsView*>()->frame_requested(2); };
        for (const std::function<void()>& ask :
             {std::function<void()>(by_step), std::function<void()>(by_arrow), std::function<void()>(by_curve)}) {
            strip->set_step(1);
            QTRY_VERIFY_WITH_TIMEOUT(preview.covered(), 30000);
            ask();
            QVERIFY(!preview.covered() && !preview.player().playing());
        }
        QCOMPARE(preview.player().frame(), 2);
    }
};

int main(int argc, char** argv) { return run_window_test<WindowActionsTest>(argc, argv); }

#include "window_actions_test.moc"
