// SPDX-License-Identifier: Apache-2.0
#include "app/base/background.h"

#include <QSemaphore>
#include <QTest>
#include <stdexcept>
#include <vector>

#include "app/base/preparations.h"

namespace {

using denoir::app::Preparations, denoir::app::run_then;

class BackgroundTest : public QObject {
    Q_OBJECT
private slots:
    /// Work that ends while it is still being set up, as often as chance allows.
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

    /// As with another project: neither used nor told of, and nobody waits for it.
    void what_is_dropped_is_not_used() {
        Preparations inputs;
        QStringList used;
        int failed = 0, finished = 0;
        connect(&inputs, &Preparations::failed, this, [&] { ++failed; });
        connect(&inputs, &Preparations::finished, this, [&] { ++finished; });
        QSemaphore begun, go_on;
        inputs.put(
            this,
            [&] {
                begun.release();
                go_on.acquire();
                return 1;
            },
            [&](int) { used << "first"; });
        inputs.put(
            this, []() -> int { throw std::runtime_error("no"); }, [&](int) { used << "none"; });
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
        QVERIFY(!inputs.busy());
    }
};

} // namespace

QTEST_GUILESS_MAIN(BackgroundTest)
#include "background_test.moc"
