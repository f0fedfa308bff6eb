// SPDX-License-Identifier: Apache-2.0
// How shots come into the cut in the whole window: from runs, by extending and by making them anew.
#include "tests/ui/window_main.h"
#include "tests/ui/window_tools.h"
#include "ui/timeline/timeline_view.h"

using namespace denoir;
using namespace denoir::ui;

class WindowShotsTest : public QObject {
    Q_OBJECT

private slots:
    /// What was asked of a shot that went with its project meanwhile happens nowhere.
    void a_shot_that_is_gone_is_not_extended() {
        const app::Home home;
        const QString run = listed_run(home, "first", 3, 1);
        StudioFixture studio;
        load_tiny(studio);
        auto& core = studio.core();
        auto* timeline = studio.find<TimelineView>("timeline");
        for (const auto asked : {&TimelineView::extend_requested, &TimelineView::retake_requested}) {
            core.project.add_shot(app::Project::take_of_run(run));
            emit(timeline->*asked)(0);
            core.project.clear();
            QTRY_VERIFY_WITH_TIMEOUT(!core.inputs.busy(), 30000);
            QVERIFY2(said(studio).contains("not there any more"), qPrintable(said(studio)));
            QVERIFY(!said(studio).contains("continues"));
            QCOMPARE(core.queue.rowCount(), 0);
        }
    }
};

int main(int argc, char** argv) { return run_window_test<WindowShotsTest>(argc, argv); }

#include "window_shots_test.moc"
