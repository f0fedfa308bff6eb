// SPDX-License-Identifier: Apache-2.0
// The window while the disk of a project does not answer.
#include <QMessageBox>
#include <QUndoStack>

#include "app/base/background.h"
#include "app/base/settings.h"
#include "app/base/text.h"
#include "app/request/request_document.h"
#include "engine/session/request_json.h"
#include "engine/session/run_folder.h"
#include "tests/app/held_up.h"
#include "tests/ui/window/window_main.h"
#include "tests/ui/window/window_tools.h"
#include "ui/preview/preview_view.h"
#include "ui/window/run_news.h"

using namespace denoir;
using namespace denoir::ui;

class WindowSlowDiskTest : public QObject {
    Q_OBJECT

    /// Saves a cut of one shot.
    static QString saved_cut(const app::Home& home, const QString& name) {
        app::write_clip(home.file("a.mp4"), 64, 48, 6);
        app::Project project;
        project.add_shot(app::take_of_video(home.file("a.mp4")));
        save_as(project, home.file(name));
        return project.path();
    }
    /// Opens another project, whose disk does not answer until `held` lets go.
    static void open_slowly(StudioFixture& studio, const app::Home& home, std::optional<app::HeldUp>& held) {
        const QString slow = saved_cut(home, QStringLiteral("slow.denoir"));
        held.emplace(home.file(".slow.denoir.lock"));
        QVERIFY(held->there());
        studio.open({slow});
        QCOMPARE(studio.core().project.path(), slow);
    }
    /// Saves it under another name, without the file dialog.
    static void save_as_cut(StudioFixture& studio, const app::Home& home) {
        studio.key(Qt::Key_S, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(studio.answer_file_dialog(home.file("cut")));
        QVERIFY(studio.core().project.is_being_saved());
    }
    /// Leaves an autosave whose studio may still run; asking for that waits until `held` lets go.
    static void leave_autosave(const app::Home& home, std::optional<app::HeldUp>& held) {
        QVERIFY(QDir().mkpath(home.data("autosave")));
        write(home.data("autosave/left.json"), "{}");
        held.emplace(home.data("autosave/left.json.lock"));
        QVERIFY(held->there());
    }
    static QMessageBox* question(StudioFixture& studio) {
        for (auto* box : studio.window().findChildren<QMessageBox*>())
            if (box->isVisible()) return box;
        return nullptr;
    }

private slots:
    void the_window_can_be_used_while_a_project_is_saved() {
        const app::Home home;
        StudioFixture studio;
        std::optional<app::HeldUp> held;
        open_slowly(studio, home, held);
        auto& project = studio.core().project;
        project.rename_shot(0, "one");
        save_as_cut(studio, home);
        QVERIFY(studio.window().isWindowModified());
        QTRY_VERIFY_WITH_TIMEOUT(said(studio).contains("Saving cut.denoir"), 30000);
        project.rename_shot(0, "two");
        studio.core().document.set_value("prompt", "a red balloon");
        QVERIFY(!QFile::exists(home.file("cut.denoir")));
        held->let_go();
        QVERIFY(looked_at(studio.window()));
        QVERIFY2(said(studio).contains("Saved as"), qPrintable(said(studio)));
        QCOMPARE(app::read_project(home.file("cut.denoir")).shots[0].name, QStringLiteral("one"));
        QVERIFY(studio.window().isWindowModified());
        QCOMPARE(project.path(), home.file("cut.denoir"));
        studio.key(Qt::Key_S, Qt::ControlModifier);
        QVERIFY(looked_at(studio.window()));
        QCOMPARE(app::read_project(home.file("cut.denoir")).shots[0].name, QStringLiteral("two"));
        QVERIFY(!studio.window().isWindowModified());
    }

    /// For changes that are being saved no question is asked. Changes that are made in the meantime do ask.
    void a_new_project_waits_for_the_one_that_is_being_saved() {
        for (const bool edits : {false, true}) {
            const app::Home home;
            StudioFixture studio;
            std::optional<app::HeldUp> held;
            open_slowly(studio, home, held);
            auto& project = studio.core().project;
            project.clear();
            project.add_shot(app::take_of_video(home.file("a.mp4")));
            project.rename_shot(0, "one");
            save_as_cut(studio, home);
            QCOMPARE(project.path(), QString()); // it has no file until that is on the disk
            studio.key(Qt::Key_N, Qt::ControlModifier);
            QVERIFY(!question(studio));
            QCOMPARE(project.count(), 1);
            if (edits) project.rename_shot(0, "two");
            held->let_go();
            QVERIFY(looked_at(studio.window()));
            QCOMPARE(bool(question(studio)), edits);
            QCOMPARE(project.count(), edits ? 1 : 0);
            QCOMPARE(app::read_project(home.file("cut.denoir")).shots[0].name, QStringLiteral("one"));
            if (edits) question(studio)->button(QMessageBox::Discard)->click();
            QCOMPARE(project.count(), 0);
        }
    }

    /// Opening the file that is being written gives what will be written.
    void what_is_being_saved_is_opened_as_it_will_be() {
        const app::Home home;
        StudioFixture studio;
        saved_cut(home, QStringLiteral("cut.denoir"));
        std::optional<app::HeldUp> held;
        open_slowly(studio, home, held);
        auto& project = studio.core().project;
        project.rename_shot(0, "one");
        // The dialog would ask whether to replace the file.
        project.save_as(home.file("cut.denoir"), [](const app::Issue&) {});
        project.clear();
        studio.key(Qt::Key_S, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(studio.answer_file_dialog(home.file("empty")));
        studio.window().open_path(home.file("cut.denoir"));
        QTest::qWait(100); // until it has been read
        QCOMPARE(project.count(), 0);
        held->let_go();
        QVERIFY(looked_at(studio.window()));
        QTRY_COMPARE_WITH_TIMEOUT(project.path(), home.file("cut.denoir"), 30000);
        QCOMPARE(project.shot(0).name, QStringLiteral("one"));
    }

    void quitting_waits_for_what_is_being_saved() {
        const app::Home home;
        StudioFixture studio;
        std::optional<app::HeldUp> held;
        open_slowly(studio, home, held);
        studio.core().project.rename_shot(0, "one");
        save_as_cut(studio, home);
        studio.key(Qt::Key_Q, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(said(studio).contains("the window closes when that is done"), 30000);
        QVERIFY(studio.window().isVisible());
        held->let_go();
        QTRY_VERIFY_WITH_TIMEOUT(!studio.window().isVisible(), 30000);
        QCOMPARE(app::read_project(home.file("cut.denoir")).shots[0].name, QStringLiteral("one"));
    }

    /// The window may close before the disk answers, but what it was asked to do must still be done.
    void the_window_closes_before_the_disk_answers() {
        const app::Home home;
        {
            StudioFixture studio;
            std::optional<app::HeldUp> held;
            open_slowly(studio, home, held);
            studio.core().project.rename_shot(0, "one");
            save_as_cut(studio, home);
            studio.core().project.rename_shot(0, "two"); // the next start has this change, too
            studio.key(Qt::Key_Q, Qt::ControlModifier);
            QVERIFY(QTest::qWaitFor([&] { return studio.press("Close the window"); }, 30000));
            QTRY_VERIFY_WITH_TIMEOUT(!studio.window().isVisible(), 30000);
            QVERIFY(!QFile::exists(home.file("cut.denoir")));
            held->let_go();
        }
        QCOMPARE(app::read_project(home.file("cut.denoir")).shots[0].name, QStringLiteral("one"));
        const auto left = app::Project::recoverable();
        QCOMPARE(left.size(), 1);
        QVERIFY(left[0].kept);
        QCOMPARE(app::Project::read_recovery(left[0]).content.shots[0].name, QStringLiteral("two"));
    }

    /// If it cannot be saved, the user reads why and decides again.
    void quitting_ends_where_it_cannot_be_saved() {
        const app::Home home;
        StudioFixture studio;
        std::optional<app::HeldUp> held;
        open_slowly(studio, home, held);
        studio.core().project.rename_shot(0, "one");
        studio.key(Qt::Key_S, Qt::ControlModifier);
        studio.key(Qt::Key_Q, Qt::ControlModifier);
        held->let_go();
        QVERIFY(looked_at(studio.window()));
        QVERIFY2(said(studio).contains("another studio has this project open"), qPrintable(said(studio)));
        QVERIFY(studio.window().isVisible() && studio.core().project.is_modified());
        studio.key(Qt::Key_Q, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(!studio.window().isVisible(), 30000);
        const auto kept = app::Project::recoverable(); // this studio still runs
        QVERIFY(kept.isEmpty());
        QCOMPARE(home.autosaves().size(), 1);
    }

    /// So do its undo steps and a picture that is still being imported.
    void what_is_typed_before_the_last_project_comes_stays() {
        const app::Home home;
        const QString last = saved_cut(home, QStringLiteral("last.denoir"));
        StudioFixture studio;
        auto& core = studio.core();
        core.document.settle();
        std::optional<app::HeldUp> held;
        leave_autosave(home, held);
        core.settings.set_value(QStringLiteral("open_project"), last);
        auto* files = studio.window().findChild<ProjectFiles*>();
        files->offer_recovery({});
        const QString before = core.document.value("prompt").toString();
        core.document.set_value("prompt", "typed meanwhile");
        QSemaphore go_on;
        hold_up_inputs(studio, go_on);
        bool taken_in = false;
        core.inputs.put(
            &studio.window(), [] { return true; }, [&taken_in](bool is) { taken_in = is; });
        QVERIFY(files->busy() && core.project.path().isEmpty());
        held->let_go();
        QVERIFY(looked_at(studio.window()));
        QCOMPARE(core.project.path(), last);
        QCOMPARE(core.project.count(), 1);
        QCOMPARE(core.document.value("prompt").toString(), QStringLiteral("typed meanwhile"));
        QVERIFY(core.project.is_modified());
        go_on.release();
        QTRY_VERIFY_WITH_TIMEOUT(taken_in, 30000);
        studio.key(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(core.document.value("prompt").toString(), before);
        QVERIFY(!core.project.is_modified());
        QCOMPARE(core.project.count(), 1);
    }

    /// A shot that was added and removed is no undo step of the cut that is then opened.
    void what_was_cut_before_the_last_project_comes_is_no_step_of_it() {
        const app::Home home;
        const QString last = saved_cut(home, QStringLiteral("last.denoir"));
        StudioFixture studio;
        auto& core = studio.core();
        std::optional<app::HeldUp> held;
        leave_autosave(home, held);
        core.settings.set_value(QStringLiteral("open_project"), last);
        studio.window().findChild<ProjectFiles*>()->offer_recovery({});
        core.document.set_value("prompt", "typed meanwhile");
        core.project.add_shot(app::take_of_video(home.file("a.mp4")));
        core.project.undo().undo();
        held->let_go();
        QVERIFY(looked_at(studio.window()));
        QCOMPARE(core.project.count(), 1);
        QCOMPARE(core.document.value("prompt").toString(), QStringLiteral("typed meanwhile"));
        core.project.undo().redo();
        QCOMPARE(core.project.count(), 1);
    }

    /// Its folder is read on another thread, and until then the picture stays.
    void a_run_without_a_video_is_found_later() {
        const app::Home home;
        const QString run = listed_run(home, "first", 2, 7), other = listed_run(home, "other", 2, 8);
        QVERIFY(QFile::remove(run + "/video.mp4"));
        StudioFixture studio;
        auto& viewer = studio.window().viewer();
        viewer.show_run(other);
        QTRY_VERIFY_WITH_TIMEOUT(studio.window().preview().info(app::Side::a), 30000);
        QStringList names;
        connect(&viewer, &Viewer::side_changed, this, [&names](app::Side, const QString& name) { names << name; });
        viewer.show_run(run);
        QVERIFY2(names.isEmpty(), qPrintable(names.join('|')));
        QVERIFY(studio.window().preview().is_opening(app::Side::a));
        QTRY_VERIFY2_WITH_TIMEOUT(names.contains("a red balloon · no video yet"), qPrintable(names.join('|')), 30000);
        QCOMPARE(names.constFirst(), QStringLiteral("first · no video yet")); // until the folder is read
        QVERIFY(!studio.window().preview().info(app::Side::a));
        QCOMPARE(viewer.run(app::Side::a), run);
        names.clear();
        viewer.show_run(run);
        viewer.show_run(other); // the run that was asked for last counts
        QTRY_VERIFY_WITH_TIMEOUT(studio.window().preview().info(app::Side::a), 30000);
        QCOMPARE(viewer.run(app::Side::a), other);
        QVERIFY2(!names.join('|').contains("no video yet"), qPrintable(names.join('|')));
    }

    /// Its name and its steps are read on another thread.
    void an_interrupted_run_is_offered_later() {
        const app::Home home;
        QDir().mkpath(home.data("runs"));
        RunFolder run = RunFolder::take(app::fake_run(app::to_path(home.data("runs")), 1));
        run.record().state = RunState::running;
        run.save();
        const Json entry{{"id", 1},
                         {"state", "interrupted"},
                         {"request", asked_json(run.record().request)},
                         {"run", run.path().string()}};
        write(
            home.data("queue.json"),
            QByteArray::fromStdString(Json{{"schema", 1}, {"paused", true}, {"entries", Json::array({entry})}}.dump()));
        StudioFixture studio;
        const auto offered = [&] { return studio.window().banners().texts().join('\n').contains("interrupted"); };
        QTRY_VERIFY_WITH_TIMEOUT(offered(), 30000);
        studio.window().banners().remove(QStringLiteral("resume"));
        auto* news = studio.window().findChild<RunNews*>();
        news->offer_to_resume();
        QVERIFY(!offered());
        QTRY_VERIFY_WITH_TIMEOUT(offered(), 30000);
        studio.window().banners().remove(QStringLiteral("resume"));
        news->offer_to_resume();
        studio.core().queue.add_resume(app::to_qstring(run.path())); // the user resumes it with another button
        app::background_pool()->waitForDone();
        QCoreApplication::processEvents();
        QVERIFY(!offered());
    }
};

int main(int argc, char** argv) { return run_window_test<WindowSlowDiskTest>(argc, argv); }

#include "window_slow_disk_test.moc"
