// SPDX-License-Identifier: Apache-2.0
// The parts of a studio together: what is on its way when it ends, or when it is not wanted any more.
#include "app/studio.h"

#include <QDir>
#include <QTest>
#include <optional>

#include "app/sweep/sweep_document.h"
#include "tests/app/home.h"
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

    /// A verification waits behind another job: who is told of its end is being taken down.
    void a_job_may_wait_at_the_end() {
        Request long_one = tiny_request();
        long_one.steps = 200;
        const JobId job = studio_->worker.render(long_one);
        studio_->worker.verify(home_->file("waits"));
        QTRY_COMPARE_WITH_TIMEOUT(studio_->worker.current(), job, 20000);
        studio_.reset();
    }

    /// Whoever closes the window waits for no plan, and finds no sweep without clips the next time.
    void a_sweep_may_be_planned_at_the_end() {
        studio_->sweeps().axes().set_all({{"seed", "1..200"}, {"shift", "1..5"}}, "axes"); // takes a second or two
        studio_->sweeps().start();
        QVERIFY(studio_->sweeps().starting());
        QTest::qWait(50); // it is at work
        studio_.reset();
        QVERIFY(QDir(home_->data("sweeps")).isEmpty());
    }

    /// Asked for while the request is still looked at.
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

private:
    std::optional<Home> home_;
    std::optional<Studio> studio_;
};

QTEST_MAIN(StudioTest)
#include "studio_test.moc"
