// SPDX-License-Identifier: Apache-2.0
// What is put in line in the whole window: entries that are edited or taken away, branches, seeds.
#include <QListView>
#include <QMenu>
#include <QSemaphore>
#include <QSpinBox>
#include <QThread>
#include <QTimer>
#include <QToolButton>
#include <optional>

#include "app/request/request_document.h"
#include "app/runs/engine_worker.h"
#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"
#include "app/sweep/sweep_document.h"
#include "engine/session/request_json.h"
#include "tests/app/arrivals.h"
#include "tests/ui/window/window_main.h"
#include "tests/ui/window/window_tools.h"
#include "ui/docks/queue_panel.h"
#include "ui/docks/runs_panel.h"
#include "ui/preview/preview_view.h"
#include "ui/steps/step_strip.h"
#include "ui/steps/steps_panel.h"
#include "ui/widgets/banner.h"
#include "ui/window/layouts.h"

using namespace denoir;
using namespace denoir::ui;

class WindowQueueTest : public QObject {
    Q_OBJECT

    /// A run waits in the paused queue, and its request is edited in the parameters.
    void edit_waiting_run(StudioFixture& studio) {
        load_tiny(studio);
        auto& queue = studio.core().queue;
        queue.set_paused(true);
        studio.find<QAction>("run.generate")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(queue.rowCount(), 1, 30000);
        auto* list = studio.find<QListView>("queue");
        studio.click(list->viewport(), studio.row_point(list, 0));
        QTest::keyClick(list, Qt::Key_Return);
        QVERIFY(said(studio).contains("waiting run"));
    }

private slots:
    void no_branch_begins_at_the_last_step() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        studio.find<QAction>("run.generate")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(studio.core().history.rowCount(), 1, 30000);
        QVERIFY(studio.idle());
        studio.find<QAction>("run.branch")->trigger();
        QVERIFY2(said(studio).startsWith("After step"), qPrintable(said(studio)));
        QVERIFY(!studio.core().document.asked().start);
        for (const char* strip : {"live-steps", "run-steps"}) studio.find<StepStrip>(strip)->set_step(0);
        studio.find<QAction>("run.branch")->trigger();
        QVERIFY2(said(studio).startsWith("Step 0 is the noise"), qPrintable(said(studio)));
    }

    /// Ctrl+Z brings back what left the queue and takes back other changes in their order, the newest first.
    void what_left_the_queue_comes_back_by_undo() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto& document = studio.core().document;
        auto& queue = studio.core().queue;
        queue.set_paused(true);
        for (int i = 0; i < 3; ++i) studio.find<QAction>("run.generate")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(queue.rowCount(), 3, 30000);
        document.settle();
        document.set_value("steps", 2);
        auto* list = studio.find<QListView>("queue");
        for (const int left : {2, 1}) {
            studio.click(list->viewport(), studio.row_point(list, 0));
            studio.key(Qt::Key_Delete);
            QCOMPARE(queue.rowCount(), left);
        }
        QVERIFY(studio.find<QAction>("edit.undo")->text().contains("queue"));
        document.set_value("steps", 3);
        for (const int rows : {1, 2, 3}) {
            studio.key(Qt::Key_Z, Qt::ControlModifier);
            QCOMPARE(queue.rowCount(), rows);
            QCOMPARE(document.value("steps").toInt(), 2);
        }
        studio.key(Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(document.value("steps").toInt() != 2);
        QCOMPARE(queue.rowCount(), 3);
    }

    /// However many runs have ended before it in an earlier session, also in another layout.
    void what_waits_is_in_sight() {
        const app::Home home;
        constexpr int ended = 8;
        for (int session = 0; session < 2; ++session) {
            StudioFixture studio;
            auto& queue = studio.core().queue;
            auto* list = studio.find<QListView>("queue");
            if (session == 0) {
                for (int i = 0; i < ended; ++i) queue.add({app::tiny_request(), {}});
                QVERIFY(studio.idle());
                queue.set_paused(true);
                queue.add({app::tiny_request(), {}});
                continue;
            }
            QCOMPARE(queue.rowCount(), ended + 1);
            const auto in_sight = [&] {
                return list->isVisible() &&
                       list->viewport()->rect().contains(list->visualRect(list->model()->index(ended, 0)));
            };
            QTRY_VERIFY(in_sight());
            studio.window().layouts().show(Layout::tune);
            QTRY_VERIFY(in_sight());
        }
    }

    /// If the run has ended meanwhile, nothing is stopped and nothing is removed.
    void the_menu_stops_what_it_was_opened_on() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto& queue = studio.core().queue;
        queue.set_paused(true);
        studio.find<QAction>("run.generate")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(queue.rowCount(), 1, 30000);
        queue.set_paused(false);
        QVERIFY(queue.running() != 0);
        bool stopped = false;
        QTimer::singleShot(0, &studio.window(), [&] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            if (!menu) return;
            const bool ended = QTest::qWaitFor([&] { return queue.running() == 0; }, 60000);
            for (QAction* action : menu->actions())
                if (ended && action->text() == "Stop") action->trigger(), stopped = true;
            menu->close();
        });
        auto* list = studio.find<QListView>("queue");
        emit list->customContextMenuRequested(studio.row_point(list, 0));
        QVERIFY(stopped);
        QCOMPARE(queue.rowCount(), 1);
    }

    /// Like any other resumed run it is shown with its steps, whatever was shown before.
    void what_is_resumed_from_its_menu_is_watched() {
        const app::Home home;
        app::write_clip(home.file("other.mp4"), 64, 48, 4);
        StudioFixture studio;
        load_tiny(studio);
        auto& core = studio.core();
        core.document.set_value("steps", 400);
        QVERIFY(core.document.wait_resolved(20000));
        app::Arrivals steps(&core.worker, &app::EngineWorker::step_done);
        studio.find<QAction>("run.generate")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(steps.count() > 3, 60000);
        auto& preview = studio.window().preview();
        preview.show_clip(app::Side::a, home.file("other.mp4"), true);
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a) && !preview.covered(), 30000);
        studio.key(Qt::Key_Escape);
        QVERIFY(studio.idle());
        QVERIFY(!preview.covered());
        QTimer::singleShot(0, &studio.window(), [] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            if (!menu) return;
            for (QAction* action : menu->actions())
                if (action->text() == "Resume") action->trigger();
            menu->close();
        });
        auto* list = studio.find<QListView>("queue");
        emit list->customContextMenuRequested(studio.row_point(list, 0));
        QTRY_VERIFY_WITH_TIMEOUT(preview.covered(), 30000);
        studio.key(Qt::Key_Escape);
        QVERIFY(studio.idle());
    }

    /// Star, rename and delete mean the run that is visible, also while it is at work. A list that is being used keeps
    /// its selection.
    void the_run_at_work_is_selected_while_it_is_seen() {
        const app::Home home;
        const QString first = listed_run(home, "first", 3, 5);
        StudioFixture studio;
        load_tiny(studio);
        auto& core = studio.core();
        auto* runs = studio.window().findChild<RunsPanel*>();
        auto& viewer = studio.window().viewer();
        QTRY_COMPARE_WITH_TIMEOUT(core.history.rowCount(), 1, 30000);
        core.document.set_value("steps", 400);
        QVERIFY(core.document.wait_resolved(20000));
        viewer.show_run(first);
        QCOMPARE(runs->current(), first);
        const auto& steps = *studio.window().findChild<StepsPanel*>();
        const auto generate = [&] {
            studio.find<QAction>("run.generate")->trigger();
            QTRY_VERIFY_WITH_TIMEOUT(steps.shows_live() && steps.live().running(), 60000);
        };
        generate();
        const QString live = steps.live().run();
        QTRY_COMPARE_WITH_TIMEOUT(runs->current(), live, 30000);
        studio.find<QAction>("run.star")->trigger();
        QVERIFY(core.history.starred(live) && !core.history.starred(first));
        viewer.show_run(first);
        QCOMPARE(runs->current(), first);
        studio.find<QAction>("run.watch")->trigger();
        QCOMPARE(runs->current(), live);
        studio.key(Qt::Key_Escape);
        QVERIFY(studio.idle());
        // While the list has the keyboard.
        auto* list = studio.find<RunsView>("runs");
        studio.have_focus();
        list->setFocus();
        QTRY_VERIFY(list->hasFocus());
        list->setCurrentIndex(list->model()->index(core.history.row_of(first), 0));
        generate();
        QTRY_COMPARE_WITH_TIMEOUT(core.history.rowCount(), 3, 30000);
        QCOMPARE(runs->current(), first);
        studio.key(Qt::Key_Escape);
        QVERIFY(studio.idle());
    }

    /// The text with its wildcards is edited, and not what was drawn from it.
    void an_entry_that_is_edited_keeps_its_wildcards() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto& document = studio.core().document;
        studio.core().queue.set_paused(true);
        document.set_values({{"prompt", "A {red|blue} fox"}, {"negative_prompt", "{blur|noise}"}}, "texts");
        studio.find<QAction>("run.generate")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(studio.core().queue.rowCount(), 1, 30000);
        document.settle();
        document.set_values({{"prompt", "A fox"}, {"negative_prompt", "dark"}}, "other texts");
        auto* list = studio.find<QListView>("queue");
        studio.click(list->viewport(), studio.row_point(list, 0));
        QTest::keyClick(list, Qt::Key_Return);
        QCOMPARE(document.value("prompt").toString(), QString("A {red|blue} fox"));
        QCOMPARE(document.value("negative_prompt").toString(), QString("{blur|noise}"));
    }

    /// A run goes on with the request in its folder.
    void what_goes_on_is_not_edited() {
        const app::Home home;
        const QString run = listed_run(home, "first", 2, 1);
        StudioFixture studio;
        load_tiny(studio);
        auto& queue = studio.core().queue;
        queue.set_paused(true);
        const quint64 entry = queue.add_resume(run);
        const Json before = asked_json(studio.core().document.asked());
        auto* list = studio.find<QListView>("queue");
        studio.click(list->viewport(), studio.row_point(list, queue.row_of(entry)));
        QTest::keyClick(list, Qt::Key_Return);
        QVERIFY2(!said(studio).contains("waiting run"), qPrintable(said(studio)));
        QVERIFY(asked_json(studio.core().document.asked()) == before);
        QCOMPARE(studio.window().viewer().run(app::Side::a), run); // the run is shown instead
    }

    /// The cross of the banner leaves the entry unchanged.
    void an_edit_ends_with_its_banner() {
        const app::Home home;
        StudioFixture studio;
        edit_waiting_run(studio);
        auto& queue = studio.core().queue;
        auto* generate = studio.find<QAction>("run.generate");
        close_banner(studio, "editing");
        studio.core().document.set_value("steps", 2);
        generate->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(queue.rowCount(), 2, 30000);
        QCOMPARE(queue.snapshot(queue.index(0).data(app::RunQueue::IdRole).toULongLong())->request.steps, 3);
    }

    /// Otherwise its clip would be shown for values that it was not made with.
    void a_changed_entry_is_no_cell_of_its_sweep() {
        const app::Home home;
        StudioFixture studio(Layout::tune);
        load_tiny(studio);
        auto& core = studio.core();
        core.queue.set_paused(true);
        core.sweeps().axes().set_all({{"steps", "2, 3"}}, {});
        QVERIFY(core.document.wait_resolved(20000));
        auto* generate = studio.find<QAction>("run.generate");
        generate->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(core.queue.rowCount(), 2, 30000);
        const auto said = [&](int row, int role) { return core.queue.index(row).data(role).toString(); };
        QVERIFY(said(0, app::RunQueue::LabelRole).contains("steps 3")); // the one that takes longest
        auto* list = studio.find<QListView>("queue");
        QVERIFY(list->model()->index(0, 0).data(Qt::AccessibleTextRole).toString().startsWith("steps 3"));
        studio.window().layouts().show(Layout::create);
        auto* panel = studio.window().findChild<QueuePanel*>();
        for (const int row : {0, 1}) {
            list->setCurrentIndex(list->model()->index(row, 0));
            panel->edit_selected();
            if (row == 1) core.document.set_value("guidance", 2.0);
            generate->trigger();
            QTRY_COMPARE_WITH_TIMEOUT(studio.window().banners().texts().join('\n').contains("waiting run"), false,
                                      30000);
        }
        using State = app::SweepDocument::State;
        QVERIFY(!said(0, app::RunQueue::TagRole).isEmpty()); // nothing was changed
        QTRY_VERIFY(said(1, app::RunQueue::TagRole).isEmpty() && said(1, app::RunQueue::LabelRole).isEmpty());
        QCOMPARE(core.sweeps().cell(1).state, State::waiting);
        QCOMPARE(core.sweeps().cell(0).state, State::missing);
    }

    /// Like a run, a sweep waits for a picture that is still being imported.
    void a_sweep_waits_for_a_picture_that_is_imported() {
        const app::Home home;
        StudioFixture studio(Layout::tune);
        load_tiny(studio);
        auto& core = studio.core();
        core.queue.set_paused(true);
        core.sweeps().axes().set_all({{"seed", "1, 2"}}, {});
        QVERIFY(core.document.wait_resolved(20000));
        QObject window; // such as a pasted picture
        const auto slowly = [] {
            QThread::msleep(100);
            return 2;
        };
        core.inputs.put(&window, slowly, [&](int steps) { core.document.set_value("steps", steps); });
        studio.find<QAction>("run.generate")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(core.queue.rowCount(), 2, 30000);
        for (int row = 0; row < 2; ++row) {
            const QModelIndex entry = core.queue.index(row);
            const auto snapshot = core.queue.snapshot(entry.data(app::RunQueue::IdRole).toULongLong());
            QCOMPARE(snapshot->request.steps.value_or(0), 2);
        }
    }

    /// Neither in the strip that showed it at work, nor after it is opened again.
    void a_run_that_is_done_is_not_resumed() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        studio.find<QAction>("run.generate")->trigger();
        QVERIFY(studio.idle());
        const QString run = studio.core().queue.index(0).data(app::RunQueue::RunRole).toString();
        const auto offers = [&](const char* strip) {
            for (const auto* button : studio.find<StepStrip>(strip)->findChildren<QToolButton*>())
                if (button->accessibleName() == "Resume") return !button->isHidden();
            return true;
        };
        QTRY_COMPARE_WITH_TIMEOUT(studio.find<StepStrip>("live-steps")->step(), 3, 30000);
        QVERIFY(!offers("live-steps"));
        auto* panel = studio.window().findChild<StepsPanel*>();
        panel->show_live(false);
        QTRY_COMPARE_WITH_TIMEOUT(studio.find<StepStrip>("run-steps")->step(), 3, 30000);
        QCOMPARE(panel->pictures().run(), run);
        QVERIFY(!offers("run-steps"));
    }

    /// There is no entry yet that could be stopped.
    void stop_gives_up_a_run_that_waits_for_a_picture() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto& core = studio.core();
        core.queue.set_paused(true);
        QSemaphore go_on;
        hold_up_inputs(studio, go_on);
        studio.find<QAction>("run.generate")->trigger();
        studio.find<QAction>("run.cancel")->trigger();
        QVERIFY2(said(studio).contains("Called off"), qPrintable(said(studio)));
        go_on.release();
        QTRY_VERIFY_WITH_TIMEOUT(!core.inputs.busy(), 30000);
        QCoreApplication::processEvents();
        QCOMPARE(core.queue.rowCount(), 0);
        studio.find<QAction>("run.cancel")->trigger();
        QVERIFY2(said(studio).startsWith("There is nothing to stop"), qPrintable(said(studio)));
    }

    void stop_gives_up_a_sweep_that_waits_for_its_request() {
        const app::Home home;
        StudioFixture studio(Layout::tune);
        load_tiny(studio);
        auto& core = studio.core();
        core.queue.set_paused(true);
        core.sweeps().axes().set_all({{"steps", "2, 3"}}, "axes");
        core.document.refresh();
        QVERIFY(core.document.pending());
        studio.find<QAction>("run.generate")->trigger();
        studio.find<QAction>("run.cancel")->trigger();
        QVERIFY2(said(studio).contains("Called off"), qPrintable(said(studio)));
        QVERIFY(core.document.wait_resolved(20000));
        QTest::qWait(300);
        QVERIFY(!core.sweeps().starting() && core.queue.rowCount() == 0);
    }

    /// The entry that the changes were meant for is gone, so Generate makes a run of them.
    void an_edit_ends_with_its_entry() {
        const app::Home home;
        StudioFixture studio;
        edit_waiting_run(studio);
        auto& queue = studio.core().queue;
        auto* generate = studio.find<QAction>("run.generate");
        queue.clear_waiting();
        QVERIFY2(!said(studio).contains("waiting run"), qPrintable(said(studio)));
        generate->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(queue.rowCount(), 1, 30000);
        QVERIFY2(!said(studio).contains("has begun meanwhile"), qPrintable(said(studio)));
    }

    /// Undo brings the user's own request back, of which Generate then makes a run without touching the waiting one.
    void an_edit_ends_with_its_undo() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto& queue = studio.core().queue;
        queue.set_paused(true);
        auto* generate = studio.find<QAction>("run.generate");
        generate->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(queue.rowCount(), 1, 30000);
        const quint64 waiting = queue.index(0).data(app::RunQueue::IdRole).toULongLong();
        studio.core().document.set_value("steps", 2);
        auto* list = studio.find<QListView>("queue");
        studio.click(list->viewport(), studio.row_point(list, 0));
        QTest::keyClick(list, Qt::Key_Return);
        QVERIFY(said(studio).contains("waiting run"));
        QCOMPARE(studio.core().document.value("steps").toInt(), 3);
        while (studio.core().document.value("steps").toInt() == 3) studio.core().project.undo().undo();
        QVERIFY2(!said(studio).contains("waiting run"), qPrintable(said(studio)));
        generate->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(queue.rowCount(), 2, 30000);
        QCOMPARE(queue.snapshot(waiting)->request.steps, 3);
    }

    void how_many_wait_is_told_as_it_is() {
        const app::Home home;
        std::optional<StudioFixture> studio(std::in_place);
        load_tiny(*studio);
        studio->core().queue.set_paused(true);
        for (int i = 0; i < 3; ++i) studio->find<QAction>("run.generate")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(studio->core().queue.rowCount(), 3, 30000);
        studio.reset();
        studio.emplace();
        auto& queue = studio->core().queue;
        QVERIFY2(said(*studio).contains("3 runs wait"), qPrintable(said(*studio)));
        queue.remove(queue.index(1).data(app::RunQueue::IdRole).toULongLong());
        QVERIFY2(said(*studio).contains("2 runs wait"), qPrintable(said(*studio)));
        load_tiny(*studio);
        studio->find<QAction>("run.generate")->trigger();
        QTRY_VERIFY2_WITH_TIMEOUT(said(*studio).contains("3 runs wait"), qPrintable(said(*studio)), 30000);
        queue.clear_waiting();
        const QStringList banners = studio->window().banners().texts();
        QVERIFY2(banners.filter("wait").isEmpty(), qPrintable(banners.join('\n')));
    }

    /// The banner is the only sign of a branch. It must be there as long as the request is one, also after a restart.
    void a_branch_is_told_as_long_as_it_is_one() {
        const app::Home home;
        const QString run = listed_run(home, "first", 3, 1);
        std::optional<StudioFixture> studio(std::in_place);
        const auto told = [&] { return said(*studio).contains("the first 2 steps are not computed again"); };
        load_tiny(*studio);
        const auto draft = [&] { return asked_json(studio->core().document.asked()); };
        const Json before = draft();
        emit studio->find<StepStrip>("run-steps")->branch_requested(run, 2);
        QTRY_VERIFY_WITH_TIMEOUT(told(), 30000);
        QVERIFY(draft() != before);
        studio->key(Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(!told() && draft() == before);
        studio->core().project.undo().redo();
        QVERIFY(told());
        // If its cross is pressed the run begins anew, which undo takes back like any change.
        close_banner(*studio, "branch");
        QVERIFY(!told() && !studio->core().document.asked().start);
        studio->key(Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(told());
        studio->key(Qt::Key_Escape); // nothing is at work, so the new beginning is taken back
        QVERIFY(!told() && !studio->core().document.asked().start);
        studio->key(Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(told());
        QVERIFY(studio->window().close());
        studio.reset();
        studio.emplace();
        QVERIFY(studio->core().document.asked().start);
        QVERIFY2(told(), qPrintable(said(*studio)));
    }

    /// A number that is too large must not lose its last digit.
    void too_many_copies_become_the_most_that_are_possible() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto* copies = studio.find<QSpinBox>("copies");
        for (const auto& [typed, taken] : {std::pair("100", 64), {"0", 1}, {"7", 7}}) {
            copies->setFocus();
            copies->selectAll();
            studio.type(QLatin1String(typed));
            studio.key(Qt::Key_Tab);
            QCOMPARE(copies->value(), taken);
        }
        copies->setFocus();
        copies->selectAll();
        studio.type(QStringLiteral("1x00"));
        studio.core().queue.set_paused(true);
        studio.key(Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(studio.core().queue.rowCount(), 64, 30000);
    }

    /// No seed changes a branch, because its noise is its parent's. Copies of it would all be the same clip.
    void a_branch_is_made_once() {
        const app::Home home;
        const QString run = listed_run(home, "first", 3, 5);
        StudioFixture studio;
        load_tiny(studio);
        auto& queue = studio.core().queue;
        queue.set_paused(true);
        auto* copies = studio.find<QSpinBox>("copies");
        copies->setValue(3);
        emit studio.find<StepStrip>("run-steps")->branch_requested(run, 2);
        QTRY_VERIFY_WITH_TIMEOUT(studio.core().document.asked().start, 30000);
        QVERIFY(!copies->isEnabled());
        QVERIFY2(copies->toolTip().contains("branch"), qPrintable(copies->toolTip()));
        studio.core().document.set_seed_locked(false);
        studio.find<QAction>("run.generate")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(queue.rowCount() > 0, 30000);
        QCOMPARE(queue.rowCount(), 1);
        QCOMPARE(queue.index(0).data(app::RunQueue::SeedRole).toULongLong(), 5ull);
        studio.core().document.reset("start");
        QVERIFY(copies->isEnabled() && !copies->toolTip().contains("branch"));
        studio.find<QAction>("run.generate")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(queue.rowCount(), 4, 30000);
    }

    /// The seed of a request that was opened for variations stays unlocked, also after a restart and in the project.
    void an_unlocked_seed_stays_unlocked() {
        const app::Home home;
        std::optional<StudioFixture> studio(std::in_place);
        load_tiny(*studio);
        QVERIFY(studio->core().document.seed_locked());
        QVERIFY(studio->core().project.request().contains("seed"));
        studio->core().document.set_seed_locked(false);
        QVERIFY(!studio->core().project.request().contains("seed"));
        QVERIFY(studio->window().close());
        studio.reset();
        studio.emplace();
        QCOMPARE(studio->core().document.asked().prompt, app::tiny_request().prompt);
        QVERIFY(!studio->core().document.seed_locked());
    }
};

int main(int argc, char** argv) { return run_window_test<WindowQueueTest>(argc, argv); }

#include "window_queue_test.moc"
