// SPDX-License-Identifier: Apache-2.0
// Keys in the whole window: whose they are, and what they do while they are held.
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QDockWidget>
#include <QLineEdit>
#include <QSignalSpy>

#include "app/sweep/open_sweep.h"
#include "app/sweep/sweep_document.h"
#include "tests/app/clips.h"
#include "tests/ui/window/window_main.h"
#include "tests/ui/window/window_tools.h"
#include "ui/actions/action_table.h"
#include "ui/preview/preview_view.h"
#include "ui/timeline/timeline_view.h"

using namespace denoir;
using namespace denoir::ui;

class WindowKeysTest : public QObject {
    Q_OBJECT

private slots:
    /// A key that can do nothing says why.
    void what_has_nothing_to_do_says_so() {
        const app::Home home;
        const QByteArray resources = qgetenv("DENOIR_RESOURCES");
        qputenv("DENOIR_RESOURCES", home.file("nothing").toUtf8()); // so that there is neither a model nor a sample
        const auto back = qScopeGuard(
            [&] { resources.isNull() ? qunsetenv("DENOIR_RESOURCES") : qputenv("DENOIR_RESOURCES", resources); });
        StudioFixture studio;
        studio.core().sweeps().axes().set_all({}, "none");
        const auto says = [&](const char* id) {
            studio.window().say("nothing yet");
            auto* action = studio.find<QAction>(id);
            if (!action->isEnabled()) return true;
            action->trigger();
            return !said(studio).contains("nothing yet");
        };
        for (const char* id : {"run.cancel",        "run.undo-clear",    "run.watch",
                               "run.resume",        "run.restore",       "run.undo-delete",
                               "play.toggle",       "play.backwards",    "play.forwards",
                               "play.frame-on",     "play.ten-back",     "play.fit",
                               "play.values",       "play.true-size",    "compare.wipe",
                               "compare.edge-left", "compare.end",       "edit.prompt-before",
                               "edit.swap-images",  "edit.prompt-after", "edit.negative-default",
                               "timeline.split",    "timeline.fit",      "timeline.move-on",
                               "tune.swap",         "tune.take-axes",    "tune.missing",
                               "tune.clear",        "tune.take",         "tune.take-all",
                               "tune.compare",      "tune.star",         "tune.reference",
                               "tune.export-csv"})
            QVERIFY2(says(id), id);
        studio.window().layouts().show(Layout::create);
        studio.find<QAction>("edit.reset")->trigger(); // removes what the empty request had
        QVERIFY(says("edit.reset"));
    }

    /// Also at the edges of the cut.
    void the_cut_says_why_a_key_does_nothing() {
        const app::Home home;
        app::write_clip(home.file("a.mp4"), 64, 48, 8);
        StudioFixture studio;
        studio.window().layouts().show(Layout::create);
        auto& project = studio.core().project;
        for (int i = 0; i < 2; ++i) project.add_shot(app::take_of_video(home.file("a.mp4")));
        auto* timeline = studio.find<TimelineView>("timeline");
        QTRY_VERIFY(timeline->isVisible());
        const auto says = [&](const char* id, const char* words) {
            studio.window().say("nothing yet");
            studio.find<QAction>(id)->trigger();
            return said(studio).contains(words);
        };
        timeline->select(0);
        timeline->set_playhead(0);
        QVERIFY2(says("timeline.move-back", "first shot"), qPrintable(said(studio)));
        QVERIFY2(says("timeline.trim-in", "already begins at the playhead"), qPrintable(said(studio)));
        QVERIFY2(says("timeline.split", "inside a shot"), qPrintable(said(studio)));
        QVERIFY2(says("timeline.longer", "The take ends there"), qPrintable(said(studio)));
        timeline->set_playhead(7);
        QVERIFY2(says("timeline.trim-out", "already ends at the playhead"), qPrintable(said(studio)));
        timeline->set_playhead(project.frames());
        QVERIFY2(says("timeline.trim-out", "behind the last shot"), qPrintable(said(studio)));
        timeline->select(1);
        QVERIFY2(says("timeline.move-on", "last shot"), qPrintable(said(studio)));
        for (int i = 0; i < 7; ++i) QVERIFY(!says("timeline.shorter", "at least one frame"));
        QVERIFY2(says("timeline.shorter", "at least one frame"), qPrintable(said(studio)));
    }

