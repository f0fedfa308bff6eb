// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QFile>
#include <QSemaphore>
#include <QSignalSpy>
#include <QTest>
#include <QThread>

#include "app/base/background.h"
#include "app/base/text.h"
#include "app/studio.h"
#include "engine/core/atomic_file.h"
#include "tests/app/home.h"
#include "tests/app/projects.h"
#include "tests/app/takes.h"

using namespace denoir;
using namespace denoir::app;

class ProjectMediaTest : public QObject {
    Q_OBJECT
private slots:
    void init() {
        home_.emplace();
        write("a.mp4", "one");
    }
    void cleanup() { home_.reset(); }

    /// A disk that is slow to answer must not hold up the window, so the answer comes later.
    void the_look_is_taken_away_from_the_window() {
        Project p;
        p.add_shot(there());
        look();
        QSignalSpy changed(&p, &Project::media_changed), rewritten(&p, &Project::medium_rewritten);
        QVERIFY(QFile::remove(home_->file("a.mp4")));
        hold_up();
        p.look_at_media();
        QVERIFY(!p.is_missing(0));
        QTRY_COMPARE_WITH_TIMEOUT(changed.count(), 1, 30000);
        QVERIFY(p.is_missing(0));
        p.look_at_media();
        write("a.mp4", "one"); // during that look or after it, and the next look sees it
        p.look_at_media();
        QTRY_VERIFY_WITH_TIMEOUT(!p.is_missing(0), 30000);
        QCOMPARE(rewritten.count(), 0);
    }

    void what_was_written_anew_is_told() {
        Project p;
        p.add_shot(there());
        look();
        QSignalSpy changed(&p, &Project::media_changed), rewritten(&p, &Project::medium_rewritten);
        p.look_at_media();
        write("a.mp4", "something else");
        p.look_at_media();
        QTRY_COMPARE_WITH_TIMEOUT(rewritten.count(), 1, 30000);
        QCOMPARE(rewritten[0][0].toString(), home_->file("a.mp4"));
        QCOMPARE(changed.count(), 0);
    }

    /// What was seen for one project says nothing about the next.
    void another_project_has_its_own() {
        Project p;
        p.add_shot(there());
        QVERIFY(QFile::remove(home_->file("a.mp4")));
        p.look_at_media();
        background_pool()->waitForDone(); // the look has ended, and its answer has not arrived yet
        p.clear();
        write("a.mp4", "one");
        p.add_shot(there());
        QSignalSpy changed(&p, &Project::media_changed);
        QTest::qWait(300);
        QCOMPARE(changed.count(), 0);
        QVERIFY(!p.is_missing(0));
    }

    /// A new shot counts as there until the disk answers, and one that comes back counts as it was last seen.
    void a_shot_is_looked_at_when_it_comes() {
        Project p;
        QSignalSpy changed(&p, &Project::media_changed), rewritten(&p, &Project::medium_rewritten);
        const Take good = there();
        Take gone = good;
        gone.video = home_->file("gone.mp4");
        hold_up();
        p.add_shot(good);
        p.add_shot(gone);
        QVERIFY(!p.is_missing(0) && !p.is_missing(1));
        QTRY_VERIFY_WITH_TIMEOUT(p.is_missing(1), 30000);
        QVERIFY(!p.is_missing(0));
        look();
        QCOMPARE(changed.count(), 1);
        p.undo().undo();
        write("gone.mp4", "one");
        hold_up();
        p.undo().redo();
        QVERIFY(p.is_missing(1));
        QTRY_VERIFY_WITH_TIMEOUT(!p.is_missing(1), 30000);
        QCOMPARE(changed.count(), 2);
        QCOMPARE(rewritten.count(), 0);
    }

    /// Clips on a disk that does not answer must not keep a project from opening. Whatever is missing is told later,
    /// and once.
    void what_is_missing_of_an_opened_project_is_told() {
        const QString file = home_->file("cut.denoir");
        {
            Project p;
            p.add_shot(there());
            save_as(p, file);
        }
        QVERIFY(QFile::remove(home_->file("a.mp4")));
        Project p;
        QSignalSpy known(&p, &Project::media_known);
        hold_up();
        p.open(file, read_project(file));
        QVERIFY(!p.is_missing(0) && known.isEmpty());
        QTRY_COMPARE_WITH_TIMEOUT(known.count(), 1, 30000);
        QVERIFY(p.is_missing(0));
        p.look_at_media();
        look();
        QCOMPARE(known.count(), 1);
    }

    /// A look for the next project must not wait for the answer about the one that was closed.
    void a_look_that_hangs_is_of_its_own_project() {
        QSemaphore go_on;
        const auto hold = [&go_on] { background_pool()->start([&go_on] { go_on.acquire(); }); };
        background_pool()->setMaxThreadCount(1);
        hold();
        Project p;
        p.add_shot(there()); // its look waits behind these
        p.clear();
        Take gone = there();
        gone.video = home_->file("gone.mp4");
        p.add_shot(gone);
        go_on.release();
        background_pool()->waitForDone(); // both looks have ended
        hold();
        QCoreApplication::processEvents();
        const bool known = p.is_missing(0);
        go_on.release();
        background_pool()->waitForDone();
        QVERIFY(known);
    }

