// SPDX-License-Identifier: Apache-2.0
// How shots come into the cut in the whole window: from runs, by extending and by making them anew.
#include <QSignalSpy>
#include <QSpinBox>
#include <QThread>
#include <QUndoStack>

#include "app/base/text.h"
#include "app/clips/clip_source.h"
#include "app/request/request_document.h"
#include "engine/media/image.h"
#include "tests/app/arrivals.h"
#include "tests/ui/window/window_main.h"
#include "tests/ui/window/window_tools.h"
#include "ui/docks/runs_panel.h"
#include "ui/preview/preview_view.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/extension.h"

using namespace denoir;
using namespace denoir::ui;
using QueueState = app::RunQueue::State;

class WindowShotsTest : public QObject {
    Q_OBJECT

private slots:
    /// The window itself reads none of them, and one undo step takes all of them back.
    void runs_are_read_away_from_the_window() {
        const app::Home home;
        const QString run = listed_run(home, "first", 2, 1);
        StudioFixture studio;
        auto& project = studio.core().project;
        QStringList runs;
        for (int i = 0; i < 300; ++i) runs << run;
        const int steps = project.undo().count();
        emit studio.window().findChild<RunsPanel*>()->add_to_timeline(runs);
        QCOMPARE(project.count(), 0);
        QTRY_COMPARE_WITH_TIMEOUT(project.count(), 300, 30000);
        QCOMPARE(project.undo().count(), steps + 1);
    }

    /// Otherwise the user would notice it only in the exported file.
    void a_video_that_players_show_in_another_way_is_told() {
        const app::Home home;
        const QString media = QStringLiteral(DENOIR_FIXTURES "/media/");
        app::write_clip(home.file("plain.mp4"), 64, 48, 6);
        StudioFixture studio;
        auto& project = studio.core().project;
        auto* timeline = studio.window().findChild<TimelineView*>();
        const auto add = [&](const QStringList& files) {
            const int count = project.count() + int(files.size());
            timeline->add_files(files);
            QTRY_COMPARE_WITH_TIMEOUT(project.count(), count, 30000);
        };
        add({home.file("plain.mp4")});
        QCOMPARE(studio.window().banners().texts(), QStringList());
        add({media + "hdr_pq.mp4"});
        QCOMPARE(studio.window().banners().texts(),
                 QStringList("“hdr_pq” is HDR (PQ) and shown as if it were SDR, in paler colours than in players."));
        add({media + "clips/h264_interlaced.mp4", media + "hdr_hlg.mp4", home.file("plain.mp4")});
        const QStringList texts = studio.window().banners().texts();
        QCOMPARE(texts.size(), 1);
        QVERIFY2(texts[0].startsWith("“h264_interlaced” has pixels of 4:3") &&
                     texts[0].endsWith(" 1 other of these videos looks otherwise, too."),
                 qPrintable(texts[0]));
    }

    /// By their titles and not by their folders; if there are several, they are counted.
    void runs_without_a_video_are_told() {
        const app::Home home;
        const QString run = listed_run(home, "first", 2, 1);
        QStringList stopped;
        for (const char* name : {"one", "two"}) {
            stopped << listed_run(home, name, 2, 7);
            for (const char* video : {"/video.mp4", ".mp4"}) // also the video beside the folder
                QVERIFY(QFile::remove(stopped.constLast() + QLatin1String(video)));
        }
        StudioFixture studio;
        auto* runs = studio.window().findChild<RunsPanel*>();
        emit runs->add_to_timeline(QStringList{run} + stopped);
        QTRY_VERIFY2_WITH_TIMEOUT(said(studio).contains("1 added. 2 runs have no video yet"), qPrintable(said(studio)),
                                  30000);
        emit runs->add_to_timeline({stopped[0]});
        QTRY_VERIFY2_WITH_TIMEOUT(said(studio).contains("“a red balloon”: this run has no video yet"),
                                  qPrintable(said(studio)), 30000);
        QTRY_COMPARE_WITH_TIMEOUT(studio.core().history.rowCount(), 3, 30000);
        studio.window().viewer().compare(run, stopped[0]);
        QTRY_VERIFY2_WITH_TIMEOUT(
            studio.window().banners().texts().join('\n').contains("“a red balloon”: this run has"),
            qPrintable(said(studio)), 30000);
        QVERIFY2(!said(studio).contains(home.path()), qPrintable(said(studio)));
    }