    /// If its keys are not the usual ones, the entry in the menu names them in words.
    void the_cut_is_trimmed_by_keys_that_are_told() {
        const app::Home home;
        app::write_clip(home.file("a.mp4"), 64, 48, 8);
        StudioFixture studio;
        studio.window().layouts().show(Layout::create);
        auto& project = studio.core().project;
        project.add_shot(app::take_of_video(home.file("a.mp4")));
        auto* timeline = studio.find<TimelineView>("timeline");
        QTRY_VERIFY(timeline->isVisible());
        const auto& actions = studio.window().actions();
        QCOMPARE(actions.at("timeline.trim-in")->text(),
                 QString("Trim the &beginning to the playhead (in the timeline: I)"));
        QCOMPARE(actions.at("timeline.trim-out")->text(),
                 QString("Trim the en&d to the playhead (in the timeline: O)"));
        QCOMPARE(actions.keys("timeline.trim-in"), QString("Shift+I"));
        QCOMPARE(actions.keys("timeline.trim-out"), QString("Shift+O"));
        studio.window().preview().setFocus();
        timeline->set_playhead(2);
        studio.key(Qt::Key_I, Qt::ShiftModifier);
        QCOMPARE(project.shot(0).in, 2);
        timeline->set_playhead(4);
        studio.key(Qt::Key_O, Qt::ShiftModifier);
        QCOMPARE(project.frames(), 5);
        timeline->setFocus();
        timeline->set_playhead(1);
        studio.key(Qt::Key_I);
        QCOMPARE(project.shot(0).in, 3);
    }

