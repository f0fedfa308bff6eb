// SPDX-License-Identifier: Apache-2.0
// The parts of a studio together: what is on its way when it ends, or when it is not wanted any more.
#include "app/studio.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QScopeGuard>
#include <QSemaphore>
#include <QSignalSpy>
#include <QTest>
#include <optional>

#include "app/base/text.h"
#include "app/sweep/sweep_document.h"
#include "engine/core/own_folders.h"
#include "engine/session/run_folder.h"
#include "tests/app/clips.h"
#include "tests/app/fake_runs.h"
#include "tests/app/home.h"
#include "tests/app/takes.h"
#include "tests/app/tiny.h"

using namespace denoir;
using namespace denoir::app;

class StudioTest : public QObject {
    Q_OBJECT
private slots:
    void init() {
        home_.emplace();
        studio_.emplace();
        studio_->start();
        studio_->document.load(tiny_request());
        QVERIFY(studio_->document.wait_resolved(20000));
    }
    void cleanup() {
        studio_.reset();
        home_.reset();
    }

    /// A verification waits behind another job when the studio is destroyed. Its end must not be reported to what is
    /// gone.
    void a_job_may_wait_at_the_end() {
        Request long_one = tiny_request();
        long_one.steps = 200;
        const JobId job = studio_->worker.render(long_one);
        studio_->worker.verify(home_->file("waits"));
        QTRY_COMPARE_WITH_TIMEOUT(studio_->worker.current(), job, 20000);
        studio_.reset();
    }

    /// Closing the window must not wait for a plan, and the next start must not find a sweep without clips.
    void a_sweep_may_be_planned_at_the_end() {
        // This takes a second or two to plan.
        studio_->sweeps().axes().set_all({{"seed", "1..200"}, {"shift", "1..5"}}, "axes");
        studio_->sweeps().start();
        QVERIFY(studio_->sweeps().starting());
        QTest::qWait(50); // it is being planned now
        studio_.reset();
        QVERIFY(QDir(home_->data("sweeps")).isEmpty());
    }

    /// The sweep was asked for while the request was still being checked.
    void a_sweep_that_waits_can_be_given_up() {
        studio_->queue.set_paused(true);
        studio_->sweeps().axes().set_all({{"steps", "2, 3"}}, "axes");
        studio_->document.refresh();
        QVERIFY(studio_->document.pending());
        studio_->sweeps().start();
        QVERIFY(studio_->sweeps().give_up());
        QVERIFY(!studio_->sweeps().give_up());
        QVERIFY(studio_->document.wait_resolved(20000));
        QTest::qWait(300);
        QVERIFY(!studio_->sweeps().starting() && studio_->queue.rowCount() == 0);
    }

    /// Beside a run the device would seem slower and smaller than it is.
    void a_device_is_not_looked_into_beside_a_run() {
        studio_.reset();
        home_.emplace();
        studio_.emplace();
        studio_->document.load(tiny_request());
        QVERIFY(studio_->document.wait_resolved(20000));
        Request long_one = tiny_request();
        long_one.steps = 900; // too long to end by itself
        const JobId job = studio_->worker.render(long_one);
        QTRY_COMPARE_WITH_TIMEOUT(studio_->worker.current(), job, 20000);
        const QSignalSpy looked(&studio_->estimator, &Estimator::changed);
        studio_->start();
        QVERIFY(!studio_->estimator.looking());
        studio_->worker.cancel(job);
        QTRY_VERIFY_WITH_TIMEOUT(looked.count() > 0, 30000);
    }

