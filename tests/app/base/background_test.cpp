// SPDX-License-Identifier: Apache-2.0
#include "app/base/background.h"

#include <QImage>
#include <QSemaphore>
#include <QTest>
#include <QThread>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <vector>

#include "app/base/preparations.h"

namespace {

using denoir::app::Preparations, denoir::app::run_then;

class BackgroundTest : public QObject {
    Q_OBJECT
private slots:
    /// The work often ends while it is still being set up, and the test repeats that many times.
    void each_piece_of_work_is_told_once() {
        constexpr int count = 100'000;
        std::vector<int> told(count);
        int all = 0;
        for (int i = 0; i < count; ++i) {
            run_then(
                this, [i] { return i; },
                [&](int which) {
                    ++told[std::size_t(which)];
                    ++all;
                });
            if (i % 100 == 99) QCoreApplication::processEvents();
        }
        QTRY_COMPARE_WITH_TIMEOUT(all, count, 60'000);
        QCoreApplication::processEvents();
        QCOMPARE(told, std::vector<int>(count, 1));
    }

    void nothing_is_told_to_who_is_gone() {
        int told = 0;
        QThreadPool pool;
        {
            QObject context;
            run_then(
                &context, [] { return 1; }, [&](int) { ++told; }, &pool);
            pool.waitForDone();
        }
        QCoreApplication::processEvents();
        QCOMPARE(told, 0);
    }

    /// Qt draws large pictures in pieces on its own pool and waits for them, so that pool must stay free.
    void pictures_do_not_wait_for_it() {
        const int many = QThread::idealThreadCount();
        QSemaphore go_on;
        int told = 0;
        const auto work = [&] { return go_on.acquire(), 1; };
        for (int i = 0; i < many; ++i) run_then(this, work, [&](int) { ++told; });
        const std::unique_ptr<QThread> painter(QThread::create([] {
            QImage picture(2048, 2048, QImage::Format_RGB32);
            picture.fill(Qt::blue);
            picture.convertTo(QImage::Format_RGBA64);
        }));
        painter->start();
        const bool in_time = painter->wait(20'000);
        go_on.release(many);
        painter->wait();
        QVERIFY(in_time);
        QTRY_COMPARE_WITH_TIMEOUT(told, many, 20'000);
    }

    /// If another project is opened, results for the old one are neither used nor reported, and nobody waits for them.
    void what_is_dropped_is_not_used() {
        Preparations inputs;
        QStringList used;
        int failed = 0, finished = 0;
        connect(&inputs, &Preparations::failed, this, [&] { ++failed; });
        connect(&inputs, &Preparations::finished, this, [&] { ++finished; });
        QSemaphore begun, go_on;
        std::atomic<int> begun_late = 0;
        inputs.put(
            this,
            [&] {
                begun.release();
                go_on.acquire();
                return 1;
            },
            [&](int) { used << "first"; });
        inputs.put(
            this,
            [&]() -> int {
                ++begun_late;
                throw std::runtime_error("no");
            },
            [&](int) { used << "none"; });
        begun.acquire();
        inputs.drop();
        QVERIFY(!inputs.busy());
        inputs.put(
            this, [] { return 2; }, [&](int) { used << "second"; });
        QVERIFY(inputs.busy());
        go_on.release();
        QTRY_COMPARE_WITH_TIMEOUT(finished, 1, 60'000);
        QCOMPARE(used, QStringList{"second"});
        QCOMPARE(failed, 0);
        QCOMPARE(begun_late.load(), 0);
        QVERIFY(!inputs.busy());
    }

    /// Using a result may open another project.
    void using_one_may_drop_the_others() {
        Preparations inputs;
        int used = 0;
        inputs.put(
            this, [] { return 1; }, [&](int) { inputs.drop(); });
        QTRY_VERIFY_WITH_TIMEOUT(!inputs.busy(), 60'000);
        inputs.put(
            this, [] { return 2; }, [&](int) { ++used; });
        QVERIFY(inputs.busy());
        QTRY_COMPARE_WITH_TIMEOUT(used, 1, 60'000);
        QVERIFY(!inputs.busy());
    }

    /// When the window closes nobody waits for what will not be used.
    void what_waits_at_the_end_is_not_begun() {
        std::atomic<int> begun = 0;
        {
            Preparations inputs;
            for (int i = 0; i < 20; ++i)
                inputs.put(
                    this,
                    [&begun] {
                        QThread::msleep(50);
                        return ++begun;
                    },
                    [](int) {});
            QTRY_VERIFY_WITH_TIMEOUT(begun > 0, 60'000);
        }
        QVERIFY(begun < 20);
    }
};

} // namespace

QTEST_GUILESS_MAIN(BackgroundTest)
#include "background_test.moc"