    /// Keys that are held down ask for one run only, but step through frames as long as they are held.
    void keys_that_are_held_generate_once() {
        const app::Home home;
        app::write_clip(home.file("a.mp4"), 64, 48, 8);
        StudioFixture studio;
        load_tiny(studio);
        auto& queue = studio.core().queue;
        queue.set_paused(true);
        studio.have_focus();
        const auto hold = [&](Qt::Key key, Qt::KeyboardModifiers modifiers) {
            for (const bool repeated : {false, true, true})
                QTest::simulateEvent(qApp->focusWidget(), true, key, modifiers, {}, repeated);
        };
        hold(Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(queue.rowCount(), 1, 30000);
        QTest::qWait(200); // until the request is resolved again
        QCOMPARE(queue.rowCount(), 1);
        auto& preview = studio.window().preview();
        studio.window().viewer().show_file(home.file("a.mp4"));
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a), 30000);
        preview.player().pause();
        preview.player().go_to(0);
        preview.setFocus();
        hold(Qt::Key_Period, Qt::NoModifier);
        QCOMPARE(preview.player().frame(), 3);
    }

    /// The keys of the timeline stand in the table of all keys and can be changed there.
    void keys_of_the_timeline_are_actions() {
        const app::Home home;
        app::write_clip(home.file("a.mp4"), 64, 48, 8);
        StudioFixture studio;
        auto& project = studio.core().project;
        app::Take take = app::take_of_video(home.file("a.mp4"));
        for (const char* name : {"0", "1", "2"}) {
            take.name = QLatin1String(name);
            project.add_shot(take);
        }
        auto* timeline = studio.find<TimelineView>("timeline");
        studio.have_focus();
        timeline->setFocus();
        QTRY_VERIFY(timeline->hasFocus());
        const auto names = [&] {
            QString all;
            for (const app::Shot& shot : project.shots()) all += shot.title();
            return all;
        };
        studio.key(Qt::Key_Home);
        QCOMPARE(timeline->playhead(), 0);
        studio.key(Qt::Key_Right);
        QCOMPARE(timeline->selected(), 1);
        studio.key(Qt::Key_Right, Qt::ControlModifier);
        QCOMPARE(names(), QStringLiteral("021"));
        studio.key(Qt::Key_Left, Qt::ShiftModifier);
        QCOMPARE(project.shot(2).frames(), 7);
        studio.key(Qt::Key_Delete);
        QCOMPARE(names(), QStringLiteral("02"));
        studio.key(Qt::Key_End);
        QCOMPARE(timeline->playhead(), project.frames());
        studio.key(Qt::Key_Home); // the key works on the shot that is visible
        QCOMPARE(timeline->selected(), 0);
        studio.key(Qt::Key_End);
        QCOMPARE(timeline->selected(), 1);
        auto& actions = studio.window().actions();
        QVERIFY(actions.set_shortcuts("timeline.first", {QKeySequence("Ctrl+F11")}));
        studio.key(Qt::Key_Home);
        QCOMPARE(timeline->playhead(), project.frames());
        studio.key(Qt::Key_F11, Qt::ControlModifier);
        QCOMPARE(timeline->playhead(), 0);
        // Elsewhere these keys have other meanings.
        studio.window().preview().setFocus();
        studio.key(Qt::Key_Delete);
        QCOMPARE(names(), QStringLiteral("02"));
    }

    /// The palette finds each parameter by its name, wherever it is folded away. The docks have keys of their own.
    void keys_lead_to_every_parameter() {
        const app::Home home;
        StudioFixture studio(Layout::compare);
        load_tiny(studio);
        const auto go = [&](const QString& words) {
            studio.key(Qt::Key_K, Qt::ControlModifier);
            studio.type(words);
            studio.key(Qt::Key_Return);
            return qApp->focusWidget();
        };
        QCOMPARE(go("guidance"), studio.find<QWidget>("guidance"));
        QCOMPARE(go("go to threads"), studio.find<QWidget>("threads"));
        QVERIFY(studio.find<QWidget>("loras")->isAncestorOf(go("go to lora")));
        go("guid. low");
        QVERIFY2(said(studio).contains("no parameter"), qPrintable(said(studio)));
        studio.key(Qt::Key_F7);
        QCOMPARE(qApp->focusWidget(), studio.find<QWidget>("model"));
        studio.key(Qt::Key_F7, Qt::ShiftModifier);
        QVERIFY(studio.find<QDockWidget>("queue-dock")->isAncestorOf(qApp->focusWidget()));
        studio.key(Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(studio.find<QWidget>("layers")->isAncestorOf(qApp->focusWidget()));
        go("trace both");
        QVERIFY2(said(studio).contains("as A and B first"), qPrintable(said(studio)));
    }

    /// A list keeps its key for deleting, whatever that key does elsewhere in the window.
    void a_list_keeps_its_key() {
        const app::Home home;
        const QString run = listed_run(home, "first", 2, 1);
        StudioFixture studio;
        load_tiny(studio);
        auto& actions = studio.window().actions();
        QVERIFY(actions.set_shortcuts("run.delete", {QKeySequence(Qt::Key_Delete)}));
        auto* list = studio.find<QListView>("runs");
        QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 1, 30000);
        studio.click(list->viewport(), studio.row_point(list, 0));
        studio.key(Qt::Key_Delete);
        QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(run), 5000);
    }

    void escape_ends_a_search_and_no_run() {
        const app::Home home;
        StudioFixture studio;
        studio.key(Qt::Key_F, Qt::ControlModifier);
        auto* search = studio.window().findChild<QLineEdit*>(QStringLiteral("runs-search"));
        QTRY_VERIFY(search->hasFocus());
        QTest::keyClicks(search, QStringLiteral("copy"));
        QSignalSpy stopped(studio.window().actions().at(QStringLiteral("run.cancel")), &QAction::triggered);
        QTest::keyClick(search, Qt::Key_Escape);
        QVERIFY(search->text().isEmpty());
        QCOMPARE(stopped.count(), 0);
    }

    /// Esc closes the open list and a letter looks for an entry, so neither reaches the window.
    void an_open_list_of_choices_keeps_its_keys() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto& actions = studio.window().actions();
        QSignalSpy stopped(actions.at(QStringLiteral("run.cancel")), &QAction::triggered);
        QSignalSpy extended(actions.at(QStringLiteral("timeline.extend")), &QAction::triggered);
        auto* box = studio.find<QComboBox>("sampler");
        box->setFocus();
        box->showPopup();
        QTRY_VERIFY(box->view()->isVisible());
        QTest::keyClick(box->view(), Qt::Key_E);
        QCOMPARE(box->view()->currentIndex().data().toString(), QString("Euler"));
        QVERIFY(extended.isEmpty());
        QTest::keyClick(box->view(), Qt::Key_Escape);
        QTRY_VERIFY(!box->view()->isVisible());
        QVERIFY(stopped.isEmpty());
        QVERIFY(box->currentText() != "Euler");
        // Return chooses the entry as usual.
        box->showPopup();
        QTRY_VERIFY(box->view()->isVisible());
        box->view()->setCurrentIndex(box->model()->index(box->findText("Euler"), 0));
        QTest::keyClick(box->view(), Qt::Key_Return);
        QTRY_VERIFY(!box->view()->isVisible());
        QCOMPARE(box->currentText(), QString("Euler"));
        studio.key(Qt::Key_Escape);
        QCOMPARE(stopped.count(), 1);
    }

    void escape_takes_back_what_was_typed_and_stops_no_run() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto& window = studio.window();
        for (auto* dock : window.findChildren<QDockWidget*>()) dock->show();
        QSignalSpy stopped(window.actions().at(QStringLiteral("run.cancel")), &QAction::triggered);
        const auto typed = [&](const char* name) {
            auto* field = studio.find<QWidget>(name);
            auto* box = qobject_cast<QComboBox*>(field);
            auto* number = qobject_cast<QAbstractSpinBox*>(field);
            auto* edit = box      ? box->lineEdit()
                         : number ? number->findChild<QLineEdit*>()
                                  : static_cast<QLineEdit*>(field);
            for (QWidget* at = field; at; at = at->parentWidget())
                if (auto* dock = qobject_cast<QDockWidget*>(at)) dock->raise();
            field->setFocus();
            edit->selectAll();
            const QString before = edit->text();
            studio.type(QStringLiteral("12"));
            const bool taken = edit->text() != before;
            studio.key(Qt::Key_Escape);
            return taken && edit->text() == before;
        };
        for (const char* name : {"log-search", "size", "steps", "seed", "trace-layers", "trace-steps"}) {
            QVERIFY2(typed(name), name);
            QVERIFY2(stopped.isEmpty(), name);
        }
        // Each letter became part of the axes, and Esc takes it back there.
        studio.key(Qt::Key_3, Qt::ControlModifier);
        const QString axis = studio.core().sweeps().axes().axes().front().text;
        QVERIFY(typed("axis-0-values"));
        QCOMPARE(studio.core().sweeps().axes().axes().front().text, axis);
        QVERIFY(stopped.isEmpty());
        studio.key(Qt::Key_Escape); // nothing is left to take back
        QCOMPARE(stopped.count(), 1);
    }
};

int main(int argc, char** argv) { return run_window_test<WindowKeysTest>(argc, argv); }

#include "window_keys_test.moc"
