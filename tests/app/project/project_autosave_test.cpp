// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>

#include "app/project/project.h"
#include "tests/app/full_disk.h"
#include "tests/app/home.h"
#include "tests/app/project/text_files.h"
#include "tests/app/projects.h"
#include "tests/app/takes.h"

using namespace denoir;
using namespace denoir::app;

class ProjectAutosaveTest : public QObject {
    Q_OBJECT
private slots:
    void init() { home_.emplace(); }
    void cleanup() { home_.reset(); }

    /// A failure that was reported and went away is reported again when it comes back.
    void each_failure_is_told() {
        Project p;
        p.set_autosave(true);
        QSignalSpy issues(&p, &Project::issue_changed);
        for (int time = 0; time < 2; ++time) {
            {
                const FullDisk full;
                p.add_shot(take(5));
                QTRY_VERIFY_WITH_TIMEOUT(!p.issue().isEmpty(), 30000);
            }
            QCOMPARE(issues.size(), 2 * time + 1);
            p.add_shot(take(6));
            QTRY_VERIFY_WITH_TIMEOUT(p.issue().isEmpty(), 30000);
        }
        {
            const FullDisk full;
            p.add_shot(take(7));
            QTRY_VERIFY_WITH_TIMEOUT(!p.issue().isEmpty(), 30000);
        }
        p.undo().setIndex(0); // there is nothing left to save
        QTRY_VERIFY_WITH_TIMEOUT(p.issue().isEmpty(), 30000);
    }

    /// Edits that are not saved when the session ends are kept like the others, although it ended in order.
    void the_last_edits_of_a_session_are_kept_too() {
        {
            Project p;
            p.set_autosave(true);
            p.add_shot(take(5));
            QVERIFY(p.keep_for_next_start());
            p.add_shot(take(6));
        }
        const auto left = Project::recoverable();
        QCOMPARE(left.size(), 1);
        QCOMPARE(left[0].shots, 2);
        QVERIFY(left[0].kept);
    }

    /// The newest one is offered.
    void the_newest_comes_first() {
        for (const int shots : {1, 2, 3}) {
            Project p;
            p.set_autosave(true);
            for (int i = 0; i < shots; ++i) p.add_shot(take(5));
            QVERIFY(p.keep_for_next_start());
        }
        const auto left = Project::recoverable();
        QCOMPARE(left.size(), 3);
        for (const auto& one : left) { // as if days lay between them
            const QString day = QStringLiteral("\"2026-03-0%1T").arg(one.shots % 3 + 1);
            write(one.autosave, read(one.autosave).replace(QRegularExpression("\"\\d{4}-\\d\\d-\\d\\dT"), day));
        }
        QList<int> order;
        for (const auto& one : Project::recoverable()) order << one.shots;
        QCOMPARE(order, (QList<int>{2, 1, 3}));
    }

    /// An older one must not take the name of a newer one.
    void an_older_one_does_not_replace_a_newer_one() {
        {
            Project p;
            p.set_autosave(true);
            p.add_shot(take(5));
            QTRY_COMPARE_WITH_TIMEOUT(home_->autosaves().size(), 1, 30000);
            p.add_shot(take(6));
            const FullDisk full;
            QVERIFY(!p.keep_for_next_start());
            p.leave_older_autosave();
        }
        const auto found = Project::recoverable();
        QCOMPARE(found.size(), 1);
        QVERIFY(found[0].older);
        const QString newer = QString(found[0].autosave).replace(".older.json", ".json");
        write(newer, "newer");
        Project p;
        recover(p, found[0]);
        QCOMPARE(read(newer), QStringLiteral("newer"));
    }

    void a_removed_folder_is_made_again() {
        Project p;
        p.set_autosave(true);
        p.add_shot(take(5));
        QTRY_COMPARE_WITH_TIMEOUT(home_->autosaves().size(), 1, 30000);
        QVERIFY(QDir(home_->data(QStringLiteral("autosave"))).removeRecursively());
        p.add_shot(take(6));
        QTRY_COMPARE_WITH_TIMEOUT(home_->autosaves().size(), 1, 30000);
        QVERIFY(Project::recoverable().isEmpty()); // it belongs to this studio, which still runs
    }

    void a_folder_that_cannot_be_made_is_told() {
        QVERIFY(Project::recoverable().isEmpty());
        QVERIFY(!QFile::exists(home_->data(QString()))); // merely looking makes no folder
        QFile in_its_way(home_->file(QStringLiteral("data")));
        QVERIFY(in_its_way.open(QIODevice::WriteOnly));
        {
            Project p;
            p.set_autosave(true);
            p.add_shot(take(5));
            QTRY_VERIFY_WITH_TIMEOUT(!p.issue().isEmpty(), 30000);
            QVERIFY2(p.issue().line().contains(QStringLiteral("autosave")), qPrintable(p.issue().line()));
            QVERIFY(!p.keep_for_next_start());
            p.add_shot(take(6)); // its destructor saves once more
        }
        QVERIFY(in_its_way.remove());
    }

private:
    std::optional<Home> home_;
};

QTEST_GUILESS_MAIN(ProjectAutosaveTest)
#include "project_autosave_test.moc"
