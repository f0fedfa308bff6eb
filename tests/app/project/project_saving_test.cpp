// SPDX-License-Identifier: Apache-2.0
// What is done while the disk of a project does not answer.
#include <QSignalSpy>
#include <QTest>
#include <QUndoStack>
#include <thread>

#include "app/project/project_lock.h"
#include "tests/app/full_disk.h"
#include "tests/app/held_up.h"
#include "tests/app/home.h"
#include "tests/app/project/text_files.h"
#include "tests/app/projects.h"
#include "tests/app/takes.h"

using namespace denoir;
using namespace denoir::app;

class ProjectSavingTest : public QObject {
    Q_OBJECT

    /// How many shots the file has, or -1 if there is no file.
    static int shots_in(const QString& file) { return QFile::exists(file) ? int(read_project(file).shots.size()) : -1; }
    QString lock_of(const QString& name) const { return home_->file(QStringLiteral(".%1.lock").arg(name)); }
    /// Opens a project with one shot, on a disk that does not answer until `held` lets go.
    void open_slowly(Project& p, std::optional<HeldUp>& held) {
        ProjectContent content;
        content.shots = cut(1);
        held.emplace(lock_of(QStringLiteral("slow.denoir")));
        QVERIFY(held->there());
        p.open(home_->file("slow.denoir"), content);
    }
    static std::vector<Shot> cut(int shots) {
        Project p;
        for (int i = 0; i < shots; ++i) p.add_shot(take(5 + i));
        return p.shots();
    }

private slots:
    void init() { home_.emplace(); }
    void cleanup() { home_.reset(); }

    /// Any file of the command line may be asked; a pipe must not be waited for.
    void a_project_is_known_by_name_or_content() {
        const QByteArray content = R"({"format": "denoir-project", "version": 1})";
        for (const char* name : {"cut.denoir", "copy.txt", "plain.json"}) {
            QFile file(home_->file(name));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(name == QByteArray("plain.json") ? QByteArray("{}") : content);
        }
        QVERIFY(Project::is_project(home_->file("cut.denoir")) && Project::is_project(home_->file("copy.txt")));
        QVERIFY(!Project::is_project(home_->file("plain.json")) && !Project::is_project(home_->file("none.denoir")));
        const HeldUp pipe(home_->file("pipe.denoir"));
        QVERIFY(pipe.there() && !Project::is_project(home_->file("pipe.denoir")));
    }

    void what_is_written_is_what_there_was() {
        const QString file = home_->file("cut.denoir");
        QStringList told;
        Project p;
        std::optional<HeldUp> held;
        open_slowly(p, held);
        p.add_shot(take(20));
        p.save_as(file, [&told](const Issue& issue) { told << issue.line(); });
        QVERIFY(p.is_modified() && p.is_being_saved()); // nothing is on the disk yet
        QVERIFY(p.path() != file);
        p.add_shot(take(30));
        QVERIFY(!p.is_being_saved());
        p.undo().undo();
        QVERIFY(p.is_modified());
        p.undo().redo();
        QCOMPARE(shots_in(file), -1);
        held->let_go();
        p.finish();
        QCOMPARE(told, QStringList{QString()});
        QCOMPARE(shots_in(file), 2);
        QCOMPARE(p.path(), file);
        QVERIFY(p.is_modified()); // the third shot is not saved
        p.undo().undo();
        QVERIFY(!p.is_modified());
        p.undo().undo();
        QVERIFY(p.is_modified());
    }

    /// A second trim of the same drag must not become a part of the step that is being saved.
    void what_is_dragged_while_it_is_saved_is_modified() {
        Project p;
        std::optional<HeldUp> held;
        open_slowly(p, held);
        QVERIFY(p.trim(0, 1, 5, 7));
        p.save_as(home_->file("cut.denoir"), [](const Issue&) {});
        QVERIFY(p.trim(0, 2, 5, 7));
        held->let_go();
        p.finish();
        QVERIFY(p.is_modified());
        p.undo().undo();
        QVERIFY(!p.is_modified());
        QCOMPARE(p.shot(0).in, 1);
    }

