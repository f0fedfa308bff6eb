// SPDX-License-Identifier: Apache-2.0
#include "app/project/project_lock.h"

#include <QTest>

#include "app/base/text.h"
#include "tests/app/home.h"
#include "tests/app/projects.h"
#include "tests/app/takes.h"

using namespace denoir;
using namespace denoir::app;

namespace {

/// Leaves what a studio leaves that crashed with unsaved changes to this project.
Project::Recovery crashed(const QString& file) {
    {
        Project p;
        p.set_autosave(true);
        p.add_shot(take(20));
        save_as(p, file);
        p.trim(0, 3, 9);
    }
    return Project::recoverable().value(0);
}

} // namespace

class ProjectLockTest : public QObject {
    Q_OBJECT
private slots:
    void init() { home_.emplace(); }
    void cleanup() { home_.reset(); }

    void one_has_it() {
        const QString file = home_->file("a.denoir");
        ProjectLock none, ours = ProjectLock::take(file, none);
        QVERIFY(!ours.held_by_other());
        ProjectLock other = ProjectLock::take(file, none);
        QVERIFY(other.held_by_other());
        QCOMPARE(other.issue().file, file);
        ProjectLock same = ProjectLock::take(file, ours);
        QVERIFY(!same.held_by_other());
        QVERIFY(ProjectLock::take(file, none).held_by_other()); // the lock was handed over and never free
        same = {};
        QVERIFY(!ProjectLock::take(file, none).held_by_other());
    }

    /// A project is opened again after a crash and then recovered in its place, and it can still be saved.
    void what_is_open_here_is_recovered_as_ours() {
        const QString file = home_->file("a.denoir");
        const Project::Recovery recovery = crashed(file);
        QCOMPARE(recovery.path, file);
        Project p;
        open(p, file);
        recover(p, recovery);
        QVERIFY(!p.read_only());
        QVERIFY2(p.issue().isEmpty(), qPrintable(p.issue().line()));
        QVERIFY(p.is_modified());
        save(p);
        QCOMPARE(p.shot(0).in, 3);
        Project again;
        open(again, file);
        QVERIFY(again.read_only()); // the lock is still ours
    }

    void what_is_open_elsewhere_is_recovered_read_only() {
        const QString file = home_->file("a.denoir");
        const Project::Recovery recovery = crashed(file);
        Project elsewhere, p;
        open(elsewhere, file);
        recover(p, recovery);
        QVERIFY(p.read_only());
        QVERIFY(!p.issue().isEmpty());
        save_as(p, home_->file("b.denoir"));
        QVERIFY(!p.read_only() && p.issue().isEmpty());
    }

private:
    std::optional<Home> home_;
};

QTEST_GUILESS_MAIN(ProjectLockTest)
#include "project_lock_test.moc"