    /// Files that have moved with one that the user finds are found together, in one undo step. Nothing else changes.
    void what_has_moved_together_is_found_together() {
        Project p;
        const auto shot = [&](const QString& file) {
            Take t = take(5);
            t.video = home_->file(file), t.run.clear();
            p.add_shot(t);
        };
        QVERIFY(QDir(home_->path()).mkpath("old/run"));
        for (const char* file : {"old/a.mp4", "old/b.mp4", "old/gone.mp4", "old/run/video.mp4"}) write(file, "one");
        for (const char* file : {"old/a.mp4", "old/b.mp4", "old/gone.mp4", "old/run/video.mp4", "a.mp4"}) shot(file);
        QVERIFY(p.split(0, 2));
        QVERIFY(QDir().rename(home_->file("old"), home_->file("new")));
        QVERIFY(QFile::remove(home_->file("new/gone.mp4")));
        p.look_at_media();
        look();
        QVERIFY(p.is_missing(0));
        const auto moved = moved_with(p.shots(), p.shot(0).current(), home_->file("new/a.mp4"));
        QStringList found;
        for (const auto& each : moved) found << each.now.mid(home_->path().size());
        QCOMPARE(found, (QStringList{"/new/a.mp4", "/new/b.mp4", "/new/run/video.mp4"}));
        const int steps = p.step();
        QSignalSpy changed(&p, &Project::media_changed);
        p.relink(moved);
        QCOMPARE(p.step(), steps + 1);
        QCOMPARE(changed.count(), 1);
        QStringList missing;
        for (int row = 0; row < p.count(); ++row)
            if (p.is_missing(row)) missing << p.shot(row).current().video;
        QCOMPARE(missing, QStringList{home_->file("old/gone.mp4")});
        QCOMPARE(p.shot(1).current().video, home_->file("new/a.mp4")); // both parts of the shot
        p.undo().undo();
        QCOMPARE(p.shot(0).current().video, home_->file("old/a.mp4"));
        // Even with another name the file tells where its neighbours are.
        QVERIFY(QFile::rename(home_->file("new/a.mp4"), home_->file("new/first.mp4")));
        QCOMPARE(moved_with(p.shots(), p.shot(0).current(), home_->file("new/first.mp4")).size(), std::size_t{3});
    }

    /// A run that has moved is known by its new place, since deleting from the trash must spare the runs of the cut.
    void a_run_that_has_moved_stays_the_shots_run() {
        Project p;
        QVERIFY(QDir(home_->path()).mkpath("old/run"));
        for (const char* file : {"old/run/video.mp4", "old/run/run.json"}) write(file, "one");
        Take t = take(5);
        t.run = home_->file("old/run");
        t.video = home_->file("old/run/video.mp4");
        p.add_shot(t);
        QVERIFY(QDir().rename(home_->file("old"), home_->file("new")));
        p.relink(moved_with(p.shots(), p.shot(0).current(), home_->file("new/run/video.mp4")));
        QCOMPARE(p.runs(), QStringList{home_->file("new/run")});
        p.undo().undo();
        QCOMPARE(p.runs(), QStringList{home_->file("old/run")});
    }

    /// If a folder was copied, files that are still in their old place stay what the cut shows.
    void what_is_still_there_has_not_moved() {
        Project p;
        for (const char* folder : {"old", "new"}) QVERIFY(QDir(home_->path()).mkpath(folder));
        for (const char* file : {"old/b.mp4", "new/a.mp4", "new/b.mp4"}) write(file, "one");
        for (const char* file : {"old/a.mp4", "old/b.mp4"}) {
            Take t = take(5);
            t.video = home_->file(file);
            p.add_shot(t);
        }
        QCOMPARE(moved_with(p.shots(), p.shot(0).current(), home_->file("new/a.mp4")).size(), std::size_t{1});
    }

    /// The totals of the history change with each step of a run, but the list of runs does not.
    void a_run_at_work_is_no_reason_to_look() {
        Studio studio;
        QVERIFY(studio.history.wait_scanned(30000));
        studio.project.add_shot(there());
        QTest::qWait(50);
        QVERIFY(QFile::remove(home_->file("a.mp4")));
        emit studio.history.totals_changed();
        QTest::qWait(200);
        QVERIFY(!studio.project.is_missing(0));
        emit studio.queue.entry_ended(1, int(RunQueue::State::cancelled), {});
        QTRY_VERIFY_WITH_TIMEOUT(studio.project.is_missing(0), 30000);
    }

private:
    /// Waits until every answer of the disk has arrived; one answer may lead to another look.
    static void look() {
        for (int turn = 0; turn < 3; ++turn) {
            background_pool()->waitForDone();
            QCoreApplication::processEvents();
        }
    }
    /// Makes work on the other thread begin late.
    static void hold_up() {
        background_pool()->setMaxThreadCount(1);
        background_pool()->start([] { QThread::msleep(100); });
    }
    /// Replaces the file at once, because a look between opening and writing would see two different files.
    void write(const char* name, const char* text) {
        write_file(to_path(home_->file(QString::fromLatin1(name))), text);
    }
    Take there() const {
        Take t = take(5);
        t.video = home_->file("a.mp4");
        return t;
    }
    std::optional<Home> home_;
};

QTEST_GUILESS_MAIN(ProjectMediaTest)
#include "project_media_test.moc"
