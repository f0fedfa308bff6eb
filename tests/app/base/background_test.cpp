// SPDX-License-Identifier: Apache-2.0
#include "app/base/background.h"

#include <QTest>
#include <vector>

namespace {

using denoir::app::run_then;

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
};

} // namespace

QTEST_GUILESS_MAIN(BackgroundTest)
#include "background_test.moc"