    /// The lock of the first name comes back, and that of the other name goes.
    void back_to_the_name_it_had() {
        const QString one = home_->file("one.denoir"), other = home_->file("other.denoir");
        Issue issue;
        const auto tell = [&issue](const Issue& each) {
            if (!each.isEmpty()) issue = each;
        };
        Project p;
        p.add_shot(take(10));
        save_as(p, one);
        p.save_as(other, tell);
        p.save_as(one, tell);
        p.save(tell);
        p.finish();
        QVERIFY2(issue.isEmpty(), qPrintable(issue.line()));
        QCOMPARE(p.path(), one);
        QVERIFY(QFile::exists(home_->file(".one.denoir.lock")));
        QVERIFY(!QFile::exists(home_->file(".other.denoir.lock")));
    }

    /// Whoever waits for a state to be kept must not be told about an older one.
    void what_is_kept_is_there_when_that_is_told() {
        {
            Project earlier;
            earlier.set_autosave(true);
            earlier.add_shot(take(10));
            QVERIFY(earlier.keep_for_next_start());
        }
        const QString plain = home_->data("autosave/" + home_->autosaves().at(0));
        QString older = plain;
        QVERIFY(QFile::rename(plain, older.replace(".json", ".older.json")));
        const auto found = Project::recoverable();
        QCOMPARE(found.size(), 1);
        HeldUp held(plain + ".lock"); // recovering asks for this lock
        QVERIFY(held.there());
        QList<bool> kept;
        const auto tell = [&](bool good) { kept << good; };
        Project p;
        p.recover(found[0], Project::read_recovery(found[0]));
        p.rename_shot(0, "the newest");
        p.keep_for_next_start(tell);
        p.keep_for_next_start(tell);
        const FullDisk full;
        held.let_go();
        p.finish();
        QCOMPARE(kept, (QList<bool>{false, false}));
    }

    /// The newest state is written last, and everybody who asked is told.
    void several_are_written_in_their_order() {
        const QString file = home_->file("cut.denoir");
        QStringList told;
        Project p;
        std::optional<HeldUp> held;
        open_slowly(p, held);
        const auto tell = [&told](const QString& name) {
            return [&told, name](const Issue& issue) { told << name + issue.line(); };
        };
        p.save_as(file, tell(QStringLiteral("first")));
        p.add_shot(take(20));
        p.save(tell(QStringLiteral("second"))); // also for that file
        p.save(tell(QStringLiteral("third")));
        p.save_as(home_->file("other.denoir"), tell(QStringLiteral("other")));
        p.save(tell(QStringLiteral("fifth")));
        held->let_go();
        p.finish();
        QCOMPARE(told.join(' '), QStringLiteral("first second third other fifth"));
        QCOMPARE(shots_in(file), 2);
        QCOMPARE(shots_in(home_->file("other.denoir")), 2);
        QVERIFY(!QFile::exists(home_->file("slow.denoir")));
        QCOMPARE(p.path(), home_->file("other.denoir"));
        QVERIFY(!p.is_modified());
    }

    void what_cannot_be_written_stays_modified() {
        const QString file = home_->file("gone/cut.denoir");
        QVERIFY(QDir().mkpath(home_->file("gone")));
        Issue told;
        Project p;
        std::optional<HeldUp> held;
        open_slowly(p, held);
        p.add_shot(take(20));
        p.save_as(file, [&told](const Issue& issue) { told = issue; });
        QVERIFY(QDir(home_->file("gone")).removeRecursively());
        held->let_go();
        p.finish();
        QVERIFY2(told.line().contains("cut.denoir"), qPrintable(told.line()));
        QVERIFY(p.is_modified() && !p.is_being_saved());
        QCOMPARE(p.path(), home_->file("slow.denoir"));
        p.undo().undo(); // perhaps the file is on the disk after all, so undo does not make it unmodified
        QVERIFY(p.is_modified());
        save_as(p, home_->file("cut.denoir"));
        QVERIFY(!p.is_modified());
    }

