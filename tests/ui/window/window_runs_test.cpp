// SPDX-License-Identifier: Apache-2.0
// Runs in the whole window: what is done with them, and what is said where it cannot be done.
#include <QDeadlineTimer>
#include <QDockWidget>
#include <QFile>
#include <QInputDialog>
#include <QItemSelectionModel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QScopeGuard>
#include <QSemaphore>
#include <QTimer>
#include <memory>

#include "app/base/background.h"
#include "app/base/text.h"
#include "app/request/request_document.h"
#include "app/runs/engine_worker.h"
#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"
#include "app/sweep/open_sweep.h"
#include "app/sweep/sweep_document.h"
#include "engine/session/request_json.h"
#include "engine/session/run_folder.h"
#include "tests/app/arrivals.h"
#include "tests/app/clips.h"
#include "tests/app/fake_runs.h"
#include "tests/ui/window/window_main.h"
#include "tests/ui/window/window_tools.h"
#include "ui/docks/runs_panel.h"
#include "ui/preview/metrics_view.h"
#include "ui/preview/preview_view.h"
#include "ui/steps/step_strip.h"
#include "ui/steps/steps_panel.h"
#include "ui/tune/sweep_grid.h"
#include "ui/window/layouts.h"
#include "ui/window/status_line.h"

using namespace denoir;
using namespace denoir::ui;

