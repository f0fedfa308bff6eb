// SPDX-License-Identifier: Apache-2.0
// The two lists of runs, those in line and those that ended: to which entry an action goes.
#include <QDragEnterEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMimeData>
#include <QSignalSpy>
#include <QTimer>
#include <QToolButton>

#include "app/request/request_document.h"
#include "app/runs/engine_worker.h"
#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"
#include "tests/app/arrivals.h"
#include "tests/ui/window/window_main.h"
#include "tests/ui/window/window_tools.h"
#include "ui/compare/compare_bar.h"
#include "ui/docks/queue_panel.h"
#include "ui/docks/runs_panel.h"
#include "ui/preview/preview_view.h"
#include "ui/window/layouts.h"

using namespace denoir;
using namespace denoir::ui;
using State = app::RunQueue::State;

class ListsTest : public QObject {
    Q_OBJECT

    static QList<int> seeds(const app::RunQueue& queue) {
        QList<int> all;
        for (int row = 0; row < queue.rowCount(); ++row) all << queue.index(row).data(app::RunQueue::SeedRole).toInt();
        return all;
    }
    static State state(const app::RunQueue& queue, int row) {
        return State(queue.index(row).data(app::RunQueue::StateRole).toInt());
    }
    /// Queues waiting runs with the seeds 1, 2, ….
    static void put_in_line(StudioFixture& studio, int count) {
        studio.core().queue.set_paused(true);
        for (int seed = 1; seed <= count; ++seed) {
            Request request = app::tiny_request();
            request.seed = std::uint64_t(seed);
            studio.core().queue.add({request, {}});
        }
    }
    /// Returns the entries of a row's menu and chooses `pressed`.
    static QStringList menu_of(StudioFixture& studio, QListView* list, int row, const char* pressed = "") {
        QStringList texts;
        QTimer::singleShot(0, list, [&] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            if (!menu) return;
            QAction* chosen = nullptr;
            for (QAction* action : menu->actions()) {
                if (!action->isSeparator()) texts << action->text();
                if (action->text() == QLatin1String(pressed)) chosen = action;
            }
            if (chosen) chosen->trigger();
            menu->close();
        });
        list->scrollTo(list->model()->index(row, 0));
        emit list->customContextMenuRequested(studio.row_point(list, row));
        return texts;
    }