    /// A shot that was removed meanwhile gets nothing, and another project hears nothing of it.
    void a_shot_that_is_gone_is_not_extended() {
        const app::Home home;
        const QString run = listed_run(home, "first", 3, 1);
        StudioFixture studio;
        load_tiny(studio);
        auto& core = studio.core();
        auto* timeline = studio.find<TimelineView>("timeline");
        for (const auto asked : {&TimelineView::extend_requested, &TimelineView::retake_requested})
            for (const bool whole_project : {false, true}) {
                studio.window().say("nothing yet");
                core.project.add_shot(app::take_of_run(run));
                core.inputs.put(
                    timeline, [] { return QThread::msleep(100), true; }, [](bool) {}); // a slow disk
                emit(timeline->*asked)(0);
                if (whole_project)
                    core.project.clear();
                else
                    core.project.remove_shot(0);
                bool read = false; // it is read after that
                core.inputs.put(
                    timeline, [] { return true; }, [&read](bool is) { read = is; });
                QTRY_VERIFY_WITH_TIMEOUT(read, 30000);
                QVERIFY2(said(studio).contains(whole_project ? "nothing yet" : "not there any more"),
                         qPrintable(said(studio)));
                QVERIFY(!said(studio).contains("continues"));
                QCOMPARE(core.queue.rowCount(), 0);
            }
    }

    /// A take that arrives after an undo must not make that undo final.
    void a_new_take_leaves_what_was_undone() {
        const app::Home home;
        const QString run = listed_run(home, "first", 3, 1);
        StudioFixture studio;
        load_tiny(studio);
        auto& project = studio.core().project;
        project.add_shot(app::take_of_run(run));
        for (const bool asked : {false, true}) {
            const std::size_t takes = project.shot(0).takes.size();
            project.rename_shot(0, asked ? "another" : "opening");
            emit studio.find<TimelineView>("timeline")->retake_requested(0);
            project.undo().undo();
            QVERIFY(studio.idle());
            QVERIFY2(said(studio).contains("The new clip is ready"), qPrintable(said(studio)));
            QCOMPARE(project.shot(0).takes.size(), takes);
            if (asked)
                QVERIFY(QTest::qWaitFor([&] { return studio.press("Put in now"); }, 30000));
            else
                project.undo().redo();
            QTRY_COMPARE_WITH_TIMEOUT(project.shot(0).takes.size(), takes + 1, 30000);
            QCOMPARE(project.shot(0).name, QStringLiteral("opening"));
            QVERIFY2(!said(studio).contains("The new clip is ready"), qPrintable(said(studio)));
        }
    }

