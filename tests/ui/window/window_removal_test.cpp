// SPDX-License-Identifier: Apache-2.0
// Runs and queue entries that are deleted in the whole window: what is shown then, how they come back and go again, and
// the disk space that asks for it.
#include <QFile>
#include <QInputDialog>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QTimer>
#include <filesystem>
#include <functional>

#include "app/base/settings.h"
#include "app/base/text.h"
#include "app/request/request_document.h"
#include "app/runs/engine_worker.h"
#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"
#include "tests/app/fake_runs.h"
#include "tests/app/full_disk.h"
#include "tests/ui/window/window_main.h"
#include "tests/ui/window/window_tools.h"
#include "ui/docks/runs_panel.h"
#include "ui/preview/preview_view.h"
#include "ui/timeline/timeline_view.h"

using namespace denoir;
using namespace denoir::ui;

class WindowRemovalTest : public QObject {
    Q_OBJECT

private slots:
    /// The next run in the list is shown, or the one before if there is none. Undo shows the deleted one again.
    void what_stood_beside_a_deleted_run_is_shown() {
        const app::Home home;
        const QString runs[] = {listed_run(home, "one", 2, 1), listed_run(home, "two", 2, 2),
                                listed_run(home, "three", 2, 3)};
        StudioFixture studio;
        auto& history = studio.core().history;
        QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 3, 30000);
        const auto run = [&](int row) { return history.index(row).data(app::RunHistory::PathRole).toString(); };
        const auto shown = [&] { return studio.window().viewer().run(app::Side::a); };
        const QString newest = run(0), middle = run(1), oldest = run(2);
        studio.window().viewer().show_run(middle);
        studio.find<QAction>("run.delete")->trigger();
        QCOMPARE(shown(), oldest);
        QCOMPARE(studio.window().findChild<RunsPanel*>()->current(), oldest);
        QTRY_VERIFY_WITH_TIMEOUT(studio.window().preview().info(app::Side::a) &&
                                     studio.window().preview().info(app::Side::a)->run == oldest,
                                 30000);
        studio.find<QAction>("run.delete")->trigger();
        QCOMPARE(shown(), newest);
        studio.find<QAction>("edit.undo")->trigger();
        QCOMPARE(shown(), oldest);
        studio.find<QAction>("edit.undo")->trigger();
        QCOMPARE(shown(), middle);
        QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 3, 30000);
        QCOMPARE(studio.window().findChild<RunsPanel*>()->selected(), QStringList{middle});
        studio.window().viewer().show_run(newest);
        app::Player& player = studio.window().preview().player();
        const auto open = [&](const QString& which) {
            const auto* info = studio.window().preview().info(app::Side::a);
            return info && info->run == which;
        };
        QTRY_VERIFY_WITH_TIMEOUT(open(newest), 30000);
        player.play();
        studio.find<QAction>("run.delete")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(open(middle) && player.playing(), 30000); // like the one before it
        // The user has looked at another run since, and undo must not take that away.
        studio.window().viewer().show_run(oldest);
        studio.find<QAction>("edit.undo")->trigger();
        QCOMPARE(shown(), oldest);
    }

    /// What another program deletes stays in sight, and a line says why it is in no list any more, until it is back or
    /// something else is shown.
    void a_run_deleted_by_another_program_is_said_to_be_gone() {
        const app::Home home;
        const QString run = listed_run(home, "one", 2, 1), other = listed_run(home, "two", 2, 2);
        StudioFixture studio;
        auto& history = studio.core().history;
        QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 2, 30000);
        auto& preview = studio.window().preview();
        const auto shows = [&](const QString& which) {
            const auto* info = preview.info(app::Side::a);
            return info && info->run == which && preview.is_settled(app::Side::a);
        };
        studio.window().viewer().show_run(run);
        QTRY_VERIFY_WITH_TIMEOUT(shows(run), 30000);
        const auto told = [&] { return said(studio).contains("deleted outside of Denoir"); };
        const QString aside = home.file("aside");
        QVERIFY(QDir().rename(run, aside));
        QTRY_VERIFY2_WITH_TIMEOUT(told(), qPrintable(said(studio)), 30000);
        QVERIFY2(said(studio).contains("a red balloon"), qPrintable(said(studio)));
        QVERIFY(shows(run) && !preview.canvas().picture_rect().isEmpty());
        QVERIFY(QDir().rename(aside, run));
        history.refresh();
        QTRY_VERIFY2_WITH_TIMEOUT(!told(), qPrintable(said(studio)), 30000);
        std::filesystem::remove_all(app::to_path(run));
        QTRY_VERIFY2_WITH_TIMEOUT(told(), qPrintable(said(studio)), 30000);
        // Its parameters are what makes it again.
        auto& document = studio.core().document;
        document.set_value("seed", 99);
        for (const auto& answer : studio.window().banners().answers())
            if (answer.button && answer.button->text() == "Restore its parameters") answer.button->click();
        QCOMPARE(document.value("seed").toInt(), 1);
        studio.window().viewer().show_run(other);
        QTRY_VERIFY2_WITH_TIMEOUT(!told(), qPrintable(said(studio)), 30000);
        // What is deleted here is said otherwise.
        QCOMPARE(history.remove({other}), QStringList{other});
        history.refresh();
        QVERIFY(history.wait_scanned(30000));
        QVERIFY2(!told(), qPrintable(said(studio)));
    }

    /// More rows come back than a view is told of one by one. Those that are selected must stay so.
    void a_selection_outlives_many_runs_that_come_back() {
        const app::Home home;
        const auto runs = app::to_path(home.data("runs"));
        for (int number = 0; number < 40; ++number) app::fake_run_quickly(runs, number);
        StudioFixture studio;
        auto& history = studio.core().history;
        QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 40, 30000);
        auto* list = studio.find<RunsView>("runs");
        const auto* panel = studio.window().findChild<RunsPanel*>();
        const auto run = [&](int row) { return history.index(row).data(app::RunHistory::PathRole).toString(); };
        QStringList gone;
        for (int row = 0; row < 30; ++row) gone << run(row);
        QCOMPARE(history.remove(gone), gone);
        const QStringList chosen{run(2), run(4)};
        studio.click(list->viewport(), studio.row_point(list, 4));
        studio.click(list->viewport(), studio.row_point(list, 2), Qt::ControlModifier);
        QCOMPARE(panel->selected(), chosen);
        studio.find<QAction>("edit.undo")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 40, 30000);
        QCOMPARE(panel->selected(), chosen);
        QCOMPARE(panel->current(), chosen[0]);
        QCOMPARE(history.remove(gone), gone);
        QCOMPARE(panel->selected(), chosen);
    }

    /// They may come back anywhere in a long list.
    void what_comes_back_is_selected() {
        const app::Home home;
        const auto runs = app::to_path(home.data(QStringLiteral("runs")));
        std::filesystem::create_directories(runs);
        for (int i = 0; i < 30; ++i) app::fake_run_quickly(runs, i);
        StudioFixture studio;
        auto& history = studio.core().history;
        auto* panel = studio.window().findChild<RunsPanel*>();
        auto* list = studio.find<QListView>("runs");
        QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 30, 30000);
        const auto path = [&](int row) {
            return list->model()->index(row, 0).data(app::RunHistory::PathRole).toString();
        };
        QStringList gone{path(17), path(18), path(22)};
        QCOMPARE(history.remove(gone), gone);
        panel->select(path(0));
        history.restore();
        QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 30, 30000);
        QTRY_COMPARE(panel->selected(), gone);
        QCOMPARE(panel->current(), gone[0]);
        QVERIFY(list->viewport()->rect().intersects(list->visualRect(list->currentIndex())));
    }

    /// A run may have been damaged in the trash. The others come back all the same.
    void what_can_still_be_read_is_selected() {
        const app::Home home;
        const auto runs = app::to_path(home.data(QStringLiteral("runs")));
        std::filesystem::create_directories(runs);
        for (int i = 0; i < 6; ++i) app::fake_run_quickly(runs, i);
        StudioFixture studio;
        auto& history = studio.core().history;
        auto* panel = studio.window().findChild<RunsPanel*>();
        QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 6, 30000);
        const auto path = [&](int row) { return history.index(row).data(app::RunHistory::PathRole).toString(); };
        const QStringList gone{path(2), path(3), path(4)};
        QVERIFY(QFile::rename(gone[1] + "/run.json", gone[1] + "/lost.json"));
        QCOMPARE(history.remove(gone), gone);
        panel->select(path(0));
        studio.find<QAction>("edit.undo")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(panel->selected(), (QStringList{gone[0], gone[2]}), 30000);
        // Runs that another program makes later leave the selection as it is.
        panel->select(path(0));
        QVERIFY(QFile::rename(gone[1] + "/lost.json", gone[1] + "/run.json"));
        history.refresh();
        QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 6, 30000);
        QCOMPARE(panel->selected(), QStringList{path(0)});
    }

    /// B is remembered while other layouts are shown, unless it is deleted there.
    void b_waits_for_the_layout_compare() {
        const app::Home home;
        const QString first = listed_run(home, "one", 2, 1), second = listed_run(home, "two", 2, 2);
        StudioFixture studio;
        auto& viewer = studio.window().viewer();
        auto& preview = studio.window().preview();
        QTRY_COMPARE_WITH_TIMEOUT(studio.core().history.rowCount(), 2, 30000);
        viewer.compare(first, second);
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a) && preview.info(app::Side::b), 30000);
        for (const Layout layout : {Layout::create, Layout::tune, Layout::compare})
            studio.window().layouts().show(layout);
        QTRY_COMPARE_WITH_TIMEOUT(viewer.run(app::Side::b), second, 10000);
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::b), 30000);
        for (const Layout layout : {Layout::create, Layout::compare, Layout::create}) // before it is open again
            studio.window().layouts().show(layout);
        studio.window().layouts().show(Layout::compare);
        QTRY_COMPARE_WITH_TIMEOUT(viewer.run(app::Side::b), second, 10000);
        studio.window().layouts().show(Layout::create);
        QVERIFY(!studio.core().history.remove({second}).isEmpty());
        studio.window().layouts().show(Layout::compare);
        QTRY_VERIFY_WITH_TIMEOUT(preview.is_settled(app::Side::b), 30000); // until nothing is being opened
        QVERIFY2(!said(studio).contains("two"), qPrintable(said(studio)));
        QVERIFY(!preview.info(app::Side::b));
        studio.window().layouts().show(Layout::create);
        studio.core().history.restore();
        studio.window().layouts().show(Layout::compare);
        QTRY_COMPARE_WITH_TIMEOUT(viewer.run(app::Side::b), second, 10000);
    }

    /// Also if another run ends meanwhile and is shown.
    void the_menu_means_the_run_that_it_was_opened_on() {
        const app::Home home;
        const QString run = listed_run(home, "one", 2, 1);
        StudioFixture studio;
        load_tiny(studio);
        auto& history = studio.core().history;
        QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 1, 30000);
        auto& viewer = studio.window().viewer();
        viewer.show_run(run);
        studio.key(Qt::Key_Return, Qt::ControlModifier);
        QString ended;
        QTimer::singleShot(0, &studio.window(), [&] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            if (!menu) return;
            if (QTest::qWaitFor([&] { return viewer.run(app::Side::a) != run; }, 60000))
                ended = viewer.run(app::Side::a);
            for (QAction* action : menu->actions())
                if (action->text() == "Delete") action->trigger();
            menu->close();
        });
        auto* list = studio.find<RunsView>("runs");
        emit list->customContextMenuRequested(studio.row_point(list, history.row_of(run)));
        QVERIFY(!ended.isEmpty());
        QVERIFY(QFile::exists(ended));
        QVERIFY(!QFile::exists(run));
    }

    /// It means neither a run that was selected since, nor the selected one if its own run is gone.
    void no_other_run_is_starred_or_deleted_than_the_menu_was_opened_on() {
        const app::Home home;
        const QString one = listed_run(home, "one", 2, 1), two = listed_run(home, "two", 2, 2);
        StudioFixture studio;
        auto& history = studio.core().history;
        QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 2, 30000);
        auto* panel = studio.window().findChild<RunsPanel*>();
        auto* list = studio.find<RunsView>("runs");
        const auto choose = [&](const QString& text, const std::function<void()>& meanwhile, bool both = false) {
            panel->select(one);
            if (both) list->selectAll();
            QTimer::singleShot(0, &studio.window(), [&] {
                auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
                if (!menu) return;
                meanwhile();
                for (QAction* action : menu->actions())
                    if (action->text() == text) action->trigger();
                menu->close();
            });
            emit list->customContextMenuRequested(studio.row_point(list, history.row_of(one)));
        };
        choose("Star", [&] { panel->select(two); });
        QVERIFY(history.starred(one) && !history.starred(two));
        choose("Name …", [&] { panel->select(two); });
        auto* name = list->viewport()->findChild<QLineEdit*>();
        QVERIFY(name);
        name->setText("mine");
        // The row of a run at work changes like this with each step, and the name that is being typed stays.
        history.set_starred(one, false);
        QCOMPARE(name->text(), QStringLiteral("mine"));
        QTest::keyClick(name, Qt::Key_Return);
        const auto name_of_one = [&] {
            return history.index(history.row_of(one)).data(app::RunHistory::NameRole).toString();
        };
        QTRY_COMPARE(name_of_one(), QStringLiteral("mine"));
        choose("Delete", [&] { (void)history.remove({one}); });
        QVERIFY(QFile::exists(two));
        QVERIFY2(said(studio).contains("deleted meanwhile"), qPrintable(said(studio)));
        // The text of the entry also fits the runs that are left.
        history.restore();
        QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 2, 30000);
        const QString first = history.index(0).data(app::RunHistory::PathRole).toString();
        const QString other = first == one ? two : one;
        history.set_starred(first, true);
        history.set_starred(other, false);
        choose(
            "Remove star", [&] { (void)history.remove({first}); }, true);
        QVERIFY(!history.contains(first) && !history.starred(other));
    }

    void a_deletion_is_done_again() {
        const app::Home home;
        const QString run = listed_run(home, "one", 2, 1), other = listed_run(home, "two", 2, 2);
        StudioFixture studio;
        load_tiny(studio);
        studio.core().project.undo().clear();
        auto& history = studio.core().history;
        auto* undo = studio.find<QAction>("edit.undo");
        auto* redo = studio.find<QAction>("edit.redo");
        QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 2, 30000);
        const auto write_prompt = [&](const char* text) {
            studio.core().document.set_value("prompt", QLatin1String(text));
            studio.core().document.settle();
        };
        write_prompt("before");
        studio.window().viewer().show_run(run);
        studio.find<QAction>("run.delete")->trigger();
        QVERIFY(!QFile::exists(run) && !redo->isEnabled());
        write_prompt("after");
        undo->trigger();
        undo->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 2, 30000);
        QVERIFY2(redo->isEnabled() && redo->text().contains("deleting runs"), qPrintable(redo->text()));
        undo->trigger(); // undoes the prompt before it
        redo->trigger();
        QVERIFY(QFile::exists(run));
        redo->trigger();
        QVERIFY(!QFile::exists(run) && QFile::exists(other));
        QCOMPARE(studio.window().viewer().run(app::Side::a), other);
        QVERIFY2(said(studio).contains("1 run deleted"), qPrintable(said(studio)));
        redo->trigger();
        QCOMPARE(studio.core().document.value("prompt").toString(), QStringLiteral("after"));
        QVERIFY(!redo->isEnabled());
        undo->trigger();
        undo->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 2, 30000);
        write_prompt("another way"); // from here on there is nothing to redo
        QVERIFY(!redo->isEnabled());
        undo->trigger();
        redo->trigger();
        QVERIFY(QFile::exists(run));
    }

    /// An ampersand in a file's name is a letter and marks no key.
    void what_is_undone_keeps_its_ampersands() {
        const app::Home home;
        StudioFixture studio;
        studio.core().document.restore(app::tiny_request(), "open the axes of a&b.json");
        QCOMPARE(studio.find<QAction>("edit.undo")->text(), QStringLiteral("&Undo open the axes of a&&b.json"));
        studio.core().project.undo().undo();
        QCOMPARE(studio.find<QAction>("edit.redo")->text(), QStringLiteral("&Redo open the axes of a&&b.json"));
    }

    void entries_of_the_queue_go_again() {
        const app::Home home;
        StudioFixture studio;
        auto& queue = studio.core().queue;
        queue.set_paused(true);
        for (int i = 0; i < 3; ++i) queue.add({app::tiny_request(), {}});
        queue.clear_waiting();
        studio.find<QAction>("edit.undo")->trigger();
        QCOMPARE(queue.rowCount(), 3);
        studio.find<QAction>("edit.redo")->trigger();
        QCOMPARE(queue.rowCount(), 0);
        studio.find<QAction>("edit.undo")->trigger();
        QCOMPARE(queue.rowCount(), 3);
    }

    /// The message says what the cut loses, and undo also brings the entry of the queue back.
    void a_deletion_says_what_the_cut_loses() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto& core = studio.core();
        studio.find<QAction>("run.generate")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(core.history.rowCount(), 1, 30000);
        QVERIFY(studio.idle());
        const QString run = core.queue.index(0).data(app::RunQueue::RunRole).toString();
        QTRY_COMPARE_WITH_TIMEOUT(studio.window().viewer().run(app::Side::a), run, 30000);
        for (int i = 0; i < 2; ++i) core.project.add_shot(app::take_of_run(run));
        studio.find<QAction>("run.delete")->trigger();
        QVERIFY2(said(studio).contains("2 shots of this cut"), qPrintable(said(studio)));
        QCOMPARE(core.queue.rowCount(), 0);
        studio.find<TimelineView>("timeline")->set_playhead(1);
        QTRY_VERIFY2_WITH_TIMEOUT(said(studio).contains("no such file"), qPrintable(said(studio)), 30000);
        studio.find<QAction>("edit.undo")->trigger();
        QCOMPARE(core.queue.rowCount(), 1);
        QTRY_COMPARE_WITH_TIMEOUT(core.history.rowCount(), 1, 30000);
        QVERIFY2(!said(studio).contains("no such file"), qPrintable(said(studio)));
        core.project.clear();
        studio.window().findChild<RunsPanel*>()->select(run);
        studio.find<QAction>("run.delete")->trigger();
        QVERIFY2(said(studio).contains("deleted") && !said(studio).contains("of this cut"), qPrintable(said(studio)));
    }

    /// A deletion during another project is not the newest step of this one.
    void another_project_undoes_no_older_deletion() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto& queue = studio.core().queue;
        studio.core().project.undo().clear();
        queue.set_paused(true);
        studio.find<QAction>("run.generate")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(queue.rowCount(), 1, 30000);
        auto* list = studio.find<QListView>("queue");
        studio.click(list->viewport(), studio.row_point(list, 0));
        studio.key(Qt::Key_Delete);
        const auto* undo = studio.find<QAction>("edit.undo");
        QVERIFY2(undo->text().contains("queue"), qPrintable(undo->text()));
        studio.core().project.clear();
        QVERIFY2(!undo->text().contains("queue"), qPrintable(undo->text()));
        QVERIFY(queue.can_undo_clear()); // it can still be brought back on request
    }

    void the_disk_space_of_runs_can_be_chosen() {
        const app::Home home;
        StudioFixture studio;
        const qint64 before = studio.core().settings.history_bytes();
        const auto choose = [&](int gigabytes) {
            studio.find<QAction>("file.disk-limit")->trigger();
            studio.find<QAction>("file.disk-limit")->trigger(); // asked for twice, there is one dialog
            const auto dialogs = studio.window().findChildren<QInputDialog*>();
            QCOMPARE(dialogs.size(), 1);
            QCOMPARE(dialogs[0]->intValue(), int(studio.core().settings.history_bytes() >> 30));
            dialogs[0]->setIntValue(gigabytes);
            dialogs[0]->accept();
            QTRY_VERIFY(studio.window().findChildren<QInputDialog*>().isEmpty());
        };
        choose(7);
        QCOMPARE(studio.core().settings.history_bytes(), qint64{7} << 30);
        choose(0);
        QCOMPARE(studio.core().settings.history_bytes(), 0);
        QVERIFY(before > 0);
        // A limit in the settings file below what the dialog can show stays when the dialog is only looked at.
        studio.core().settings.set_value("history_bytes", qlonglong(300'000'000));
        studio.find<QAction>("file.disk-limit")->trigger();
        auto* dialog = studio.window().findChild<QInputDialog*>();
        QCOMPARE(dialog->intValue(), 1);
        dialog->accept();
        QCOMPARE(studio.core().settings.history_bytes(), 300'000'000);
    }

    /// If a run has no room, the room that steps of older runs take is offered.
    void a_full_disk_is_freed_of_steps() {
        const app::Home home;
        const QString old = listed_run(home, "old", 3, 1);
        StudioFixture studio;
        auto& core = studio.core();
        QTRY_VERIFY_WITH_TIMEOUT(!core.history.plan_drop(0).runs.isEmpty(), 30000);
        load_tiny(studio);
        {
            const app::FullDisk full;
            studio.find<QAction>("run.generate")->trigger();
            QVERIFY(studio.idle());
        }
        QVERIFY2(said(studio).contains("no room for the run"), qPrintable(said(studio)));
        QVERIFY(studio.press("Free them"));
        QTRY_VERIFY_WITH_TIMEOUT(core.history.plan_drop(0).runs.isEmpty(), 30000);
        QVERIFY(QFile::exists(old + "/video.mp4"));
    }

    /// It is asked once, and again only for other runs or another limit.
    void what_was_closed_about_disk_space_stays_closed() {
        const app::Home home;
        QDir().mkpath(home.data("runs"));
        app::fake_run(app::to_path(home.data("runs")), 1);
        StudioFixture studio;
        QTRY_COMPARE_WITH_TIMEOUT(studio.core().history.rowCount(), 1, 30000);
        auto& banners = studio.window().banners();
        const auto asks = [&] { return banners.texts().join(' ').contains("could go"); };
        studio.core().settings.set_value("history_bytes", 1);
        QVERIFY(asks());
        banners.remove("disk"); // as its cross does
        emit studio.core().over_limit_changed();
        QVERIFY(!asks());
        studio.core().settings.set_value("history_bytes", 2);
        QVERIFY(asks());
        studio.core().settings.set_value("history_bytes", 0);
        QVERIFY(!asks());
        studio.core().settings.set_value("history_bytes", 2);
        QVERIFY(asks());
    }
};

int main(int argc, char** argv) { return run_window_test<WindowRemovalTest>(argc, argv); }

#include "window_removal_test.moc"
