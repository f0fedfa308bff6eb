// SPDX-License-Identifier: Apache-2.0
// Killed in mid-run.
#include <QPlainTextEdit>
#include <QProcess>

#include <csignal>
#include <cstdio>

#include "tests/ui/stories/stories.h"

namespace denoir::ui {

namespace {
constexpr int second_life = 12; ///< the steps of the run that is killed
}

/// The studio is killed in the middle of a run and started again: prompt, queue and cut are there, and the run can be
/// resumed from its last step.
void StoriesTest::after_the_crash() {
    const app::Home home;
    QProcess child;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("DENOIR_STORY_CHILD", "1");
    child.setProcessEnvironment(environment);
    child.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    child.start(QCoreApplication::applicationFilePath(), QStringList());
    QVERIFY(child.waitForStarted());
    QByteArray said;
    QVERIFY(QTest::qWaitFor([&] { return (said += child.readAllStandardOutput()).contains("at step"); }, 60000));
    ::kill(pid_t(child.processId()), SIGKILL);
    // The threads of its engine have the lowest priority, and each must run once more to end.
    QVERIFY(child.waitForFinished(120000) || child.state() == QProcess::NotRunning);

    StudioFixture studio;
    QCOMPARE(studio.find<QPlainTextEdit>("prompt")->toPlainText(), QStringLiteral("A boat that is cut short."));
    QCOMPARE(studio.core().queue.interrupted().size(), 1);
    QCOMPARE(studio.core().queue.rowCount(), 2); // the run that waited goes on by itself
    const auto said_now = [&] { return studio.window().banners().texts().join('\n'); };
    QTRY_VERIFY2_WITH_TIMEOUT(said_now().contains("interrupted"), qPrintable(said_now()), 30000);
    studio.picture("after-the-crash-1-offered");
    QVERIFY(studio.press("Resume"));
    QVERIFY(studio.idle());
    auto& history = studio.core().history;
    QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 2, 30000);
    for (int row = 0; row < 2; ++row)
        QTRY_COMPARE_WITH_TIMEOUT(app::RunHistory::standing(history.index(row)), app::RunStanding::done, 30000);
    studio.picture("after-the-crash-2-resumed");
}

int child_life() {
    StudioFixture studio;
    studio.use_model(second_life);
    studio.core().document.set_value(QStringLiteral("prompt"), QStringLiteral("A boat that is cut short."));
    studio.core().document.wait_resolved(20000);
    QTest::qWait(700); // edits are stored after half a second
    QObject::connect(&studio.core().worker, &app::EngineWorker::step_done, qApp,
                     [&studio, said = false](app::JobId, const app::StepUpdate& update) mutable {
                         // The second run must be queued and stored as well.
                         if (said || update.step < 4 || studio.core().queue.rowCount() < 2) return;
                         said = studio.core().queue.flush();
                         std::printf("at step %d\n", update.step);
                         std::fflush(stdout);
                     });
    // The event loop must not run between the two, or a slow machine could end the first before the second is queued.
    auto* generate = studio.find<QAction>("run.generate");
    generate->trigger();
    generate->trigger();
    return QApplication::exec();
}

} // namespace denoir::ui
