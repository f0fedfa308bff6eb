// SPDX-License-Identifier: Apache-2.0
// How shots come into the cut in the whole window: from runs, by extending and by making them anew.
#include <QThread>
#include <QUndoStack>

#include "tests/ui/window/window_main.h"
#include "tests/ui/window/window_tools.h"
#include "ui/docks/runs_panel.h"
#include "ui/timeline/timeline_view.h"

using namespace denoir;
using namespace denoir::ui;

class WindowShotsTest : public QObject {
    Q_OBJECT

private slots:
    /// The window reads none of them itself, and one undo takes all of them back.
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

    /// What was asked of a shot that went with its project meanwhile happens nowhere.
    void a_shot_that_is_gone_is_not_extended() {
        const app::Home home;
        const QString run = listed_run(home, "first", 3, 1);
        StudioFixture studio;
        load_tiny(studio);
        auto& core = studio.core();
        auto* timeline = studio.find<TimelineView>("timeline");
        for (const auto asked : {&TimelineView::extend_requested, &TimelineView::retake_requested}) {
            core.project.add_shot(app::take_of_run(run));
            core.inputs.put(
                timeline, [] { return QThread::msleep(100), true; }, [](bool) {}); // a slow disk
            emit(timeline->*asked)(0);
            core.project.clear();
            QTRY_VERIFY_WITH_TIMEOUT(!core.inputs.busy(), 30000);
            QVERIFY2(said(studio).contains("not there any more"), qPrintable(said(studio)));
            QVERIFY(!said(studio).contains("continues"));
            QCOMPARE(core.queue.rowCount(), 0);
        }
    }

    /// A new take that arrives while an edit is undone, to be compared, does not take that edit away.
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
            QVERIFY2(said(studio).contains("The new take is ready"), qPrintable(said(studio)));
            QCOMPARE(project.shot(0).takes.size(), takes);
            if (asked)
                QVERIFY(QTest::qWaitFor([&] { return studio.press("Put in now"); }, 30000));
            else
                project.undo().redo();
            QTRY_COMPARE_WITH_TIMEOUT(project.shot(0).takes.size(), takes + 1, 30000);
            QCOMPARE(project.shot(0).name, QStringLiteral("opening"));
            QVERIFY2(!said(studio).contains("The new take is ready"), qPrintable(said(studio)));
        }
    }
};

int main(int argc, char** argv) { return run_window_test<WindowShotsTest>(argc, argv); }

#include "window_shots_test.moc"
