// SPDX-License-Identifier: Apache-2.0
#include "app/studio.h"

#include <QTest>
#include <memory>

#include "tests/app/home.h"
#include "tests/app/tiny.h"

using namespace denoir;
using namespace denoir::app;

class StudioTest : public QObject {
    Q_OBJECT
private slots:
    /// The end while a verification waits behind another job: who is told of its end is being taken down.
    void a_job_may_wait_at_the_end() {
        const Home home;
        auto studio = std::make_unique<Studio>();
        studio->start();
        studio->document.load(tiny_request());
        QVERIFY(studio->document.wait_resolved(20000));
        Request long_one = tiny_request();
        long_one.steps = 200;
        const JobId job = studio->worker.render(long_one);
        studio->worker.verify(home.file("waits"));
        QTRY_COMPARE_WITH_TIMEOUT(studio->worker.current(), job, 20000);
        studio.reset();
    }
};

QTEST_MAIN(StudioTest)
#include "studio_test.moc"