    /// The caller is told that the first project was saved, but the new project has nothing to do with that file.
    void another_project_is_not_the_one_that_is_being_saved() {
        const QString file = home_->file("cut.denoir");
        bool told = false;
        Project p;
        std::optional<HeldUp> held;
        open_slowly(p, held);
        p.save_as(file, [&told](const Issue& issue) { told = issue.isEmpty(); });
        p.clear();
        p.add_shot(take(20));
        p.add_shot(take(21));
        held->let_go();
        p.finish();
        QVERIFY(told);
        QCOMPARE(shots_in(file), 1);
        QCOMPARE(p.path(), QString());
        QVERIFY(p.is_modified());
        ProjectLock none;
        QVERIFY(!ProjectLock::take(file, none).held_by_other()); // the lock is free again
    }

    /// Until it is known who has the lock, nothing may be written.
    void another_studio_is_found_later() {
        Issue told;
        Project p;
        std::optional<HeldUp> held;
        open_slowly(p, held);
        QSignalSpy paths(&p, &Project::path_changed);
        p.add_shot(take(20));
        p.save([&told](const Issue& issue) { told = issue; });
        QVERIFY(!p.read_only());
        held->let_go();
        p.finish();
        QVERIFY(p.read_only() && !p.issue().isEmpty());
        QVERIFY(!paths.isEmpty());
        QVERIFY2(told.message.contains("another studio has this project open"), qPrintable(told.line()));
        QVERIFY(!QFile::exists(p.path()));
        QVERIFY(p.is_modified());
    }

    /// The autosave may lie on another disk, which answers.
    void the_autosave_goes_on() {
        Project p;
        p.set_autosave(true);
        std::optional<HeldUp> held;
        open_slowly(p, held);
        p.save_as(home_->file("cut.denoir"), [](const Issue&) {});
        p.add_shot(take(20));
        QTRY_COMPARE_WITH_TIMEOUT(home_->autosaves().size(), 1, 30000);
        p.save([](const Issue&) {});
        held->let_go();
        p.finish();
        QCOMPARE(home_->autosaves().size(), 0);
    }

    /// Of several edits in a row the newest is kept, and a state that was dropped must not come back.
    void the_autosave_is_the_newest() {
        const QString older = home_->data("autosave/left.older.json");
        {
            Project lost;
            lost.set_autosave(true);
            lost.add_shot(take(5));
            QVERIFY(lost.keep_for_next_start());
            QVERIFY(QFile::rename(home_->data("autosave/") + home_->autosaves().constFirst(), older));
        }
        Project p;
        p.set_autosave(true);
        HeldUp held(home_->data("autosave/left.json.lock"));
        QVERIFY(held.there());
        const auto found = Project::recoverable();
        QVERIFY(found.size() == 1 && found[0].older);
        p.recover(found[0], Project::read_recovery(found[0]));
        int kept = 0;
        for (int i = 0; i < 3; ++i) {
            p.add_shot(take(20 + i));
            p.keep_for_next_start([&kept](bool good) { kept += good; });
        }
        QCOMPARE(kept, 0);
        held.let_go();
        QTRY_COMPARE_WITH_TIMEOUT(kept, 3, 30000);
        QCOMPARE(read(older).count("\"frames\""), 4);
        QVERIFY(p.keep_for_next_start());
        p.clear();
        p.finish();
        QCOMPARE(home_->autosaves().size(), 0);
    }

    void the_end_waits() {
        const QString file = home_->file("cut.denoir");
        std::optional<HeldUp> held;
        std::thread later;
        {
            Project p;
            p.set_autosave(true);
            open_slowly(p, held);
            p.add_shot(take(20));
            p.save_as(file, [](const Issue&) {});
            QVERIFY(p.keep_for_next_start()); // in case that the program is killed
            QCOMPARE(home_->autosaves().size(), 1);
            later = std::thread([&held] { held->let_go(); });
        }
        later.join();
        QCOMPARE(shots_in(file), 2);
        QCOMPARE(home_->autosaves().size(), 0);
        ProjectLock none;
        QVERIFY(!ProjectLock::take(file, none).held_by_other());
    }

private:
    std::optional<Home> home_;
};

QTEST_GUILESS_MAIN(ProjectSavingTest)
#include "project_saving_test.moc"
