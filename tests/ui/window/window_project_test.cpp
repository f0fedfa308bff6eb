// SPDX-License-Identifier: Apache-2.0
// Projects in the whole window: what is new, saved, kept, recovered or open twice.
#include <QLockFile>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QUndoStack>

#include "app/base/background.h"
#include "app/base/settings.h"
#include "app/project/shot_requests.h"
#include "app/request/request_document.h"
#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"
#include "engine/session/request_json.h"
#include "tests/app/clips.h"
#include "tests/app/fake_runs.h"
#include "tests/app/full_disk.h"
#include "tests/ui/window/window_main.h"
#include "tests/ui/window/window_tools.h"
#include "ui/docks/runs_panel.h"
#include "ui/preview/preview_view.h"
#include "ui/steps/step_strip.h"
#include "ui/steps/steps_panel.h"

using namespace denoir;
using namespace denoir::ui;

class WindowProjectTest : public QObject {
    Q_OBJECT

    /// The id of a shot in a cut that an earlier session left behind.
    static QString lost_shot(const app::Home& home) {
        app::write_clip(home.file("a.mp4"), 64, 48, 6);
        app::Project lost;
        lost.set_autosave(true);
        lost.add_shot(app::take_of_video(home.file("a.mp4")));
        return lost.shot(0).id;
    }
    /// A session that ends with a seed and a saved cut of one shot, cut.denoir.
    static void save_cut(const app::Home& home) {
        app::write_clip(home.file("a.mp4"), 64, 48, 6);
        StudioFixture studio;
        studio.core().project.add_shot(app::take_of_video(home.file("a.mp4")));
        studio.core().document.set_value("seed", 7);
        studio.core().document.set_seed_locked(true);
        save_as(studio.core().project, home.file("cut.denoir"));
        QVERIFY(studio.window().close());
    }
    /// A take for that shot comes out of the queue.
    static void end_for(StudioFixture& studio, const QString& shot, const QString& run) {
        auto& queue = studio.core().queue;
        queue.set_paused(true);
        const quint64 entry = queue.add({app::tiny_request(), {}}, false, app::ResultPlace{{shot}, {}, {}}.tag());
        emit queue.entry_ended(entry, int(app::RunQueue::State::done), run);
    }

private slots:
    void a_new_project_gives_the_prompt_back() {
        const app::Home home;
        StudioFixture studio;
        auto& document = studio.core().document;
        document.load({});
        studio.core().project.undo().clear();
        document.set_value("prompt", "a red balloon");
        studio.key(Qt::Key_N, Qt::ControlModifier);
        QCOMPARE(document.value("prompt").toString(), QString());
        QVERIFY(!studio.core().project.is_modified());
        studio.key(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(document.value("prompt").toString(), QStringLiteral("a red balloon"));
    }

    /// A branch is still being read, and a run should be made of it.
    void another_project_drops_what_waits() {
        const app::Home home;
        const QString run = listed_run(home, "first", 3, 5);
        StudioFixture studio;
        load_tiny(studio);
        auto& core = studio.core();
        core.queue.set_paused(true);
        emit studio.find<StepStrip>("run-steps")->branch_requested(run, 2);
        studio.find<QAction>("run.generate")->trigger();
        QVERIFY(core.inputs.busy() && core.queue.rowCount() == 0);
        core.project.clear();
        QVERIFY(!core.inputs.busy());
        bool read = false; // it is read after the branch
        core.inputs.put(
            &studio.window(), [] { return true; }, [&read](bool is) { read = is; });
        QTRY_VERIFY_WITH_TIMEOUT(read, 30000);
        QVERIFY(core.document.wait_resolved(20000));
        QCoreApplication::processEvents();
        QVERIFY(!core.document.asked().start && core.document.asked().prompt.empty());
        QCOMPARE(core.queue.rowCount(), 0);
    }

    /// Before the first shot there was only a prompt, which had been changed, too.
    void the_title_tells_of_the_first_shot() {
        const app::Home home;
        StudioFixture studio;
        app::write_clip(home.file("a.mp4"), 64, 48, 6);
        studio.core().document.set_value("prompt", "a red balloon");
        QCOMPARE(studio.window().windowTitle(), QString("Denoir"));
        studio.core().project.add_shot(app::take_of_video(home.file("a.mp4")));
        QVERIFY2(studio.window().windowTitle().startsWith("Untitled"), qPrintable(studio.window().windowTitle()));
        QVERIFY(studio.window().isWindowModified());
        studio.core().project.remove_shot(0);
        QCOMPARE(studio.window().windowTitle(), QString("Denoir"));
    }

    /// Once its shot or the whole project is gone, a missing file is not reported any more.
    void what_is_missed_goes_with_its_shot() {
        const app::Home home;
        StudioFixture studio;
        auto& project = studio.core().project;
        const auto tell = [&] {
            app::write_clip(home.file("a.mp4"), 64, 48, 6);
            project.add_shot(app::take_of_video(home.file("a.mp4")));
            QVERIFY(QFile::remove(home.file("a.mp4")));
            studio.find<QAction>("file.export")->trigger();
            QTRY_VERIFY2_WITH_TIMEOUT(said(studio).contains("cannot be exported yet"), qPrintable(said(studio)), 30000);
            QTRY_VERIFY_WITH_TIMEOUT(project.is_missing(0), 30000);
            QVERIFY(project.rename_shot(0, "another name"));
            app::background_pool()->waitForDone();
            QCoreApplication::processEvents();
            QVERIFY2(said(studio).contains("cannot be exported yet"), qPrintable(said(studio)));
        };
        tell();
        project.remove_shot(0);
        QVERIFY2(!said(studio).contains("cannot be exported yet"), qPrintable(said(studio)));
        tell();
        project.clear();
        QVERIFY2(!said(studio).contains("cannot be exported yet"), qPrintable(said(studio)));
    }

    /// It comes back as unsaved changes do, unless the user had left it for a new one.
    void the_project_that_was_open_is_open_at_the_next_start() {
        const app::Home home;
        save_cut(home);
        {
            StudioFixture studio;
            const auto& project = studio.core().project;
            QCOMPARE(project.path(), home.file("cut.denoir"));
            QCOMPARE(project.count(), 1);
            QVERIFY(!project.is_modified());
            QVERIFY(studio.core().document.seed_locked());
            studio.core().document.set_seed_locked(false); // this changes nothing in the project
            QVERIFY(studio.window().close());
        }
        StudioFixture studio;
        QCOMPARE(studio.core().project.count(), 1);
        QVERIFY(!studio.core().project.is_modified());
        QVERIFY(!studio.core().document.seed_locked());
        studio.key(Qt::Key_N, Qt::ControlModifier);
        QCOMPARE(app::Settings().value(QStringLiteral("open_project")).toString(), QString());
    }

    /// Removing all shots is a change like any other.
    void an_emptied_cut_stays_empty() {
        const app::Home home;
        save_cut(home);
        {
            StudioFixture studio;
            QVERIFY(studio.core().project.remove_shot(0));
            QVERIFY(studio.window().close());
        }
        StudioFixture studio;
        QCOMPARE(studio.core().project.path(), home.file("cut.denoir"));
        QCOMPARE(studio.core().project.count(), 0);
        QVERIFY(studio.core().project.is_modified());
    }

    /// Otherwise the project could one day replace what was done without it.
    void a_project_that_was_gone_at_the_start_stays_closed() {
        const app::Home home;
        save_cut(home);
        QVERIFY(QFile::rename(home.file("cut.denoir"), home.file("away")));
        { const StudioFixture studio; }
        QVERIFY(QFile::rename(home.file("away"), home.file("cut.denoir")));
        StudioFixture studio;
        QVERIFY(studio.core().project.path().isEmpty());
    }

    /// If the user begins a new project while the last one is being read, the new one stays.
    void a_new_project_is_not_replaced_by_the_last_one() {
        const app::Home home;
        save_cut(home);
        StudioFixture studio;
        auto& project = studio.core().project;
        auto* files = studio.window().findChild<ProjectFiles*>();
        files->start_new();
        studio.core().settings.set_value(QStringLiteral("open_project"), home.file("cut.denoir"));
        files->offer_recovery({});
        QVERIFY(files->busy());
        files->start_new();
        QVERIFY(looked_at(studio.window()));
        QCOMPARE(project.path(), QString());
        QCOMPARE(app::Settings().value(QStringLiteral("open_project")).toString(), QString());
    }

    /// The run of the old project must not look like a part of the new one. A run at work stays in sight.
    void a_new_project_begins_with_an_empty_picture() {
        const app::Home home;
        const QString run = listed_run(home, "run", 2, 1);
        StudioFixture studio;
        load_tiny(studio);
        auto& preview = studio.window().preview();
        const auto& viewer = studio.window().viewer();
        const auto* runs = studio.window().findChild<RunsPanel*>();
        const auto& steps = *studio.window().findChild<StepsPanel*>();
        const auto shows_run = [&] { return preview.info(app::Side::a) && runs->current() == run; };
        QTRY_VERIFY_WITH_TIMEOUT(shows_run(), 30000); // the newest one, as at every start
        studio.find<StepStrip>("run-steps")->set_step(1);
        QTRY_VERIFY_WITH_TIMEOUT(preview.covered(), 30000);
        studio.key(Qt::Key_N, Qt::ControlModifier);
        QVERIFY(!preview.info(app::Side::a) && !preview.covered());
        QVERIFY(viewer.seen().isEmpty() && steps.pictures().run().isEmpty());
        QVERIFY2(runs->selected().isEmpty(), qPrintable(runs->selected().join(' ')));
        const QString words = preview.canvas().accessibleDescription();
        QVERIFY2(words.startsWith("Describe the video"), qPrintable(words));

        load_tiny(studio);
        studio.core().document.set_value("steps", 400);
        studio.find<QAction>("run.generate")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(steps.shows_live() && preview.covered(), 60000);
        const QString working = studio.core().queue.running_run();
        studio.key(Qt::Key_N, Qt::ControlModifier);
        QVERIFY(steps.shows_live() && preview.covered());
        QCOMPARE(viewer.seen(), working);
        studio.key(Qt::Key_Escape);
        QVERIFY(studio.idle());
    }

    /// Two projects with the same name are told apart by their folders.
    void recent_projects_can_be_told_apart() {
        const app::Home home;
        for (const char* folder : {"one", "two"}) {
            QVERIFY(QDir(home.path()).mkdir(QLatin1String(folder)));
            app::Project project;
            save_as(project, home.file(QLatin1String(folder) + QStringLiteral("/cut.denoir")));
        }
        app::Project other;
        save_as(other, home.file("other.denoir"));
        StudioFixture studio;
        for (const char* name : {"other", "one/cut", "two/cut"})
            studio.open({home.file(QLatin1String(name) + QStringLiteral(".denoir"))});
        const QMenu* recent = nullptr;
        for (const auto* menu : studio.window().menuBar()->findChildren<QMenu*>())
            if (menu->title() == QString("Open &recent")) recent = menu;
        QVERIFY(recent);
        QStringList names;
        const auto all = [&] {
            names.clear();
            for (const auto* action : recent->actions()) names << action->text();
            return names.size();
        };
        QTRY_COMPARE_WITH_TIMEOUT(all(), 3, 10000);
        names.sort();
        QCOMPARE(names, (QStringList{"cut – one", "cut – two", "other"}));
        for (auto* action : recent->actions())
            if (action->text() == names[0]) action->trigger();
        QVERIFY(studio.window().findChild<Opener*>()->busy()); // its disk may be slow
        QTRY_COMPARE_WITH_TIMEOUT(studio.core().project.path(), home.file("one/cut.denoir"), 30000);
    }

    /// The user's answer was about the changes at that time and not about later ones.
    void what_is_changed_while_the_next_project_is_read_is_asked_about() {
        const app::Home home;
        save_cut(home);
        StudioFixture studio;
        auto& project = studio.core().project;
        QCOMPARE(project.path(), home.file("cut.denoir")); // it was opened by itself
        save_as(project, home.file("mine.denoir"));
        project.rename_shot(0, "mine");
        const auto answer = [&](QMessageBox::StandardButton button) {
            for (auto* box : studio.window().findChildren<QMessageBox*>())
                if (box->isVisible()) return box->button(button)->click();
            QFAIL("nothing was asked");
        };
        studio.open({home.file("cut.denoir")});
        answer(QMessageBox::Discard);
        QVERIFY(studio.window().findChild<ProjectFiles*>()->busy());
        project.rename_shot(0, "mine again");
        QVERIFY(looked_at(studio.window()));
        QCOMPARE(project.shot(0).name, QStringLiteral("mine again"));
        answer(QMessageBox::Save);
        QTRY_COMPARE_WITH_TIMEOUT(project.path(), home.file("cut.denoir"), 30000);
        open(project, home.file("mine.denoir"));
        QCOMPARE(project.shot(0).name, QStringLiteral("mine again"));
    }

    /// A prompt that was saved with its project must not come into the next one.
    void a_saved_project_keeps_its_prompt() {
        const app::Home home;
        StudioFixture studio;
        auto& document = studio.core().document;
        for (const char* name : {"one", "two"}) {
            document.settle();
            document.set_value("prompt", QLatin1String(name));
            save_as(studio.core().project, home.file(QLatin1String(name) + ".denoir"));
        }
        studio.open({home.file("one.denoir")});
        QCOMPARE(document.value("prompt").toString(), QStringLiteral("one"));
        studio.key(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(document.value("prompt").toString(), QStringLiteral("one"));
    }

    /// If the cut cannot be kept, the user learns it before the studio quits.
    void a_cut_that_cannot_be_kept_is_not_lost_silently() {
        const app::Home home;
        StudioFixture studio;
        app::write_clip(home.file("a.mp4"), 64, 48, 6);
        studio.core().project.add_shot(app::take_of_video(home.file("a.mp4")));
        {
            const app::FullDisk full;
            studio.key(Qt::Key_Q, Qt::ControlModifier);
            QTRY_VERIFY_WITH_TIMEOUT(said(studio).contains("cannot be kept"), 30000);
            QVERIFY(studio.window().isVisible());
            QCoreApplication::processEvents(); // until the banner is laid out
            QVERIFY(studio.press("Close all the same"));
            QVERIFY(!studio.window().isVisible());
        }
        studio.window().show();
        studio.key(Qt::Key_Q, Qt::ControlModifier); // there is room again
        QTRY_VERIFY_WITH_TIMEOUT(!studio.window().isVisible(), 30000);
    }

    /// The offer stays until it is answered, and by then there is other work.
    void what_a_crash_left_takes_the_place_of_nothing_unsaved() {
        const app::Home home;
        app::write_clip(home.file("a.mp4"), 64, 48, 6);
        app::Take take = app::take_of_video(home.file("a.mp4"));
        take.name = "lost";
        {
            app::Project lost;
            lost.set_autosave(true);
            lost.set_request(asked_json(app::tiny_request()));
            lost.add_shot(take);
        }
        StudioFixture studio;
        auto& project = studio.core().project;
        auto& document = studio.core().document;
        const auto offered = [&] { return said(studio).contains("ended unexpectedly"); };
        const auto answer = [&](QMessageBox::StandardButton button) {
            for (auto* box : studio.window().findChildren<QMessageBox*>())
                if (box->isVisible()) return box->button(button)->click();
            QFAIL("nothing was asked");
        };
        QVERIFY(offered());
        document.set_value("prompt", "what I write now");
        take.name = "new";
        project.add_shot(take);
        QVERIFY(studio.press("Recover"));
        QCOMPARE(project.shot(0).title(), QStringLiteral("new"));
        answer(QMessageBox::Cancel);
        QCOMPARE(project.shot(0).title(), QStringLiteral("new"));
        QVERIFY(offered());
        QCoreApplication::processEvents(); // until the banner is laid out
        QVERIFY(studio.press("Recover"));
        answer(QMessageBox::Discard);
        QTRY_COMPARE(project.shot(0).title(), QStringLiteral("lost"));
        QVERIFY(!offered() && project.is_modified());
        QVERIFY(document.value("prompt").toString() != "what I write now");
        studio.key(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(document.value("prompt").toString(), QStringLiteral("what I write now"));
        QCOMPARE(project.count(), 1);
    }

    /// The next start opens another project, so what was left of this one is offered, but not as a crash.
    void what_was_left_in_order_is_not_called_a_crash() {
        const app::Home home;
        app::write_clip(home.file("a.mp4"), 64, 48, 6);
        const app::Take take = app::take_of_video(home.file("a.mp4"));
        {
            app::Project other;
            other.add_shot(take);
            app::Issue failed;
            other.save_as(home.file("other.denoir"), [&](const app::Issue& issue) { failed = issue; });
            other.finish();
            QVERIFY2(failed.isEmpty(), qPrintable(failed.line()));
        }
        for (const bool in_order : {true, false}) {
            {
                app::Project left;
                left.set_autosave(true);
                left.add_shot(take);
                if (in_order) QVERIFY(left.keep_for_next_start());
            }
            StudioFixture studio(Layout::create, Scheme::dark, {1280, 800}, {home.file("other.denoir")});
            QTRY_VERIFY2(said(studio).contains("an untitled cut"), qPrintable(said(studio)));
            QTRY_COMPARE(studio.core().project.path(), home.file("other.denoir"));
            QCOMPARE(said(studio).contains("ended unexpectedly"), !in_order);
            QVERIFY(studio.press("Discard"));
            QTRY_VERIFY(app::Project::recoverable().isEmpty());
        }
    }

    /// Another studio may hold it. The offer stays, so that the user can try again.
    void what_cannot_be_recovered_stays_on_offer() {
        const app::Home home;
        const QString run = app::tiny_run(home.file("late"), 1, 1), shot = lost_shot(home);
        StudioFixture studio;
        end_for(studio, shot, run);
        {
            QLockFile other(app::Project::recoverable().constFirst().autosave + ".lock");
            QVERIFY(other.tryLock(0));
            QVERIFY(studio.press("Recover"));
            QVERIFY(looked_at(studio.window()));
        }
        QCOMPARE(studio.core().project.count(), 0);
        QVERIFY2(said(studio).contains("another studio has it"), qPrintable(said(studio)));
        QVERIFY2(!said(studio).contains("not there any more"), qPrintable(said(studio)));
        QCoreApplication::processEvents(); // until the banner is laid out
        QVERIFY(studio.press("Recover"));
        QTRY_COMPARE_WITH_TIMEOUT(studio.core().project.count(), 1, 30000);
        QCOMPARE(studio.core().project.shot(0).current().run, run);
    }

    /// The queue goes on while the offer waits for an answer.
    void what_was_made_for_a_lost_cut_waits_for_the_answer() {
        const app::Home home;
        const QString run = app::tiny_run(home.file("late"), 1, 1), shot = lost_shot(home);
        StudioFixture studio;
        end_for(studio, shot, run);
        QVERIFY2(!said(studio).contains("not there any more"), qPrintable(said(studio)));
        QVERIFY(studio.press("Recover"));
        QTRY_COMPARE_WITH_TIMEOUT(studio.core().project.count(), 1, 30000);
        QCOMPARE(studio.core().project.shot(0).current().run, run);
    }

    void a_name_with_a_dot_gets_its_ending() {
        const app::Home home;
        StudioFixture studio;
        app::write_clip(home.file("a.mp4"), 64, 48, 6);
        studio.core().project.add_shot(app::take_of_video(home.file("a.mp4")));
        studio.key(Qt::Key_S, Qt::ControlModifier);
        QVERIFY(studio.answer_file_dialog(home.file("film v1.2")));
        QTRY_VERIFY(QFile::exists(home.file("film v1.2.denoir")));
        QVERIFY(looked_at(studio.window()));
        QVERIFY(!studio.core().project.is_modified());
        // Somebody may have renamed it so.
        QVERIFY(QFile::rename(home.file("film v1.2.denoir"), home.file("film v1.2")));
        studio.core().project.clear();
        studio.open({home.file("film v1.2")});
        QCOMPARE(studio.core().project.count(), 1);
    }

    void saving_before_a_new_project_begins_the_new_one() {
        const app::Home home;
        StudioFixture studio;
        app::write_clip(home.file("a.mp4"), 64, 48, 6);
        studio.core().project.add_shot(app::take_of_video(home.file("a.mp4")));
        studio.key(Qt::Key_N, Qt::ControlModifier);
        auto* box = studio.window().findChild<QMessageBox*>();
        QVERIFY(box && !box->isModal() && box->icon() == QMessageBox::NoIcon);
        box->button(QMessageBox::Save)->click();
        QVERIFY(studio.answer_file_dialog(home.file("kept")));
        QTRY_COMPARE(studio.core().project.count(), 0);
        QVERIFY(QFile::exists(home.file("kept.denoir")));
    }

    /// The question does not block the work, so it must go when its changes are saved or replaced.
    void the_question_goes_with_the_changes_it_is_about() {
        const app::Home home;
        StudioFixture studio;
        auto& project = studio.core().project;
        app::write_clip(home.file("a.mp4"), 64, 48, 6);
        const app::Take take = app::take_of_video(home.file("a.mp4"));
        project.add_shot(take);
        save_as(project, home.file("other.denoir"));
        save_as(project, home.file("cut.denoir"));
        const auto question = [&]() -> QMessageBox* {
            for (auto* box : studio.window().findChildren<QMessageBox*>())
                if (box->isVisible()) return box;
            return nullptr;
        };
        project.rename_shot(0, "opening");
        studio.key(Qt::Key_N, Qt::ControlModifier);
        QVERIFY(question());
        save(project);
        QVERIFY(!question());
        studio.open({home.file("other.denoir")});
        project.rename_shot(0, "of the other");
        QCOMPARE(project.path(), home.file("other.denoir"));
        QVERIFY(!question() && project.is_modified());
        studio.key(Qt::Key_N, Qt::ControlModifier);
        QVERIFY(question());
        open(project, home.file("cut.denoir"));
        QVERIFY(!question());
        QCOMPARE(project.shot(0).name, QStringLiteral("opening"));
        project.rename_shot(0, "mine"); // the earlier question was about another project
        studio.key(Qt::Key_N, Qt::ControlModifier);
        QVERIFY(question());
        question()->button(QMessageBox::Cancel)->click();
        QCOMPARE(project.shot(0).name, QStringLiteral("mine"));
    }

    void the_second_studio_on_a_project_may_only_read() {
        const app::Home home;
        StudioFixture first;
        app::write_clip(home.file("a.mp4"), 64, 48, 6);
        first.core().project.add_shot(app::take_of_video(home.file("a.mp4")));
        save_as(first.core().project, home.file("cut.denoir"));
        const QByteArray saved = read(home.file("cut.denoir"));
        {
            const app::Home elsewhere; // as if another user of the same folder had it open
            StudioFixture second;
            second.open({home.file("cut.denoir")});
            QCOMPARE(second.core().project.count(), 1);
            second.core().project.finish(); // until it is known who has the lock
            QVERIFY2(said(second).contains("cut.denoir"), qPrintable(said(second)));
            second.core().project.rename_shot(0, "mine");
            second.key(Qt::Key_S, Qt::ControlModifier);
            QVERIFY(looked_at(second.window()));
            QCOMPARE(read(home.file("cut.denoir")), saved);
            QVERIFY(second.core().project.is_modified());
        }
        home.use();
    }

    /// A retake uses the prompt of its shot and says so, unless the user asks for the current prompt.
    void a_retake_says_whose_prompt_it_takes() {
        const app::Home home;
        const QString first = listed_run(home, "first", 3, 1);
        StudioFixture studio;
        load_tiny(studio);
        auto& queue = studio.core().queue;
        auto& project = studio.core().project;
        project.add_shot(app::take_of_run(first));
        const auto prompt_of = [](const QString& run) {
            return QString::fromStdString(app::RunHistory::record(run).request.prompt);
        };
        const auto newest_prompt = [&] {
            return queue.index(queue.rowCount() - 1).data(app::RunQueue::PromptRole).toString();
        };
        for (const bool begun : {false, true}) {
            const QString own = prompt_of(project.shot(0).current().run), now = begun ? "a green boat" : "a blue boat";
            QVERIFY(studio.core().document.set_value("prompt", now).isEmpty());
            queue.set_paused(true);
            studio.key(Qt::Key_F6, Qt::ShiftModifier);
            studio.key(Qt::Key_R);
            QTRY_COMPARE_WITH_TIMEOUT(queue.waiting(), 1, 30000);
            QCOMPARE(newest_prompt(), own);
            QVERIFY2(said(studio).contains("the shot's own prompt"), qPrintable(said(studio)));
            if (begun) queue.set_paused(false);
            QCOMPARE(queue.waiting(), begun ? 0 : 1);
            QVERIFY(studio.press("With the prompt as it is now"));
            QCOMPARE(newest_prompt(), now);
            queue.set_paused(false);
            QVERIFY(studio.idle());
            QCOMPARE(prompt_of(project.shot(0).current().run), now);
        }
    }
};

int main(int argc, char** argv) { return run_window_test<WindowProjectTest>(argc, argv); }

#include "window_project_test.moc"
