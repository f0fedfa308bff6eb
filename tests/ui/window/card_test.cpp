// SPDX-License-Identifier: Apache-2.0
// The studio on a machine with two cards: made-up ones, whose kernels are emulated.
#include <QComboBox>
#include <QLabel>
#include <QScopeGuard>

#include "app/request/estimator.h"
#include "app/request/request_document.h"
#include "tests/app/arrivals.h"
#include "tests/ui/studio_fixture.h"

using namespace denoir;
using namespace denoir::ui;

class CardTest : public QObject {
    Q_OBJECT

private slots:
    /// The user need not look for it under More, nor know its name.
    void the_first_card_is_used_and_the_status_line_names_it() {
        const app::Home home;
        StudioFixture studio;
        auto& document = studio.core().document;
        document.load(app::tiny_request());
        QVERIFY(document.wait_resolved(20000));
        QVERIFY(document.resolved());
        QCOMPARE(document.resolved()->device->name(), "cuda:0");
        QVERIFY(!document.is_changed("device"));

        auto* device = studio.find<QLabel>("status-device");
        QTRY_COMPARE_WITH_TIMEOUT(device->text(), QStringLiteral("cuda:0 Fake 0 · 3.0 GiB of 80 GiB"), 10000);
        QTRY_VERIFY_WITH_TIMEOUT(studio.core().estimator.free_bytes(*document.device()) > 0, 20000);
    }

    void every_card_can_be_chosen_and_one_that_is_gone_is_shown() {
        const app::Home home;
        StudioFixture studio;
        auto& document = studio.core().document;
        document.load(app::tiny_request());
        QVERIFY(document.wait_resolved(20000));
        auto* box = studio.find<QComboBox>("device");
        QTRY_COMPARE(box->count(), 3);
        QCOMPARE(box->itemText(1), QStringLiteral("cuda:0 · Fake 0"));
        QCOMPARE(box->itemText(2), QStringLiteral("cuda:1 · Fake 1"));
        QCOMPARE(box->currentIndex(), 1);
        emit box->activated(2);
        QCOMPARE(document.asked().device->name(), "cuda:1");
        auto* device = studio.find<QLabel>("status-device");
        QTRY_VERIFY_WITH_TIMEOUT(device->text().startsWith("cuda:1 Fake 1"), 10000);

        document.set_value("device", "cuda:6");
        QCOMPARE(box->currentText(), QStringLiteral("cuda:6"));
        QCOMPARE(studio.find<QComboBox>("precision")->count(), 3); // other boxes get no entry for it
        document.reset("device");
        QVERIFY(document.wait_resolved(20000));
        QCOMPARE(box->currentIndex(), 1);
    }

    /// For the device that is chosen now, and as it is found now.
    void what_keeps_a_card_from_use_is_told_as_long_as_it_does() {
        const app::Home home;
        const QByteArray module = qgetenv("DENOIR_CUDA_MODULE");
        qputenv("DENOIR_CUDA_MODULE", "/nowhere/module.so");
        const auto back = qScopeGuard([&] { qputenv("DENOIR_CUDA_MODULE", module); });
        StudioFixture studio;
        auto& document = studio.core().document;
        document.load(app::tiny_request());
        QVERIFY(document.wait_resolved(20000));
        app::Arrivals told(&studio.core(), &app::Studio::issue);
        const auto choose = [&](const char* device) {
            document.set_value("device", device);
            return document.wait_resolved(20000) &&
                   QTest::qWaitFor([&] { return !studio.core().estimator.looking(); }, 30000);
        };
        QVERIFY(choose("cpu") && choose("cuda:3"));
        QTRY_COMPARE_WITH_TIMEOUT(told.count(), 1, 30000);
        QVERIFY(choose("cpu") && choose("cuda:3"));
        QTRY_COMPARE_WITH_TIMEOUT(told.count(), 2, 30000);
        qputenv("DENOIR_CUDA_MODULE", module);
        QVERIFY(choose("cpu") && choose("cuda:3"));
        QCOMPARE(told.count(), 2);
        QVERIFY(studio.core().estimator.issue(Device::parse("cuda:3")).isEmpty());
    }
};

QTEST_MAIN(CardTest)
#include "card_test.moc"