class WindowRunsTest : public QObject {
    Q_OBJECT

private slots:
    /// Before its first step a run has nothing to show and nothing to press.
    void the_run_at_work_says_what_it_does() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto& preview = studio.window().preview();
        auto& queue = studio.core().queue;
        preview.clear(app::Side::a);
        const QString nothing = preview.canvas().accessibleDescription();
        QString at_start;
        const QObject here;
        connect(&queue, &app::RunQueue::entry_started, &here,
                [&] { at_start = preview.canvas().accessibleDescription(); });
        studio.find<QAction>("run.generate")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!at_start.isEmpty(), 30000);
        QCOMPARE(at_start, QStringLiteral("The run waits for the engine."));
        QVERIFY(studio.idle());
        preview.clear(app::Side::a);
        QCOMPARE(preview.canvas().accessibleDescription(), nothing);
    }

    /// A run without a video is named by its prompt like any other, and it is the reason why nothing is measured.
    void a_run_without_a_video_as_a() {
        const app::Home home;
        const QString run = listed_run(home, "stopped", 2, 7);
        QVERIFY(QFile::remove(run + "/video.mp4"));
        StudioFixture studio(Layout::compare);
        studio.core().history.refresh();
        studio.open({run});
        QTRY_VERIFY_WITH_TIMEOUT(studio.find<QToolButton>("choose-a")->toolTip().startsWith("a red balloon"), 20000);
        QTRY_VERIFY_WITH_TIMEOUT(studio.find<QToolButton>("choose-a")->toolTip().contains("no video yet"), 20000);
        auto* metrics = studio.window().findChild<MetricsView*>();
        QTRY_VERIFY2_WITH_TIMEOUT(metrics->accessibleDescription().startsWith("A has no video yet"),
                                  qPrintable(metrics->accessibleDescription()), 5000);
    }

    /// Star, rename and delete mean the run that is visible: in Tune the clip, elsewhere the run in the preview.
    void a_sweep_selects_its_runs_in_tune_alone() {
        const app::Home home;
        const QString first = listed_run(home, "first", 3, 5);
        StudioFixture studio;
        load_tiny(studio);
        auto& layouts = studio.window().layouts();
        auto& sweeps = studio.core().sweeps();
        auto& history = studio.core().history;
        auto* runs = studio.window().findChild<RunsPanel*>();
        auto* grid = studio.find<SweepGrid>("sweep-grid");
        layouts.show(Layout::tune);
        sweeps.axes().set_all({{"seed", "1, 2"}}, {});
        QTRY_VERIFY_WITH_TIMEOUT(!sweeps.outlook().pending && sweeps.outlook().clips == 2, 20000);
        studio.find<QAction>("run.generate")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(sweeps.shown() && sweeps.progress().done == 2, 60000);
        QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 3, 30000);
        const auto clip = [&](std::size_t cell) { return app::to_qstring(sweeps.shown()->cell(cell).run); };
        grid->set_current(1);
        QCOMPARE(runs->current(), clip(1));

        layouts.show(Layout::create);
        studio.window().viewer().show_run(first);
        QCOMPARE(runs->current(), first);
        grid->set_current(0); // as a remembered sweep does when it is opened
        QCOMPARE(runs->current(), first);
        layouts.show(Layout::tune);
        QCOMPARE(runs->current(), clip(0));
        layouts.show(Layout::create);
        QCOMPARE(runs->current(), first);
        studio.find<QAction>("run.star")->trigger();
        QVERIFY(history.starred(first) && !history.starred(clip(0)));
    }

    /// The run that was chosen as B is not the one that is visible after the comparison.
    void a_comparison_that_is_left_selects_what_is_seen() {
        const app::Home home;
        const QString first = listed_run(home, "first", 2, 1), second = listed_run(home, "second", 2, 2);
        StudioFixture studio(Layout::compare);
        auto& viewer = studio.window().viewer();
        auto* runs = studio.window().findChild<RunsPanel*>();
        QTRY_COMPARE_WITH_TIMEOUT(studio.core().history.rowCount(), 2, 30000);
        viewer.show_run(first);
        viewer.compare({}, second);
        runs->select(second); // as its menu did
        QTRY_COMPARE_WITH_TIMEOUT(viewer.run(app::Side::b), second, 30000);
        QCOMPARE(runs->current(), second);
        studio.window().layouts().reset_current(); // the comparison goes on
        QCOMPARE(runs->current(), second);
        studio.window().layouts().show(Layout::create);
        QCOMPARE(runs->current(), first);
        // A selected pair stays selected, so that Ctrl+2 compares it again.
        studio.window().layouts().show(Layout::compare);
        studio.find<RunsView>("runs")->selectAll();
        studio.window().layouts().show(Layout::create);
        QCOMPARE(runs->selected().size(), 2);
    }

    /// If a run goes on after it was looked at, its new steps are shown.
    void a_run_that_went_on_shows_all_its_steps() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        constexpr int all = 60;
        studio.core().document.set_value("steps", all);
        QVERIFY(studio.core().document.wait_resolved(20000));
        app::Arrivals steps(&studio.core().worker, &app::EngineWorker::step_done);
        studio.find<QAction>("run.generate")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(steps.count() > 3, 60000);
        const QString run = studio.core().queue.running_run();
        studio.key(Qt::Key_Escape);
        QVERIFY(studio.idle());
        studio.window().viewer().show_run(run);
        const auto* steps_panel = studio.window().findChild<StepsPanel*>();
        const auto last = [&] { return steps_panel->pictures().last_step(); };
        QTRY_VERIFY_WITH_TIMEOUT(last() > 2, 30000);
        QVERIFY(last() < all);
        studio.core().queue.add_resume(run);
        QVERIFY(studio.idle());
        studio.window().viewer().show_run(run);
        QTRY_COMPARE_WITH_TIMEOUT(last(), all, 30000);
    }

    /// Ctrl+2 compares them as Ctrl+Shift+C does, but only once: a choice in the bar afterwards stays.
    void two_selected_runs_are_compared() {
        const app::Home home;
        QStringList made;
        for (const auto& [name, seed] : {std::pair{"first", 1}, {"second", 2}, {"third", 3}})
            made << listed_run(home, name, 2, quint64(seed));
        StudioFixture studio;
        auto& viewer = studio.window().viewer();
        auto* list = studio.find<QListView>("runs");
        QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 3, 30000);
        const auto select = [&](int rows) {
            list->clearSelection();
            for (int row = 0; row < rows; ++row)
                list->selectionModel()->select(list->model()->index(row, 0), QItemSelectionModel::Select);
            return studio.window().findChild<RunsPanel*>()->selected();
        };
        const auto compares = [&](const QStringList& runs) {
            return QTest::qWaitFor(
                [&] { return viewer.run(app::Side::a) == runs[0] && viewer.run(app::Side::b) == runs[1]; }, 30000);
        };
        select(3);
        studio.key(Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY2(said(studio).contains("Select two runs"), qPrintable(said(studio)));
        const QStringList two = select(2);
        studio.key(Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY2(!said(studio).contains("Select two runs"), qPrintable(said(studio)));
        QVERIFY(compares(two));
        studio.window().layouts().show(Layout::create);
        viewer.show_run(two[0]);
        const QStringList again = select(3).mid(1);
        list->selectionModel()->select(list->model()->index(0, 0), QItemSelectionModel::Deselect);
        studio.key(Qt::Key_2, Qt::ControlModifier);
        QVERIFY(compares(again));
        viewer.compare(two[0], {});
        studio.key(Qt::Key_1, Qt::ControlModifier);
        studio.key(Qt::Key_2, Qt::ControlModifier);
        QVERIFY(compares({two[0], again[1]}));
    }

    /// Whether the run ends beside a sweep or is visible again by then.
    void steps_and_picture_are_of_one_run_after_a_look_at_a_sweep() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto& core = studio.core();
        auto& layouts = studio.window().layouts();
        core.document.set_value("steps", 10);
        QVERIFY(core.document.wait_resolved(20000));
        for (const bool back_in_time : {true, false}) {
            // During the third step, so that even a quick run cannot have ended.
            int steps = 0;
            QString run;
            const QObject here;
            connect(&core.worker, &app::EngineWorker::step_done, &here, [&] {
                if (++steps != 3) return;
                run = core.queue.running_run();
                layouts.show(Layout::tune);
                if (back_in_time) layouts.show(Layout::create);
            });
            studio.find<QAction>("run.generate")->trigger();
            QTRY_VERIFY_WITH_TIMEOUT(!run.isEmpty(), 60000);
            QVERIFY(studio.idle());
            layouts.show(Layout::create);
            const QString shown = studio.window().viewer().run(app::Side::a);
            QCOMPARE(shown == run, back_in_time);
            QTRY_COMPARE_WITH_TIMEOUT(studio.window().findChild<StepsPanel*>()->pictures().run(), shown, 10000);
        }
    }

    /// Nor if the window began beside the grid, with the newest run behind it.
    void a_sweep_opens_no_steps() {
        const app::Home home;
        (void)listed_run(home, "first", 2, 5);
        StudioFixture studio(Layout::tune);
        load_tiny(studio);
        auto& sweeps = studio.core().sweeps();
        sweeps.axes().set_all({{"seed", "1, 2"}}, {});
        QTRY_VERIFY_WITH_TIMEOUT(!sweeps.outlook().pending && sweeps.outlook().clips == 2, 20000);
        studio.find<QAction>("run.generate")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(sweeps.shown() && sweeps.progress().done == 2, 60000);
        QVERIFY(!studio.find<QDockWidget>("steps-dock")->isVisible());
    }

    /// The user wants to branch from it, whatever run comes next.
    void what_was_stopped_stays_in_sight() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto& core = studio.core();
        core.document.set_value("steps", 400);
        QVERIFY(core.document.wait_resolved(20000));
        app::Arrivals steps(&core.worker, &app::EngineWorker::step_done);
        for (int i = 0; i < 2; ++i) studio.find<QAction>("run.generate")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(steps.count() > 3, 60000);
        const QString run = core.queue.running_run();
        studio.key(Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(!core.queue.running_run().isEmpty() && core.queue.running_run() != run, 30000);
        const auto before = steps.count();
        QTRY_VERIFY_WITH_TIMEOUT(steps.count() > before + 2, 30000);
        QCOMPARE(studio.window().viewer().run(app::Side::a), run);
        QTRY_COMPARE_WITH_TIMEOUT(studio.window().findChild<RunsPanel*>()->current(), run, 30000);
        QTRY_VERIFY_WITH_TIMEOUT(studio.find<StepStrip>("run-steps")->step() > 1, 30000);
        studio.find<QAction>("run.branch")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(core.document.asked().start.has_value(), 30000);
        QCOMPARE(app::to_qstring(core.document.asked().start->run), run);
        studio.key(Qt::Key_Escape);
        QVERIFY(studio.idle());
    }

    /// Its newest step replaces the clip that was in the preview before.
    void what_was_stopped_is_seen_where_a_clip_was() {
        const app::Home home;
        const QString first = listed_run(home, "first", 3, 5);
        StudioFixture studio;
        load_tiny(studio);
        auto& core = studio.core();
        const auto& preview = studio.window().preview();
        studio.window().viewer().show_run(first);
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a), 30000);
        core.document.set_value("steps", 400);
        QVERIFY(core.document.wait_resolved(20000));
        app::Arrivals steps(&core.worker, &app::EngineWorker::step_done);
        studio.find<QAction>("run.generate")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(steps.count() > 3 && preview.covered(), 60000);
        const QString run = core.queue.running_run();
        studio.key(Qt::Key_Escape);
        QVERIFY(studio.idle());
        QTRY_VERIFY_WITH_TIMEOUT(!preview.info(app::Side::a), 30000); // it has no video
        QCOMPARE(studio.window().viewer().run(app::Side::a), run);
        QTRY_VERIFY_WITH_TIMEOUT(preview.covered(), 5000);
    }

    /// Actions mean a run that was opened from elsewhere. Those that only work in the list say so.
    void a_run_that_is_not_in_the_list_is_meant() {
        const app::Home home;
        const QString listed = listed_run(home, "first", 3, 5), elsewhere = home.file("elsewhere");
        // Nothing of the studio's knows the folder that it was moved to.
        QVERIFY(QDir().rename(app::tiny_run(home.file("made-here"), 2, 9), elsewhere));
        StudioFixture studio;
        load_tiny(studio);
        auto& document = studio.core().document;
        const auto* runs = studio.window().findChild<RunsPanel*>();
        QTRY_COMPARE_WITH_TIMEOUT(runs->current(), listed, 30000);
        studio.open({elsewhere});
        QCOMPARE(studio.window().viewer().run(app::Side::a), elsewhere);
        emit studio.core().history.scanned(); // before its video is open
        QVERIFY2(runs->current().isEmpty(), qPrintable(runs->current()));
        const auto* preview = studio.window().findChild<PreviewView*>();
        QTRY_VERIFY_WITH_TIMEOUT(preview->info(app::Side::a) && preview->info(app::Side::a)->path.startsWith(elsewhere),
                                 30000);
        // A list that gets the focus makes its first row current, which the user did not choose.
        QFocusEvent focus(QEvent::FocusIn);
        QApplication::sendEvent(studio.find<RunsView>("runs"), &focus);
        studio.find<QAction>("run.restore")->trigger();
        QVERIFY(studio.core().inputs.busy()); // its disk may be slow
        QTRY_COMPARE_WITH_TIMEOUT(document.value("seed").toInt(), 9, 30000);
        for (const char* action : {"run.star", "run.delete", "edit.rename"}) {
            studio.window().say("nothing yet");
            studio.find<QAction>(action)->trigger();
            QVERIFY2(said(studio).contains("not in the list"), qPrintable(said(studio)));
        }
        QVERIFY(QFile::exists(listed + "/run.json") && QFile::exists(elsewhere + "/run.json"));
        QVERIFY(!studio.core().history.starred(listed));
        studio.find<QAction>("run.verify")->trigger();
        QTRY_VERIFY2_WITH_TIMEOUT(said(studio).contains("elsewhere"), qPrintable(said(studio)), 60000);
        QVERIFY(studio.idle());
    }

    /// It says why a run or its star could not be changed.
    void what_cannot_be_done_to_a_run_is_said() {
        const app::Home home;
        const QString run = listed_run(home, "first", 2, 1);
        write(home.data("runs/.trash"), "in the way of a folder\n");
        StudioFixture studio;
        QTRY_COMPARE_WITH_TIMEOUT(studio.find<RunsView>("runs")->selectionModel()->selectedIndexes().size(), 1, 30000);
        studio.find<QAction>("run.delete")->trigger();
        QVERIFY(QFile::exists(run + "/run.json"));
        QVERIFY2(said(studio).contains("cannot be removed"), qPrintable(said(studio)));
        QVERIFY2(!said(studio).contains("at work"), qPrintable(said(studio)));
        QVERIFY(QDir().mkpath(run + "/studio.json/no-file"));
        studio.find<QAction>("run.star")->trigger();
        QTRY_VERIFY2_WITH_TIMEOUT(said(studio).contains("studio.json"), qPrintable(said(studio)), 30000);
        QVERIFY(QFile::remove(home.data("runs/.trash")));
        {
            const RunFolder taken = RunFolder::take(app::to_path(run));
            studio.find<QAction>("run.delete")->trigger();
            QVERIFY2(said(studio).contains("at work"), qPrintable(said(studio)));
        }
        studio.find<QAction>("run.delete")->trigger();
        QVERIFY(!QFile::exists(run));
    }

    /// Of several the newest is offered, and none that was declined before.
    void what_was_interrupted_is_offered_until_it_is_declined() {
        const app::Home home;
        QDir().mkpath(home.data("runs"));
        Json entries = Json::array();
        const auto interrupt = [&](int number) {
            RunFolder run = RunFolder::take(app::fake_run(app::to_path(home.data("runs")), number));
            run.record().state = RunState::running;
            run.save();
            entries.push_back({{"id", number},
                               {"state", "interrupted"},
                               {"request", asked_json(run.record().request)},
                               {"run", run.path().string()}});
            const Json queue{{"schema", 1}, {"paused", false}, {"entries", entries}};
            write(home.data("queue.json"), QByteArray::fromStdString(queue.dump()));
        };
        const auto offered = [](StudioFixture& studio) { return studio.window().banners().texts().join('\n'); };
        interrupt(1);
        interrupt(2);
        {
            StudioFixture studio;
            QTRY_VERIFY2_WITH_TIMEOUT(offered(studio).contains("number 2"), qPrintable(offered(studio)), 30000);
            QVERIFY2(offered(studio).contains("1 more"), qPrintable(offered(studio)));
            studio.core().queue.remove({1}); // it belongs to the other run
            QVERIFY2(offered(studio).contains("number 2"), qPrintable(offered(studio)));
            QVERIFY2(!offered(studio).contains(" more"), qPrintable(offered(studio)));
            studio.core().queue.undo_clear();
            QVERIFY2(offered(studio).contains("1 more"), qPrintable(offered(studio)));
            close_banner(studio, "resume");
        }
        {
            StudioFixture studio;
            QVERIFY2(!offered(studio).contains("interrupted"), qPrintable(offered(studio)));
        }
        interrupt(3);
        StudioFixture studio;
        QTRY_VERIFY2_WITH_TIMEOUT(offered(studio).contains("number 3"), qPrintable(offered(studio)), 30000);
        QVERIFY2(!offered(studio).contains(" more"), qPrintable(offered(studio)));
        // The user resumes it with another button.
        auto& queue = studio.core().queue;
        queue.set_paused(true);
        queue.add_resume(home.data("runs/run-000003"));
        QVERIFY2(!offered(studio).contains("interrupted"), qPrintable(offered(studio)));
    }

    /// A verification or a trace occupies the engine.
    void a_run_that_waits_for_the_engine_is_said() {
        const app::Home home;
        const QString first = listed_run(home, "one", 2, 1);
        StudioFixture studio;
        load_tiny(studio);
        auto& core = studio.core();
        (void)core.worker.verify(first); // like a trace, nothing says that it is running
        studio.find<QAction>("run.generate")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(core.queue.running() != 0, 30000);
        const QModelIndex entry = core.queue.index(core.queue.row_of(core.queue.running()));
        QVERIFY(!entry.data(app::RunQueue::StageRole).isValid());
        const QString words = studio.find<ElidedLabel>("status-stage")->whole();
        QVERIFY2(words.contains("waits for the engine"), qPrintable(words));
        QVERIFY(studio.idle());
    }

    /// The end of an export must not hide that a draft is still being written, and a slow task says how long it takes.
    void what_goes_on_beside_runs_is_told_each_by_itself() {
        using Task = StatusLine::Task;
        const app::Home home;
        StudioFixture studio;
        auto* line = studio.find<StatusLine>("status-line");
        const auto* words = studio.find<ElidedLabel>("status-stage");
        line->show_task(Task::cut, "exporting", 10, 100);
        line->show_task(Task::draft, "keeping a draft");
        QCOMPARE(words->whole(), QString("exporting — keeping a draft"));
        QTest::qWait(1100);
        line->show_task(Task::cut, "exporting", 20, 100);
        QVERIFY2(words->whole().startsWith("exporting · ") && words->whole().contains(" left"),
                 qPrintable(words->whole()));
        line->show_task(Task::cut, "exporting", 1, 100); // another stage, in which the time begins anew
        QCOMPARE(words->whole(), QString("exporting — keeping a draft"));
        line->end_task(Task::cut);
        QCOMPARE(words->whole(), QString("keeping a draft"));
        // A message can be read to its end meanwhile.
        line->say("a short word");
        QCOMPARE(words->whole(), QString::fromUtf8("keeping a draft — a short word"));
        const QString sentence = QString("What is told. ").repeated(8).trimmed();
        studio.window().resize(1024, 700);
        line->say(sentence);
        QCOMPARE(words->whole(), sentence);
        line->take_back(sentence);
        QCOMPARE(words->whole(), QString("keeping a draft"));
        line->end_task(Task::draft);
        QCOMPARE(words->whole(), QString("ready"));
    }

    /// A run is renamed in the list, as a shot is on the timeline.
    void a_run_is_named_in_place() {
        const app::Home home;
        const QString run = listed_run(home, "one", 2, 7);
        StudioFixture studio;
        auto& history = studio.core().history;
        QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 1, 30000);
        auto* list = studio.find<QListView>("runs");
        studio.click(list->viewport(), studio.row_point(list, 0));
        const auto name = [&] { return history.index(history.row_of(run)).data(app::RunHistory::NameRole).toString(); };
        const auto write = [&](const char* text, Qt::Key end) {
            studio.find<QAction>("edit.rename")->trigger();
            auto* edit = list->viewport()->findChild<QLineEdit*>();
            QVERIFY(edit && edit->isVisible());
            edit->selectAll();
            QTest::keyClicks(edit, QLatin1String(text));
            QTest::keyClick(edit, end);
            QTRY_VERIFY(!list->viewport()->findChild<QLineEdit*>());
        };
        write("balloon", Qt::Key_Return);
        QCOMPARE(name(), QStringLiteral("balloon"));
        write("never mind", Qt::Key_Escape);
        QCOMPARE(name(), QStringLiteral("balloon"));
        QVERIFY(studio.window().findChildren<QInputDialog*>().isEmpty());
    }

    /// A click on a star opens nothing, not even as the second click on its row.
    void a_star_opens_nothing() {
        const app::Home home;
        const QString first = listed_run(home, "one", 2, 1), second = listed_run(home, "two", 2, 2);
        StudioFixture studio;
        auto& history = studio.core().history;
        QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 2, 30000);
        auto* list = studio.find<RunsView>("runs");
        const auto shown = [&] { return studio.window().viewer().run(app::Side::a); };
        studio.click(list->viewport(), studio.row_point(list, history.row_of(first)));
        QCOMPARE(shown(), first);
        studio.window().viewer().show_run(second);
        const QRect row = list->visualRect(list->model()->index(history.row_of(first), 0));
        const QPoint star = RunDelegate::star_rect(row).center();
        studio.click(list->viewport(), star);
        QVERIFY(history.starred(first));
        QCOMPARE(shown(), second);
        QTest::mouseDClick(studio.window().windowHandle(), Qt::LeftButton, {},
                           list->viewport()->mapTo(&studio.window(), star));
        QCOMPARE(shown(), second);
    }

    /// The first of several runs decides what the entry does to all.
    void the_menu_says_what_becomes_of_the_stars() {
        const app::Home home;
        listed_run(home, "one", 2, 1);
        listed_run(home, "two", 2, 2);
        StudioFixture studio;
        auto& history = studio.core().history;
        QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 2, 30000);
        auto* list = studio.find<RunsView>("runs");
        const auto run = [&](int row) { return history.index(row).data(app::RunHistory::PathRole).toString(); };
        history.set_starred(run(1), true);
        list->selectAll();
        QString words;
        QTimer::singleShot(0, &studio.window(), [&words] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            if (!menu) return;
            for (QAction* action : menu->actions())
                if (action->text().contains("star", Qt::CaseInsensitive)) {
                    words = action->text();
                    action->trigger();
                }
            menu->close();
        });
        emit list->customContextMenuRequested(studio.row_point(list, 1));
        QCOMPARE(words, QString("Star"));
        QVERIFY(history.starred(run(0)) && history.starred(run(1)));
    }

    /// Quitting at the end of a run must not lose what its times taught the estimator.
    void what_a_run_taught_is_kept_at_the_end() {
        const app::Home home;
        const auto taught = [&home] { return read(home.file("cache/speed.json")).contains("decode_pixels"); };
        QVERIFY(!taught());
        {
            StudioFixture studio;
            load_tiny(studio);
            app::Arrivals ended(&studio.core().queue, &app::RunQueue::entry_ended);
            // The times are read after this work, which waits until the window closes.
            const int others = app::background_pool()->maxThreadCount();
            const auto go_on = std::make_shared<QSemaphore>();
            const auto let_go = qScopeGuard([&] { go_on->release(others); });
            const QObject here;
            connect(&studio.core().queue, &app::RunQueue::run_created, &here, [&] {
                for (int i = 0; i < others; ++i) app::background_pool()->start([go_on] { go_on->acquire(); });
            });
            studio.key(Qt::Key_Return, Qt::ControlModifier);
            // Handles the events of the run's end, and no more.
            const QDeadlineTimer limit(60000);
            while (ended.count() == 0 && !limit.hasExpired())
                QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
            QVERIFY(ended.count() > 0);
            studio.window().close();
        }
        QVERIFY(taught());
    }

    /// A run is shown when it ends, but it must not take away a selection that the user is making.
    void a_selection_outlives_the_end_of_a_run() {
        const app::Home home;
        const QString listed = listed_run(home, "one", 2, 1);
        listed_run(home, "two", 2, 2);
        StudioFixture studio;
        load_tiny(studio);
        auto* list = studio.find<RunsView>("runs");
        QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 2, 30000);
        const auto& queue = studio.core().queue;
        int runs = 2;
        const auto run_to_its_end = [&] {
            const int entries = queue.rowCount();
            studio.find<QAction>("run.generate")->trigger();
            QTRY_COMPARE_WITH_TIMEOUT(queue.rowCount(), entries + 1, 60000);
            QVERIFY(studio.idle());
            const QModelIndex entry = queue.index(queue.rowCount() - 1);
            const QString issue = entry.data(app::RunQueue::IssueRole).value<app::Issue>().line();
            QVERIFY2(issue.isEmpty(), qPrintable(issue));
            ++runs;
            // The thread that looks at folders has the lowest priority of all.
            QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), runs, 300000);
            const QString made = entry.data(app::RunQueue::RunRole).toString();
            QTRY_COMPARE_WITH_TIMEOUT(studio.window().viewer().run(app::Side::a), made, 30000);
        };
        list->selectAll();
        run_to_its_end();
        QCOMPARE(list->selectionModel()->selectedIndexes().size(), 2);

        studio.have_focus();
        list->setFocus();
        QTRY_VERIFY(list->hasFocus());
        list->setCurrentIndex(list->model()->index(studio.core().history.row_of(listed), 0));
        run_to_its_end();
        QCOMPARE(list->currentIndex().row(), studio.core().history.row_of(listed));
    }
};

int main(int argc, char** argv) { return run_window_test<WindowRunsTest>(argc, argv); }

#include "window_runs_test.moc"