    /// A retake that was stopped still joins its shot when it is done. If the shot is gone, a message says where the
    /// take is.
    void a_stopped_retake_joins_its_shot() {
        const app::Home home;
        const QString run = listed_run(home, "first", 60, 1);
        StudioFixture studio;
        auto& project = studio.core().project;
        auto& queue = studio.core().queue;
        project.add_shot(app::take_of_run(run));
        for (const bool gone : {false, true}) {
            app::Arrivals steps(&studio.core().worker, &app::EngineWorker::step_done),
                ended(&queue, &app::RunQueue::entry_ended);
            studio.key(Qt::Key_F6, Qt::ShiftModifier);
            studio.key(Qt::Key_R);
            QTRY_VERIFY_WITH_TIMEOUT(steps.count() > 3, 60000);
            const QString again = queue.running_run();
            studio.key(Qt::Key_Escape);
            QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, 30000);
            QCOMPARE(RunFolder::open(app::to_path(again)).record().state, RunState::cancelled);
            if (gone) project.remove_shot(0);
            auto* go_on = studio.find<QAction>("run.resume");
            QTRY_VERIFY_WITH_TIMEOUT(go_on->isEnabled(), 30000);
            go_on->trigger();
            QVERIFY(studio.idle());
            QTRY_VERIFY_WITH_TIMEOUT(!go_on->isEnabled(), 30000);
            QCOMPARE(ended.count(), 2);
            if (gone) continue;
            QCOMPARE(project.shot(0).takes.size(), std::size_t(2));
            QCOMPARE(project.shot(0).current().run, again);
        }
        QCOMPARE(project.count(), 0);
        QVERIFY2(said(studio).contains("among the runs"), qPrintable(said(studio)));
    }

    /// Entries that wait when the studio is closed find their shots when it is opened again.
    void retakes_and_extensions_outlive_the_studio() {
        const app::Home home;
        const QString run = listed_run(home, "first", 3, 1);
        std::optional<StudioFixture> studio(std::in_place);
        const auto project = [&]() -> app::Project& { return studio->core().project; };
        const auto queue = [&]() -> app::RunQueue& { return studio->core().queue; };
        load_tiny(*studio);
        queue().set_paused(true);
        project().add_shot(app::take_of_run(run));
        studio->key(Qt::Key_F6, Qt::ShiftModifier);
        studio->key(Qt::Key_R);
        QTRY_COMPARE_WITH_TIMEOUT(queue().waiting(), 1, 30000);
        studio->key(Qt::Key_E);
        QTRY_VERIFY_WITH_TIMEOUT(said(*studio).contains("the result comes after it"), 30000);
        QVERIFY(studio->core().document.wait_resolved(20000));
        studio->find<QSpinBox>("copies")->setValue(2); // two takes of one shot
        studio->key(Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(queue().waiting(), 3, 30000);
        QVERIFY(studio->window().close());
        studio.reset();
        studio.emplace();
        QCOMPARE(project().count(), 1);
        QCOMPARE(queue().waiting(), 3);
        queue().set_paused(false);
        QVERIFY(studio->idle());
        QCOMPARE(project().count(), 2);
        QCOMPARE(project().shot(0).takes.size(), std::size_t(2));
        QCOMPARE(project().shot(1).takes.size(), std::size_t(2));
    }

    /// With the shot's own model if that can do it, and otherwise with the chosen one.
    void an_extension_is_made_by_a_model_that_can() {
        const app::Home home;
        const auto model = [](const char* name) {
            return QFileInfo(QStringLiteral(DENOIR_FIXTURES "/_models/") + QLatin1String(name)).absoluteFilePath();
        };
        const QString text_only = model("Wan2.1-T2V-tiny"), image = model("Wan2.2-TI2V-tiny");
        const QString forcing = listed_run(home, "forcing", 2, 1), plain = listed_run(home, "plain", 2, 2);
        { // as if its model took no image
            RunFolder run = RunFolder::take(app::to_path(plain));
            Request& r = run.record().request;
            r.model = app::to_path(text_only);
            r.mode = Mode::t2v, r.family = Family::wan;
            r.forcing.reset();
            run.save();
        }
        StudioFixture studio;
        load_tiny(studio);
        auto& document = studio.core().document;
        auto& project = studio.core().project;
        auto* timeline = studio.find<TimelineView>("timeline");
        for (const QString& run : {forcing, plain}) project.add_shot(app::take_of_run(run));
        const auto extend = [&](int shot, const QString& by) {
            document.settle();
            QVERIFY(document.set_value("model", by).isEmpty());
            QVERIFY(document.wait_resolved(20000));
            studio.find<ElidedLabel>("status-stage")->set_text({});
            emit timeline->extend_requested(shot);
            QVERIFY(QTest::qWaitFor([&] { return !studio.core().inputs.busy(); }, 30000));
        };
        extend(1, text_only);
        QVERIFY2(said(studio).contains("takes no start image"), qPrintable(said(studio)));
        QVERIFY(!said(studio).contains("continues"));
        extend(1, image);
        QVERIFY2(said(studio).contains("continues"), qPrintable(said(studio)));
        QCOMPARE(document.value("model").toString(), image);
        QCOMPARE(document.value("prompt").toString(), QStringLiteral("a red balloon"));
        QTRY_VERIFY_WITH_TIMEOUT(!document.asked().image.empty(), 30000);
        // The picture also stays for later clips, which a message says.
        QVERIFY(document.set_value("height", 64).isEmpty()); // this model can make that size
        QVERIFY(document.wait_resolved(20000));
        studio.core().queue.set_paused(true);
        QSignalSpy told(studio.window().findChild<Extension*>(), &Extension::said);
        studio.find<QAction>("run.generate")->trigger();
        QCOMPARE(studio.core().queue.waiting(), 1);
        QVERIFY(!document.asked().image.empty());
        QCOMPARE(told.size(), 1);
        QVERIFY2(told[0][0].toString().contains("with the same picture"), qPrintable(told[0][0].toString()));
        studio.core().queue.clear_waiting();
        studio.core().queue.set_paused(false);
        QVERIFY(document.set_value("image", QString()).isEmpty());
        extend(1, image);
        QTRY_VERIFY_WITH_TIMEOUT(!document.asked().image.empty(), 30000);
        project.undo().undo(); // without the picture nothing is continued
        QVERIFY(document.asked().image.empty());
        QVERIFY2(!said(studio).contains("continues"), qPrintable(said(studio)));
        extend(0, text_only);
        QVERIFY2(said(studio).contains("with its last pictures"), qPrintable(said(studio)));
        QCOMPARE(document.value("model").toString(), QStringLiteral(DENOIR_TINY_MODEL));
        QVERIFY(!document.value("forcing.video").toString().isEmpty());
        // The cross of the banner means "Not now": the next clip is no shot.
        close_banner(studio, "extend");
        QVERIFY2(said(studio).contains("does not go to the timeline"), qPrintable(said(studio)));
        QVERIFY(document.wait_resolved(20000));
        studio.key(Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(studio.idle());
        QCOMPARE(studio.core().queue.index(0).data(app::RunQueue::StateRole).toInt(), int(QueueState::done));
        QCOMPARE(project.count(), 2);
        // Esc means the same unless a run is at work. A retake is not an extension.
        extend(0, text_only);
        studio.key(Qt::Key_Escape);
        QVERIFY(!said(studio).contains("continues"));
        QVERIFY2(said(studio).contains("does not go to the timeline"), qPrintable(said(studio)));
        extend(0, text_only);
        QVERIFY(said(studio).contains("continues"));
        studio.core().queue.set_paused(true);
        emit timeline->retake_requested(0);
        QTRY_COMPARE_WITH_TIMEOUT(studio.core().queue.waiting(), 1, 30000);
        QVERIFY(!said(studio).contains("continues"));
    }

    /// The banner names the parameters that it replaced, and undo brings them back.
    void an_extension_names_what_it_replaced() {
        const app::Home home;
        const QString image = QFileInfo(QStringLiteral(DENOIR_FIXTURES "/_models/Wan2.2-TI2V-tiny")).absoluteFilePath();
        const QString run = listed_run(home, "first", 2, 1);
        app::write_clip(home.file("a.mp4"), 64, 48, 9);
        write_png(app::to_path(home.file("start.png")), app::to_image(QImage(48, 32, QImage::Format_RGB888)));
        StudioFixture studio;
        load_tiny(studio);
        auto& document = studio.core().document;
        studio.core().project.add_shot(app::take_of_run(run));
        studio.core().project.add_shot(app::take_of_video(home.file("a.mp4")));
        const auto extend = [&](int shot) {
            QVERIFY(document.wait_resolved(20000));
            emit studio.find<TimelineView>("timeline")->extend_requested(shot);
            QVERIFY(QTest::qWaitFor([&] { return !studio.core().inputs.busy(); }, 30000));
        };
        extend(0);
        QVERIFY2(said(studio).contains("Changed for it: prompt, size, frames, steps, seed."), qPrintable(said(studio)));
        extend(0);
        QVERIFY2(said(studio).contains("the result comes after it.") && !said(studio).contains("Changed"),
                 qPrintable(said(studio)));
        QVERIFY(document.set_value("model", image).isEmpty());
        QVERIFY(document.set_value("image", home.file("start.png")).isEmpty());
        extend(1);
        QVERIFY2(said(studio).contains("Changed for it: start image."), qPrintable(said(studio)));
    }

    /// Pressed twice while the request is still resolved, it makes two takes of the new shot, as two copies would.
    void generate_pressed_twice_extends_twice() {
        const app::Home home;
        const QString run = listed_run(home, "first", 2, 1);
        StudioFixture studio;
        load_tiny(studio);
        auto& project = studio.core().project;
        project.add_shot(app::take_of_run(run));
        emit studio.find<TimelineView>("timeline")->extend_requested(0);
        QTRY_VERIFY_WITH_TIMEOUT(said(studio).contains("the result comes after it"), 30000);
        QSemaphore go_on;
        hold_up_inputs(studio, go_on);
        for (int i = 0; i < 2; ++i) studio.find<QAction>("run.generate")->trigger();
        QCOMPARE(studio.core().queue.rowCount(), 0);
        go_on.release();
        QVERIFY(studio.idle());
        QCOMPARE(studio.core().queue.rowCount(), 2);
        QCOMPARE(project.count(), 2);
        QCOMPARE(project.shot(1).takes.size(), std::size_t(2));
        QVERIFY(!studio.core().document.asked().forcing); // the next clip stands alone
    }

    /// As its menu promises, it takes the selected pair and not only one that is compared already.
    void layers_are_compared_of_what_is_selected() {
        const app::Home home;
        listed_run(home, "first", 2, 1);
        listed_run(home, "second", 2, 2);
        StudioFixture studio;
        auto* list = studio.find<QListView>("runs");
        QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 2, 30000);
        list->selectAll();
        const QStringList pair = studio.window().findChild<RunsPanel*>()->selected();
        studio.key(Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(studio.window().layouts().current(), Layout::compare);
        auto& viewer = studio.window().viewer();
        QTRY_COMPARE_WITH_TIMEOUT(viewer.run(app::Side::b), pair[1], 30000);
        QCOMPARE(viewer.run(app::Side::a), pair[0]);
        QVERIFY(studio.find<QWidget>("layers")->isVisible());
    }

    /// A selection that was compared is used up, and the next action means what the user looks at now.
    void a_pair_that_was_compared_makes_room() {
        const app::Home home;
        for (const auto& [name, seed] : {std::pair{"first", 1}, {"second", 2}, {"third", 3}})
            listed_run(home, name, 2, quint64(seed));
        StudioFixture studio;
        load_tiny(studio);
        auto& core = studio.core();
        auto* panel = studio.window().findChild<RunsPanel*>();
        auto* list = studio.find<QListView>("runs");
        QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 3, 30000);
        const auto select = [&](int first, int last) {
            list->selectionModel()->select(
                QItemSelection(list->model()->index(first, 0), list->model()->index(last, 0)),
                QItemSelectionModel::ClearAndSelect);
            return panel->selected();
        };
        const QStringList pair = select(0, 1);
        studio.window().viewer().show_run(pair[0]);
        select(0, 1);
        studio.key(Qt::Key_2, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(studio.window().viewer().run(app::Side::b), pair[1], 30000);
        QCOMPARE(panel->selected(), pair); // the pair is still shown
        studio.key(Qt::Key_1, Qt::ControlModifier);
        studio.window().preview().setFocus();
        studio.find<QAction>("run.generate")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(core.history.rowCount(), 4, 30000);
        QVERIFY(studio.idle());
        const QString run = core.queue.index(0).data(app::RunQueue::RunRole).toString();
        QTRY_COMPARE_WITH_TIMEOUT(panel->selected(), QStringList{run}, 30000);
        // Other selected runs stay selected, and the picture goes on the timeline.
        const QStringList others = select(2, 3);
        QVERIFY(!others.contains(run));
        studio.find<QAction>("run.to-timeline")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(core.project.shots().size(), std::size_t(1), 30000);
        QCOMPARE(panel->selected(), others);
        select(0, 3); // it is among the selected ones
        studio.find<QAction>("run.to-timeline")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(core.project.shots().size(), std::size_t(5), 30000);
    }
};

int main(int argc, char** argv) { return run_window_test<WindowShotsTest>(argc, argv); }

#include "window_shots_test.moc"