private slots:
    void waiting_runs_are_moved() {
        const app::Home home;
        StudioFixture studio;
        put_in_line(studio, 3);
        auto& queue = studio.core().queue;
        auto* list = studio.find<QListView>("queue");
        list->setFocus();
        list->setCurrentIndex(list->model()->index(2, 0));
        const auto press = [&](int key) {
            studio.key(key, Qt::AltModifier);
            return seeds(queue);
        };
        QCOMPARE(press(Qt::Key_Up), (QList{1, 3, 2}));
        QCOMPARE(list->currentIndex().row(), 1); // the moved row stays the current one
        QCOMPARE(press(Qt::Key_Up), (QList{3, 1, 2}));
        QCOMPARE(press(Qt::Key_Up), (QList{3, 1, 2}));
        QCOMPARE(press(Qt::Key_Down), (QList{1, 3, 2}));
        QCOMPARE(press(Qt::Key_Down), (QList{1, 2, 3}));
        QCOMPARE(press(Qt::Key_Down), (QList{1, 2, 3}));
        QCOMPARE(list->currentIndex().row(), 2);
        studio.key(Qt::Key_Up); // without a modifier the key only selects
        QCOMPARE(list->currentIndex().row(), 1);
        QCOMPARE(seeds(queue), (QList{1, 2, 3}));
        QCOMPARE(menu_of(studio, list, 2, "Move up"), (QStringList{"Edit", "Move up", "Move down", "Remove"}));
        QCOMPARE(seeds(queue), (QList{1, 3, 2}));
        menu_of(studio, list, 0, "Move down");
        QCOMPARE(seeds(queue), (QList{3, 1, 2}));
        menu_of(studio, list, 1, "Remove");
        QCOMPARE(seeds(queue), (QList{3, 2}));
        menu_of(studio, list, 1, "Edit");
        QVERIFY2(said(studio).contains("waiting run"), qPrintable(said(studio)));
        QCOMPARE(studio.core().document.value("seed").toInt(), 2);
        QVERIFY(studio.core().document.seed_locked());
    }

    /// The run at work is stopped and can be resumed, and the others go on waiting.
    void delete_stops_what_is_at_work() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto& core = studio.core();
        core.document.set_value("steps", 400);
        QVERIFY(core.document.wait_resolved(20000));
        app::Arrivals steps(&core.worker, &app::EngineWorker::step_done);
        studio.find<QAction>("run.generate")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(steps.count() > 1, 60000);
        put_in_line(studio, 1);
        auto* list = studio.find<QListView>("queue");
        list->setFocus();
        list->setCurrentIndex(list->model()->index(0, 0));
        QVERIFY(menu_of(studio, list, 0).contains("Stop"));
        studio.key(Qt::Key_Delete);
        QTRY_COMPARE_WITH_TIMEOUT(state(core.queue, 0), State::cancelled, 60000);
        QCOMPARE(core.queue.rowCount(), 2);
        QCOMPARE(state(core.queue, 1), State::waiting);
        QCOMPARE(menu_of(studio, list, 0), (QStringList{"Show", "Resume", "Details", "Remove"}));
        studio.key(Qt::Key_Delete); // now it is removed
        QCOMPARE(core.queue.rowCount(), 1);
        QCOMPARE(state(core.queue, 0), State::waiting);
    }

    void the_queue_is_cleared_in_parts() {
        const app::Home home;
        StudioFixture studio;
        auto& queue = studio.core().queue;
        queue.add({app::tiny_request(), {}});
        QVERIFY(studio.idle());
        put_in_line(studio, 2);
        auto* clear = studio.find<QToolButton>("queue-clear");
        QToolButton* undo = nullptr;
        for (auto* button : studio.window().findChild<QueuePanel*>()->findChildren<QToolButton*>())
            if (button->accessibleName() == "Bring back what was cleared last") undo = button;
        QVERIFY(undo && undo->isHidden());
        const auto press = [&](const char* text) {
            for (QAction* action : clear->menu()->actions())
                if (action->text() == QLatin1String(text)) action->trigger();
            return seeds(queue);
        };
        QCOMPARE(press("What ended"), (QList{1, 2}));
        QVERIFY(!undo->isHidden());
        QCOMPARE(press("What waits"), QList<int>());
        QVERIFY(!clear->isEnabled());
        undo->click();
        QCOMPARE(seeds(queue), (QList{1, 2}));
        QVERIFY(clear->isEnabled());
        undo->click();
        QCOMPARE(queue.rowCount(), 3);
        QVERIFY(undo->isHidden());
    }

    void the_queue_is_paused_by_its_button() {
        const app::Home home;
        StudioFixture studio;
        auto& queue = studio.core().queue;
        put_in_line(studio, 1);
        auto* pause = studio.find<QToolButton>("queue-pause");
        QVERIFY(pause->isChecked());
        pause->click();
        QVERIFY(!queue.paused());
        QVERIFY(studio.idle());
        QCOMPARE(state(queue, 0), State::done);
        pause->click();
        QVERIFY(queue.paused());
        put_in_line(studio, 2);
        const auto labels = studio.window().findChild<QueuePanel*>()->findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->text() == QString::fromUtf8("2 waiting · paused");
        }));
    }

    /// A run without a folder begins anew.
    void what_failed_is_tried_again() {
        const app::Home home;
        StudioFixture studio;
        auto& queue = studio.core().queue;
        Request request = app::tiny_request();
        request.model = home.file("nowhere").toStdString();
        queue.add({request, {}});
        QTRY_COMPARE_WITH_TIMEOUT(state(queue, 0), State::failed, 30000);
        QVERIFY(queue.index(0).data(app::RunQueue::RunRole).toString().isEmpty());
        queue.set_paused(true);
        auto* list = studio.find<QListView>("queue");
        QCOMPARE(menu_of(studio, list, 0, "Try again"), (QStringList{"Try again", "Details", "Remove"}));
        QCOMPARE(queue.rowCount(), 1);
        QCOMPARE(state(queue, 0), State::waiting);
    }

    /// While the user types, and with the filter for stars. An empty list says why it is empty.
    void the_history_is_searched() {
        const app::Home home;
        for (const int seed : {1, 2, 3}) listed_run(home, QStringLiteral("run-%1").arg(seed), 1 + seed, quint64(seed));
        StudioFixture studio;
        auto& history = studio.core().history;
        auto* list = studio.find<RunsView>("runs");
        QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 3, 30000);
        auto* search = studio.find<QLineEdit>("runs-search");
        auto* starred = studio.find<QToolButton>("runs-starred");
        search->setFocus();
        studio.type("seed:2");
        QTRY_COMPARE(history.rowCount(), 1);
        QCOMPARE(history.index(0).data(app::RunHistory::SeedRole).toInt(), 2);
        const auto says = [&](const char* words) {
            const auto labels = studio.window().findChild<RunsPanel*>()->findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(),
                               [&](const QLabel* l) { return l->isVisible() && l->text().contains(words); });
        };
        studio.type("2");
        QTRY_VERIFY(says("No run matches"));
        QVERIFY(!list->isVisible());
        studio.key(Qt::Key_Escape);
        QTRY_COMPARE(history.rowCount(), 3);
        QVERIFY(list->isVisible());
        const QString run = history.index(1).data(app::RunHistory::PathRole).toString();
        history.set_starred(run, true);
        starred->click();
        QTRY_COMPARE(history.rowCount(), 1);
        QCOMPARE(history.index(0).data(app::RunHistory::PathRole).toString(), run);
        starred->click();
        QTRY_COMPARE(history.rowCount(), 3);
    }

    /// It acts on the run that it was opened on.
    void the_menu_of_a_run_acts_on_it() {
        const app::Home home;
        for (const int seed : {1, 2, 3}) listed_run(home, QStringLiteral("run-%1").arg(seed), 1 + seed, quint64(seed));
        StudioFixture studio;
        load_tiny(studio);
        auto& core = studio.core();
        auto* list = studio.find<RunsView>("runs");
        QTRY_COMPARE_WITH_TIMEOUT(core.history.rowCount(), 3, 30000);
        const auto run = [&](int row) { return core.history.index(row).data(app::RunHistory::PathRole).toString(); };
        const auto seed = [&](int row) { return core.history.index(row).data(app::RunHistory::SeedRole).toInt(); };
        const Viewer& viewer = studio.window().viewer();
        menu_of(studio, list, 1, "Show");
        QTRY_COMPARE_WITH_TIMEOUT(viewer.run(app::Side::a), run(1), 30000);
        QTRY_VERIFY_WITH_TIMEOUT(studio.window().preview().info(app::Side::a), 30000);
        menu_of(studio, list, 2, "Restore parameters");
        QTRY_COMPARE_WITH_TIMEOUT(core.document.value("seed").toInt(), seed(2), 30000);
        QTRY_VERIFY_WITH_TIMEOUT(!core.inputs.busy(), 30000);
        menu_of(studio, list, 2, "Restore parameters");
        QTRY_VERIFY_WITH_TIMEOUT(said(studio).contains("are already those of the run"), 30000);
        // The run is compared with what is shown, which becomes A.
        menu_of(studio, list, 2, "Compare with what is shown");
        QCOMPARE(studio.window().layouts().current(), Layout::compare);
        QTRY_COMPARE_WITH_TIMEOUT(viewer.run(app::Side::b), run(2), 30000);
        QCOMPARE(viewer.run(app::Side::a), run(1));
        QTRY_VERIFY_WITH_TIMEOUT(studio.window().preview().info(app::Side::b), 30000);
        menu_of(studio, list, 0, "Compare with what is shown"); // another run becomes B
        QTRY_COMPARE_WITH_TIMEOUT(viewer.run(app::Side::b), run(0), 30000);
        QCOMPARE(viewer.run(app::Side::a), run(1));
        // Of two selected runs the first is A.
        list->selectionModel()->select(list->model()->index(0, 0), QItemSelectionModel::ClearAndSelect);
        list->selectionModel()->select(list->model()->index(2, 0), QItemSelectionModel::Select);
        const QStringList both = studio.window().findChild<RunsPanel*>()->selected();
        QCOMPARE(both.size(), 2);
        menu_of(studio, list, 2, "Compare the two");
        QTRY_COMPARE_WITH_TIMEOUT((QStringList{viewer.run(app::Side::a), viewer.run(app::Side::b)}), both, 30000);
        const QString gone = run(1);
        menu_of(studio, list, 1, "Delete"); // a run that is neither
        QTRY_COMPARE_WITH_TIMEOUT(core.history.rowCount(), 2, 30000);
        QVERIFY(!core.history.contains(gone) && core.history.contains(both[0]) && core.history.contains(both[1]));
        QVERIFY(studio.press("Undo"));
        QTRY_VERIFY_WITH_TIMEOUT(core.history.contains(gone), 30000);
    }

    /// The bar offers runs for A and B, and choosing one opens it there.
    void the_bar_above_two_offers_runs() {
        const app::Home home;
        for (const int seed : {1, 2}) listed_run(home, QStringLiteral("run-%1").arg(seed), 1 + seed, quint64(seed));
        StudioFixture studio(Layout::compare);
        QTRY_COMPARE_WITH_TIMEOUT(studio.core().history.rowCount(), 2, 30000);
        const auto run = [&](int row) {
            return studio.core().history.index(row).data(app::RunHistory::PathRole).toString();
        };
        const auto choose = [&](const char* button, int row) {
            QMenu* menu = studio.find<QToolButton>(button)->menu();
            emit menu->aboutToShow();
            menu->actions()[row]->trigger();
        };
        const Viewer& viewer = studio.window().viewer();
        choose("choose-b", 1);
        QTRY_COMPARE_WITH_TIMEOUT(viewer.run(app::Side::b), run(1), 30000);
        choose("choose-a", 0);
        QTRY_COMPARE_WITH_TIMEOUT(viewer.run(app::Side::a), run(0), 30000);
        QTRY_COMPARE_WITH_TIMEOUT(viewer.run(app::Side::b), run(1), 30000);
    }

    /// One file goes to the half under the pointer, and two files to both.
    void a_half_of_the_bar_takes_what_is_dropped() {
        const app::Home home;
        const QString a = home.file("a.mp4"), b = home.file("b.mp4");
        app::write_clip(a, 64, 48, 4);
        app::write_clip(b, 64, 48, 4, 7);
        StudioFixture studio(Layout::compare);
        auto* bar = studio.window().findChild<CompareBar*>();
        const auto *left = studio.find<QToolButton>("choose-a"), *right = studio.find<QToolButton>("choose-b");
        const auto held = [&](const QStringList& files, int x) {
            QMimeData data;
            QList<QUrl> urls;
            for (const QString& file : files) urls << QUrl::fromLocalFile(file);
            data.setUrls(urls);
            QDragEnterEvent enter({x, 5}, Qt::CopyAction, &data, Qt::LeftButton, {});
            QApplication::sendEvent(bar, &enter);
            QDragMoveEvent move({x, 5}, Qt::CopyAction, &data, Qt::LeftButton, {});
            QApplication::sendEvent(bar, &move);
            return std::pair(left->isDown(), right->isDown());
        };
        QCOMPARE(held({a}, 20), std::pair(true, false));
        QCOMPARE(held({a}, bar->width() - 20), std::pair(false, true));
        QCOMPARE(held({a, b}, 20), std::pair(true, true));
        QDragLeaveEvent leave;
        QApplication::sendEvent(bar, &leave);
        QVERIFY(!left->isDown() && !right->isDown());
        QCOMPARE(held({a, b}, 20), std::pair(true, true));
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(b), QUrl::fromLocalFile(a)});
        QDropEvent drop({20, 5}, Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(bar, &drop);
        QVERIFY(!left->isDown() && !right->isDown());
        const auto& preview = studio.window().preview();
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a) && preview.info(app::Side::b), 30000);
        QCOMPARE(preview.info(app::Side::a)->path, b);
        QCOMPARE(preview.info(app::Side::b)->path, a);
    }

    /// Only the left button sets a star.
    void a_star_is_set_where_it_is_drawn() {
        const app::Home home;
        listed_run(home, QStringLiteral("run-1"), 1, 1);
        StudioFixture studio;
        auto& history = studio.core().history;
        auto* list = studio.find<RunsView>("runs");
        QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 1, 30000);
        const QString run = history.index(0).data(app::RunHistory::PathRole).toString();
        const QPoint star = RunDelegate::star_rect(list->visualRect(list->model()->index(0, 0))).center();
        QTest::mouseClick(list->viewport(), Qt::RightButton, {}, star);
        QVERIFY(!history.starred(run));
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, star);
        QTRY_VERIFY(history.starred(run));
    }
};

int main(int argc, char** argv) { return run_window_test<ListsTest>(argc, argv); }

#include "lists_test.moc"
