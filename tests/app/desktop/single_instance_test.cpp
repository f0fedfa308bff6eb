// SPDX-License-Identifier: Apache-2.0
#include "app/desktop/single_instance.h"

#include <QProcess>
#include <QSignalSpy>
#include <QTest>

#include <optional>

#include "tests/app/home.h"

using namespace denoir;
using namespace denoir::app;

namespace {

enum Second { is_first = 3, no_answer = 5, handed_over = 7 }; ///< how a second studio ends

} // namespace

class SingleInstanceTest : public QObject {
    Q_OBJECT
private slots:
    void init() { home_.emplace(); }
    void cleanup() { home_.reset(); }

    void a_second_studio_hands_over() {
        SingleInstance first;
        QVERIFY(first.begin({}));
        QSignalSpy received(&first, &SingleInstance::arguments_received);
        QProcess second;
        second.start(QCoreApplication::applicationFilePath(),
                     {QStringLiteral("--second"), QStringLiteral("open this.denoir")});
        QTRY_COMPARE_WITH_TIMEOUT(received.count(), 1, 20000);
        QCOMPARE(received[0][0].toStringList().last(), QStringLiteral("open this.denoir"));
        QTRY_COMPARE_WITH_TIMEOUT(second.state(), QProcess::NotRunning, 30000);
        QCOMPARE(second.exitCode(), handed_over);
    }

    /// The system accepts the bytes even if the first studio hangs, so they are no proof that it took the request over.
    void a_studio_that_hangs_takes_nothing() {
        SingleInstance first;
        QVERIFY(first.begin({}));
        QProcess second;
        second.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--second")});
        QVERIFY(second.waitForFinished(30000)); // while our event loop does not run
        QCOMPARE(second.exitCode(), no_answer);
    }

    void who_starts_while_a_studio_ends_is_the_next() {
        std::optional<SingleInstance> first(std::in_place);
        QVERIFY(first->begin({}));
        first->end();
        QProcess second;
        second.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--second")});
        QVERIFY(!second.waitForFinished(500));
        first.reset();
        QVERIFY(second.waitForFinished(30000));
        QCOMPARE(second.exitCode(), is_first);
    }

private:
    std::optional<BareHome> home_;
};

int main(int argc, char** argv) {
    QCoreApplication program(argc, argv);
    if (QCoreApplication::arguments().value(1) == QStringLiteral("--second")) {
        SingleInstance instance;
        if (instance.begin(QCoreApplication::arguments())) return is_first;
        return instance.handed_over() ? handed_over : no_answer;
    }
    SingleInstanceTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "single_instance_test.moc"
