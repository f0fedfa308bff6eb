// SPDX-License-Identifier: Apache-2.0
// The cut in the whole window: what becomes a shot, what is seen of it, what is missing.
#include <QContextMenuEvent>
#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QItemSelectionModel>
#include <QMenu>

#include "app/base/text.h"
#include "app/project/cut_exporter.h"
#include "app/request/request_document.h"
#include "app/runs/draft_decoder.h"
#include "engine/media/frame_folder.h"
#include "engine/media/image.h"
#include "tests/app/arrivals.h"
#include "tests/app/clips.h"
#include "tests/ui/window/window_tools.h"
#include "ui/docks/runs_panel.h"
#include "ui/preview/preview_view.h"
#include "ui/steps/step_strip.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/translation.h"

using namespace denoir;
using namespace denoir::ui;

class WindowCutTest : public QObject {
    Q_OBJECT

private slots:
    void a_deleted_run_is_missed_on_the_timeline_until_it_is_back() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        studio.key(Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(studio.idle());
        auto& preview = studio.window().preview();
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a), 30000);
        const QString run = studio.window().viewer().run(app::Side::a);
        QCOMPARE(preview.info(app::Side::a)->run, run);
        auto& project = studio.core().project;
        project.add_shot(app::take_of_run(run));
        QVERIFY(!project.is_missing(0));
        studio.find<QAction>("run.delete")->trigger();
        QVERIFY(!QFileInfo::exists(run) && !preview.info(app::Side::a));
        QTRY_VERIFY_WITH_TIMEOUT(project.is_missing(0), 30000);
        studio.picture("timeline-missing");
        studio.find<QAction>("file.export")->trigger();
        QTRY_VERIFY2_WITH_TIMEOUT(said(studio).contains("cannot be exported yet: shot 1"), qPrintable(said(studio)),
                                  30000);
        QVERIFY(!studio.window().findChild<QFileDialog*>());
        studio.find<QAction>("run.undo-delete")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!project.is_missing(0), 30000);
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a), 30000);
        QCOMPARE(studio.window().viewer().run(app::Side::a), run);
    }

    /// The menu of one shot tells where a moved folder is, which finds all shots.
    void a_moved_video_can_be_located() {
        const app::Home home;
        QVERIFY(QDir(home.path()).mkpath("old"));
        for (const char* name : {"old/a.mp4", "old/b.mp4"}) app::write_clip(home.file(name), 64, 48, 6);
        app::write_clip(home.file("short%2C.mp4"), 64, 48, 4);
        StudioFixture studio;
        auto& project = studio.core().project;
        for (const char* name : {"old/a.mp4", "old/b.mp4"}) project.add_shot(app::take_of_video(home.file(name)));
        auto* timeline = studio.find<TimelineView>("timeline");
        studio.window().findChild<QDockWidget*>("timeline-dock")->show();
        timeline->select(0);
        const auto locate = [&] {
            QContextMenuEvent event(QContextMenuEvent::Keyboard, {}, {});
            QApplication::sendEvent(timeline->viewport(), &event);
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            const auto actions = menu ? menu->actions() : QList<QAction*>();
            for (QAction* action : actions)
                if (action->text() == "Locate …") {
                    action->trigger();
                    menu->close();
                    return true;
                }
            if (menu) menu->close();
            return false;
        };
        QVERIFY(!locate()); // it is there already
        QVERIFY(QDir().rename(home.file("old"), home.file("new")));
        project.look_at_media();
        QTRY_VERIFY_WITH_TIMEOUT(project.is_missing(0) && project.is_missing(1), 30000);
        QVERIFY(locate());
        QVERIFY(studio.answer_file_dialog(home.file("short%2C.mp4")));
        QTRY_VERIFY2_WITH_TIMEOUT(said(studio).contains("short%2C.mp4” is too short: 4 of 6"), qPrintable(said(studio)),
                                  30000);
        QVERIFY(project.is_missing(0));
        QVERIFY(locate());
        QVERIFY(studio.answer_file_dialog(home.file("new/a.mp4")));
        QTRY_VERIFY_WITH_TIMEOUT(!project.is_missing(0) && !project.is_missing(1), 30000);
        QCOMPARE(project.shot(1).current().video, home.file("new/b.mp4"));
        QVERIFY2(said(studio).contains("2 files"), qPrintable(said(studio)));
    }

    /// The preview shows the frame of the cut, also across clips and with its own keys, until the user looks at
    /// something else.
    void the_cut_is_what_is_seen() {
        const app::Home home;
        app::write_clip(home.file("short.mp4"), 64, 48, 5);
        app::write_clip(home.file("long.mp4"), 64, 48, 30, 40);
        StudioFixture studio;
        load_tiny(studio);
        auto& project = studio.core().project;
        for (const char* name : {"short.mp4", "long.mp4"}) project.add_shot(app::take_of_video(home.file(name)));
        auto& preview = studio.window().preview();
        auto* timeline = studio.find<TimelineView>("timeline");
        const auto shows = [&](const char* name, int frame) {
            return QTest::qWaitFor(
                [&] {
                    const auto* info = preview.info(app::Side::a);
                    return info && info->path == home.file(name) && preview.player().frame() == frame;
                },
                30000);
        };
        studio.key(Qt::Key_F6, Qt::ShiftModifier);
        timeline->set_playhead(2);
        QVERIFY(shows("short.mp4", 2));
        timeline->set_playhead(5 + 22);
        QVERIFY(shows("long.mp4", 22));
        studio.key(Qt::Key_L);
        studio.key(Qt::Key_L);
        QCOMPARE(timeline->speed(), 2.0);
        QVERIFY(!preview.player().playing());
        studio.key(Qt::Key_J);
        studio.key(Qt::Key_J);
        QCOMPARE(timeline->speed(), -1.0);
        studio.key(Qt::Key_Comma); // playing stops one frame back
        QVERIFY(!timeline->playing());
        const int there = timeline->playhead();
        studio.key(Qt::Key_Period);
        QCOMPARE(timeline->playhead(), there + 1);
        studio.key(Qt::Key_Home);
        studio.key(Qt::Key_Space);
        QVERIFY(timeline->playing());
        preview.player().play();
        QVERIFY(!timeline->playing());
        studio.key(Qt::Key_Space, Qt::ShiftModifier);
        QVERIFY(timeline->playing() && !preview.player().playing());
        studio.open({home.file("long.mp4")});
        QVERIFY(!timeline->playing());
    }

    /// The frames of a shot are opened, and then the request that they carry is offered.
    void frames_of_a_shot_are_opened() {
        const app::Home home;
        {
            FrameFolderWriter writer(app::to_path(home.file("frames")), R"({"schema": 1, "prompt": "a green boat"})");
            for (int n = 0; n < 4; ++n) writer.write(app::moving_picture(64, 48, n));
            writer.finish();
        }
        StudioFixture studio;
        load_tiny(studio);
        emit studio.find<TimelineView>("timeline")->open_requested({}, home.file("frames"));
        QVERIFY(!said(studio).contains("carries its request")); // a shot gives no such message
        QTRY_VERIFY_WITH_TIMEOUT(said(studio).contains("frames was made by Denoir and carries its request"), 20000);
        QCOMPARE(studio.window().preview().info(app::Side::a)->path, home.file("frames"));
        QVERIFY(studio.press("Restore it"));
        QCOMPARE(studio.core().document.value("prompt").toString(), QStringLiteral("a green boat"));
    }

    /// While a run is at work its picture is shown: nothing plays behind it, and T means it.
    void a_run_at_work_is_what_is_looked_at() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        studio.key(Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(studio.idle());
        auto& player = studio.window().preview().player();
        QTRY_VERIFY_WITH_TIMEOUT(player.playing(), 30000);
        auto* list = studio.find<RunsView>("runs");
        QTRY_COMPARE_WITH_TIMEOUT(list->selectionModel()->selectedRows().size(), 1, 30000);
        studio.core().document.set_value("steps", 400);
        QVERIFY(studio.core().document.wait_resolved(20000));
        app::Arrivals steps(&studio.core().worker, &app::EngineWorker::step_done);
        studio.key(Qt::Key_Return, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(steps.count() > 1, 60000);
        QTRY_VERIFY_WITH_TIMEOUT(!player.playing(), 30000);
        auto& project = studio.core().project;
        studio.key(Qt::Key_F6);
        studio.key(Qt::Key_T);
        QTRY_VERIFY2_WITH_TIMEOUT(said(studio).contains("no video yet"), qPrintable(said(studio)), 20000);
        QCOMPARE(project.count(), 0);
        list->setFocus();
        list->setCurrentIndex(list->model()->index(1, 0));
        studio.key(Qt::Key_T); // in the list T means its selection
        QTRY_COMPARE_WITH_TIMEOUT(project.count(), 1, 20000);
        studio.key(Qt::Key_Escape);
        QVERIFY(studio.idle());
    }

    /// Even at high speed each shot is shown before the next one is asked for, and one that cannot be shown is skipped.
    void every_shot_that_is_played_is_seen() {
        const app::Home home;
        QStringList files;
        for (const char* name : {"a.mp4", "b.mp4", "c.mp4"}) {
            files << home.file(QLatin1String(name));
            app::write_clip(files.last(), 320, 192, 12, int(files.size()) * 30);
        }
        StudioFixture studio;
        load_tiny(studio);
        auto& project = studio.core().project;
        for (int i = 0; i < 12; ++i) project.add_shot(app::take_of_video(files[i % 3]), -1, 9);
        auto& preview = studio.window().preview();
        auto* timeline = studio.find<TimelineView>("timeline");
        QStringList asked, seen;
        const auto note = [&](QStringList& list, const QString& path) {
            if (files.contains(path) && (list.isEmpty() || list.last() != path)) list << path;
        };
        connect(timeline, &TimelineView::show_frame, this, [&](const QString& video) { note(asked, video); });
        connect(&preview, &PreviewView::clip_opened, this,
                [&](app::Side, const app::ClipInfo& info) { note(seen, info.path); });
        studio.key(Qt::Key_F6, Qt::ShiftModifier);
        for (int i = 0; i < 4; ++i) timeline->shuttle(1);
        QCOMPARE(timeline->speed(), 8.0);
        QTRY_VERIFY_WITH_TIMEOUT(!timeline->playing(), 60000);
        QTRY_VERIFY_WITH_TIMEOUT(preview.is_settled(app::Side::a), 20000);
        QCOMPARE(timeline->playhead(), project.frames() - 1);
        QCOMPARE(seen, asked);
        QVERIFY(QFile::remove(files[1])); // the shots after it are still played
        studio.key(Qt::Key_Home);
        studio.key(Qt::Key_Space);
        QTRY_VERIFY_WITH_TIMEOUT(!timeline->playing(), 60000);
        QCOMPARE(timeline->playhead(), project.frames() - 1);
    }

    /// A picture is shown, put on the cut and made to move, and the clip comes after it.
    void a_still_becomes_a_shot_and_moves() {
        const app::Home home;
        write_png(app::to_path(home.file("card.png")), app::moving_picture(64, 48, 3));
        app::write_clip(home.file("clip.mp4"), 64, 48, 5);
        StudioFixture studio;
        load_tiny(studio);
        auto& project = studio.core().project;
        studio.open({home.file("card.png")});
        auto& preview = studio.window().preview();
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a), 20000);
        studio.key(Qt::Key_F6);
        studio.key(Qt::Key_T);
        QTRY_COMPARE_WITH_TIMEOUT(project.count(), 1, 20000);
        QCOMPARE(project.shot(0).seconds(), 2.0);
        // It is shown for its whole length, and the next shot follows.
        project.add_shot(app::take_of_video(home.file("clip.mp4")));
        auto* timeline = studio.find<TimelineView>("timeline");
        studio.key(Qt::Key_F6, Qt::ShiftModifier);
        const auto shows = [&](const char* name, int frame) {
            return QTest::qWaitFor(
                [&] {
                    const auto* info = preview.info(app::Side::a);
                    return info && info->path == home.file(QLatin1String(name)) && preview.player().frame() == frame;
                },
                20000);
        };
        timeline->set_playhead(project.shot(0).frames() + 2);
        QVERIFY(shows("clip.mp4", 2));
        timeline->set_playhead(project.shot(0).frames() - 1);
        QVERIFY(shows("card.png", 0));
        timeline->select(0);
        studio.key(Qt::Key_R);
        QVERIFY2(said(studio).contains("does not carry the request"), qPrintable(said(studio)));
        studio.key(Qt::Key_E);
        auto& document = studio.core().document;
        QTRY_COMPARE_WITH_TIMEOUT(document.value("image").toString(), home.file("card.png"), 20000);
        QVERIFY(document.value("forcing.video").toString().isEmpty());
        QVERIFY(document.wait_resolved(20000));
        studio.key(Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(studio.idle());
        QTRY_COMPARE_WITH_TIMEOUT(project.count(), 3, 30000);
        QVERIFY(!project.shot(1).current().run.isEmpty());
        QCOMPARE(project.shot(1).in, 0);
    }

    /// When a project is opened, a missing picture is named until it is back.
    void a_picture_that_is_gone_is_missed_until_it_is_back() {
        const app::Home home;
        const QString card = home.file("card.png");
        write_png(app::to_path(card), Image(64, 48));
        {
            app::Project project;
            project.add_shot(app::take_of(card, 24));
            save_as(project, home.file("film.denoir"));
        }
        QVERIFY(QFile::rename(card, home.file("elsewhere.png")));
        StudioFixture studio;
        load_tiny(studio);
        studio.open({home.file("film.denoir")});
        const QString missed = QStringLiteral("its picture is not there any more");
        QTRY_VERIFY2_WITH_TIMEOUT(said(studio).contains(missed), qPrintable(said(studio)), 30000);
        QVERIFY(QFile::rename(home.file("elsewhere.png"), card));
        studio.core().project.look_at_media();
        QTRY_VERIFY_WITH_TIMEOUT(!studio.core().project.is_missing(0), 30000);
        QVERIFY2(!said(studio).contains(missed), qPrintable(said(studio)));
    }

    /// The menu is for users who have no file manager open.
    void files_are_asked_for() {
        const app::Home home;
        QDir(home.path()).mkdir("sequence");
        for (const char* name : {"card.png", "sequence/1.png", "sequence/2.png"})
            write_png(app::to_path(home.file(QLatin1String(name))), Image(64, 48));
        StudioFixture studio;
        load_tiny(studio);
        auto& project = studio.core().project;
        studio.find<QAction>("timeline.add")->trigger();
        QVERIFY(studio.answer_file_dialog(home.file("card.png")));
        QTRY_COMPARE_WITH_TIMEOUT(project.count(), 1, 20000);
        studio.find<QAction>("timeline.add-frames")->trigger();
        QVERIFY(studio.answer_file_dialog(home.file("sequence")));
        QTRY_COMPARE_WITH_TIMEOUT(project.count(), 2, 20000);
        QVERIFY(project.shot(0).current().still());
        QCOMPARE(project.shot(1).frames(), 2);
        // Many pictures at once may be meant as frames, so a message says what to do then.
        studio.find<TimelineView>("timeline")->add_files(QStringList(6, home.file("card.png")));
        QTRY_COMPARE_WITH_TIMEOUT(project.count(), 8, 20000);
        QVERIFY2(said(studio).contains("Drop their folder"), qPrintable(said(studio)));
    }

    /// While a run is at work the cut can be played and exported.
    void a_cut_beside_a_run() {
        const app::Home home;
        app::write_clip(home.file("a.mp4"), 640, 360, 60);
        StudioFixture studio;
        load_tiny(studio);
        auto& project = studio.core().project;
        for (int i = 0; i < 40; ++i) project.add_shot(app::take_of_video(home.file("a.mp4")));
        studio.core().document.set_value("steps", 400);
        QVERIFY(studio.core().document.wait_resolved(20000));
        app::Arrivals steps(&studio.core().worker, &app::EngineWorker::step_done);
        studio.key(Qt::Key_Return, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(steps.count() > 3, 60000);
        // The row of the run shows the same step as the strip.
        auto* list = studio.find<RunsView>("runs");
        QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 1, 30000);
        const auto row_step = [&] { return list->model()->index(0, 0).data(app::RunHistory::StepsDoneRole).toInt(); };
        const int before = steps.count();
        QTRY_VERIFY_WITH_TIMEOUT(steps.count() > before, 30000);
        const auto queue_step = [&] { return studio.core().queue.index(0).data(app::RunQueue::StepRole).toInt(); };
        QCOMPARE(row_step(), queue_step());
        // While the user looks at the cut, it is shown and not the run.
        auto& preview = studio.window().preview();
        studio.key(Qt::Key_F6, Qt::ShiftModifier);
        studio.find<TimelineView>("timeline")->set_playhead(7);
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a) && preview.info(app::Side::a)->path == home.file("a.mp4") &&
                                     preview.player().frame() == 7,
                                 30000);
        const QString label = QStringLiteral("a.mp4");
        QTRY_COMPARE_WITH_TIMEOUT(preview.canvas().accessibleDescription(), label, 30000);
        const int seen = steps.count();
        QTRY_VERIFY_WITH_TIMEOUT(steps.count() > seen + 2, 30000);
        QCOMPARE(preview.canvas().accessibleDescription(), label);
        // Its export can be seen and stopped, and the run goes on.
        app::Arrivals exported(&studio.core().exporter, &app::CutExporter::progressed),
            stopped(&studio.core().exporter, &app::CutExporter::cancelled);
        studio.key(Qt::Key_E, Qt::ControlModifier);
        QVERIFY(studio.answer_file_dialog(home.file("out.mkv")));
        QTRY_VERIFY_WITH_TIMEOUT(exported.count() > 0, 30000);
        QTRY_VERIFY_WITH_TIMEOUT(said(studio).contains("exporting") && said(studio).contains("step "), 30000);
        studio.picture("export-beside-run");
        // If it is asked for again, a message says where it is, and no second one begins.
        studio.find<QAction>("file.export")->trigger();
        // It must not say that Esc stops it, since that would stop the run.
        QVERIFY2(said(studio).contains("An export is already running."), qPrintable(said(studio)));
        QVERIFY(!studio.window().findChild<QFileDialog*>() || !studio.window().findChild<QFileDialog*>()->isVisible());
        // Quitting would lose the export, which a message says as long as it is being written.
        const auto warned = [&] {
            return studio.window().banners().texts().join(QLatin1Char(' ')).contains("Quitting stops it");
        };
        studio.key(Qt::Key_Q, Qt::ControlModifier);
        QVERIFY(studio.window().isVisible() && studio.core().exporter.running() && warned());
        QVERIFY(studio.press("Stop the export"));
        QTRY_COMPARE_WITH_TIMEOUT(stopped.count(), 1, 30000);
        QVERIFY(!warned());
        QVERIFY(!QFile::exists(home.file("out.mkv")));
        QVERIFY(studio.core().queue.running() != 0);
        studio.key(Qt::Key_Escape);
        QVERIFY(studio.idle());
    }

    /// The strip shows the steps of the run in the picture, from which one branches, and not of the run that ended
    /// last.
    void steps_are_those_of_the_picture() {
        const app::Home home;
        app::write_clip(home.file("a.mp4"), 64, 48, 9);
        const QString first = listed_run(home, "first", 3, 1);
        StudioFixture studio;
        load_tiny(studio);
        auto& preview = studio.window().preview();
        auto* live = studio.find<StepStrip>("live-steps");
        auto* own = studio.find<StepStrip>("run-steps");
        const auto shows = [&](const QString& path, const QString& run) {
            return QTest::qWaitFor(
                [&] {
                    const auto* info = preview.info(app::Side::a);
                    return info && info->run == run && (path.isEmpty() || info->path == path);
                },
                30000);
        };
        const auto make_another = [&] {
            studio.find<QAction>("run.generate")->trigger();
            QVERIFY(studio.idle());
            const auto& queue = studio.core().queue;
            QVERIFY(shows({}, queue.index(queue.rowCount() - 1).data(app::RunQueue::RunRole).toString()));
            QVERIFY(live->isVisible() && !own->isVisible());
        };
        make_another();
        studio.open({home.file("a.mp4")});
        QVERIFY(shows(home.file("a.mp4"), {}));
        QVERIFY(own->isVisible() && !live->isVisible());
        studio.find<QAction>("run.branch")->trigger();
        QVERIFY2(said(studio).contains("Pick a step"), qPrintable(said(studio)));

        make_another();
        studio.core().project.add_shot(app::take_of_run(first));
        auto* timeline = studio.find<TimelineView>("timeline");
        studio.click(timeline->viewport(), timeline->shot_rect(0).center());
        QVERIFY(shows({}, first));
        QVERIFY(own->isVisible() && !live->isVisible());
        QTRY_COMPARE_WITH_TIMEOUT(own->step(), 3, 30000);
        own->set_step(1);
        studio.find<QAction>("run.branch")->trigger();
        QTRY_VERIFY2_WITH_TIMEOUT(studio.core().document.asked().start, qPrintable(said(studio)), 30000);
        QCOMPARE(app::to_qstring(studio.core().document.asked().start->run), first);
    }

    /// The user sees that a draft is being written, can stop it, and is warned that quitting would lose it.
    void a_draft_is_kept_in_sight() {
        const app::Home home;
        const QString run = listed_run(home, "first", 3, 1);
        StudioFixture studio;
        auto& drafts = studio.core().drafts;
        app::Arrivals kept(&drafts, &app::DraftDecoder::kept);
        const auto keep = [&](const char* file) {
            emit studio.find<StepStrip>("run-steps")->keep_requested(run, 2);
            return studio.answer_file_dialog(home.file(file));
        };
        QVERIFY(keep("one.mp4"));
        QTRY_COMPARE_WITH_TIMEOUT(kept.count(), 1, 30000);
        QTRY_VERIFY_WITH_TIMEOUT(said(studio).contains("Draft kept"), 30000);
        QVERIFY2(!said(studio).contains("keeping") && !said(studio).contains("being written"),
                 qPrintable(said(studio)));
        for (int i = 0; i < 400; ++i) drafts.decode_step(run, 2); // these come before it
        QVERIFY(keep("two.mp4"));
        QVERIFY2(said(studio).contains("keeping the draft of step 2"), qPrintable(said(studio)));
        studio.key(Qt::Key_Q, Qt::ControlModifier);
        QVERIFY(studio.window().isVisible());
        QVERIFY2(said(studio).contains("Quitting stops it"), qPrintable(said(studio)));
        studio.picture("draft-kept");
        studio.key(Qt::Key_Escape);
        QVERIFY2(said(studio).contains("The draft was stopped"), qPrintable(said(studio)));
        QVERIFY2(!said(studio).contains("keeping") && !said(studio).contains("Quitting"), qPrintable(said(studio)));
        drafts.cancel_all();
        QVERIFY(!QFile::exists(home.file("two.mp4")));
        QCOMPARE(kept.count(), 1);
    }

    /// Every key that means a shot says what must be done first.
    void an_empty_cut_says_what_to_do() {
        const app::Home home;
        app::write_clip(home.file("a.mp4"), 64, 48, 9);
        StudioFixture studio;
        load_tiny(studio);
        studio.key(Qt::Key_F6, Qt::ShiftModifier);
        for (const int key : {Qt::Key_S, Qt::Key_X, Qt::Key_E, Qt::Key_R, Qt::Key_Delete, Qt::Key_Space, Qt::Key_I}) {
            studio.find<ElidedLabel>("status-stage")->set_text({});
            studio.key(key);
            QVERIFY2(said(studio).contains("The cut is empty") && said(studio).contains("(T)"),
                     qPrintable(QString::number(key) + said(studio)));
        }
        auto& project = studio.core().project;
        project.add_shot(app::take_of_video(home.file("a.mp4")));
        studio.key(Qt::Key_S); // at the beginning of the cut
        QCOMPARE(project.count(), 1);
        QVERIFY2(said(studio).contains("inside a shot"), qPrintable(said(studio)));
    }

    /// A key must not cut what cannot be seen, and whatever is put there unseen is reported.
    void a_hidden_timeline_is_left_alone() {
        const app::Home home;
        app::write_clip(home.file("a.mp4"), 64, 48, 9);
        StudioFixture studio(Layout::compare);
        load_tiny(studio);
        auto& project = studio.core().project;
        project.add_shot(app::take_of_video(home.file("a.mp4")));
        studio.find<TimelineView>("timeline")->set_playhead(4);
        const int steps = project.undo().count();
        studio.key(Qt::Key_F6);
        for (const int key : {Qt::Key_S, Qt::Key_X, Qt::Key_E, Qt::Key_R}) {
            studio.key(key);
            QVERIFY2(said(studio).contains("Shift+F6"), qPrintable(said(studio)));
            QCOMPARE(project.undo().count(), steps);
        }
        studio.key(Qt::Key_F6, Qt::ShiftModifier);
        studio.key(Qt::Key_S);
        QCOMPARE(project.count(), 2);
    }
};

int main(int argc, char** argv) {
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    QApplication program(argc, argv);
    QLocale::setDefault(QLocale::c());
    const Translation words(program);
    WindowCutTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "window_cut_test.moc"