    /// Also while a run is only decoded and makes no more steps.
    void a_resumed_run_is_listed_as_running() {
        studio_.reset(); // the studio would already see the folder while it is still being prepared
        const QString path = home_->data("runs/stopped");
        QVERIFY(QDir().mkpath(home_->data("runs")) && QDir().rename(tiny_run(home_->file("made-here")), path));
        QVERIFY(QFile::remove(path + "/video.mp4"));
        {
            RunFolder run = RunFolder::take(to_path(path));
            run.record().state = RunState::cancelled;
            run.save();
        }
        studio_.emplace();
        studio_->start();
        auto& history = studio_->history;
        const auto standing = [&] { return RunHistory::standing(history.index(0)); };
        history.refresh();
        QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 1, 30000);
        QCOMPARE(standing(), RunStanding::cancelled);
        // The engine's thread is held up twice: before the run's folder says that it is at work, and while it decodes.
        QSemaphore created_on, decoding_on;
        const auto let_go = qScopeGuard([&] {
            created_on.release();
            decoding_on.release();
        });
        connect(
            &studio_->worker, &EngineWorker::run_created, this, [&] { created_on.acquire(); }, Qt::DirectConnection);
        connect(
            &studio_->worker, &EngineWorker::progressed, this,
            [&, held = false](JobId, const JobProgress& progress) mutable {
                if (progress.stage == Stage::decode && !std::exchange(held, true)) decoding_on.acquire();
            },
            Qt::DirectConnection);
        const QSignalSpy created(&studio_->queue, &RunQueue::run_created);
        studio_->queue.add_resume(path);
        QTRY_COMPARE_WITH_TIMEOUT(created.count(), 1, 30000);
        QVERIFY(history.wait_scanned(20000));
        QCOMPARE(standing(), RunStanding::cancelled);
        created_on.release();
        QTRY_COMPARE_WITH_TIMEOUT(standing(), RunStanding::running, 20000);
        decoding_on.release();
        QTRY_COMPARE_WITH_TIMEOUT(standing(), RunStanding::done, 30000);
    }

    /// A limit of 0 means no limit, so nothing may be offered for removal.
    void a_disk_limit_of_zero_is_no_limit() {
        for (int i = 1; i <= 3; ++i) fake_run(data_folder() / "runs", i);
        studio_->history.refresh();
        QTRY_COMPARE_WITH_TIMEOUT(studio_->history.rowCount(), 3, 30000);
        studio_->settings.set_value("history_bytes", 0);
        QVERIFY(studio_->over_limit().runs.isEmpty());
        studio_->settings.set_value("history_bytes", 1);
        QCOMPARE(studio_->over_limit().runs.size(), 3);
    }

    /// A run that was removed a week ago is deleted, unless the open project shows it.
    void old_trash_is_deleted_except_what_the_cut_shows() {
        studio_.reset();
        const std::filesystem::path trash = data_folder() / "runs" / ".trash";
        const auto put = [&](int days, const char* name) {
            const auto time = QDateTime::currentMSecsSinceEpoch() - qint64{days} * 24 * 3'600'000;
            std::filesystem::create_directories(trash / (std::to_string(time) + "-" + name));
        };
        put(6, "young");
        put(8, "old");
        put(8, "shown");
        studio_.emplace();
        Take shown = take(5);
        shown.run = to_qstring(data_folder() / "runs" / "shown");
        studio_->project.add_shot(shown);
        studio_->empty_trash();
        const auto left = [&] {
            QStringList names;
            for (const QString& name : QDir(to_qstring(trash)).entryList(QDir::Dirs | QDir::NoDotAndDotDot))
                names << name.section('-', 1);
            names.sort();
            return names;
        };
        QTRY_COMPARE_WITH_TIMEOUT(left(), (QStringList{"shown", "young"}), 30000);
        QVERIFY(studio_->history.wait_scanned(30000));
        QCOMPARE(left(), (QStringList{"shown", "young"}));
    }

    /// A picture that was being stored for one project is of no use to the next.
    void what_is_prepared_for_another_project_is_dropped() {
        QSemaphore begun, go_on;
        bool used = false;
        studio_->inputs.put(
            studio_.operator->(),
            [&] {
                begun.release();
                go_on.acquire();
                return 1;
            },
            [&](int) { used = true; });
        begun.acquire();
        studio_->project.clear();
        QVERIFY(!studio_->inputs.busy());
        go_on.release();
        bool next = false;
        studio_->inputs.put(
            studio_.operator->(), [] { return 2; }, [&](int) { next = true; });
        QTRY_VERIFY_WITH_TIMEOUT(next, 30000);
        QVERIFY(!used);
    }

private:
    std::optional<Home> home_;
    std::optional<Studio> studio_;
};

QTEST_MAIN(StudioTest)
#include "studio_test.moc"
