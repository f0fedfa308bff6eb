// SPDX-License-Identifier: Apache-2.0
// A studio without a window is killed at random moments; what the next one finds must be whole.
#include <QCoreApplication>
#include <QDir>
#include <QProcess>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>
#include <cstdio>
#include <random>

#include "app/base/text.h"
#include "app/studio.h"
#include "tests/app/home.h"
#include "tests/app/projects.h"
#include "tests/app/tiny.h"

using namespace denoir;
using namespace denoir::app;

namespace {

/// How many times to kill: DENOIR_KILLS, or as often as a quick test has time for.
int kills() {
    const int asked = qEnvironmentVariableIntValue("DENOIR_KILLS");
    return asked > 0 ? asked : 4;
}

/// The child process edits, queues and renders until it is killed. It says so once it has something to lose.
int live(const QString& home) {
    Studio studio;
    studio.start();
    Request request = tiny_request();
    request.steps = 200; // takes some seconds, so that most kills hit a run
    studio.document.load(request);
    int turn = 0;
    bool told = false;
    QTimer timer;
    QObject::connect(&timer, &QTimer::timeout, &studio, [&] {
        ++turn;
        studio.document.set_value(QStringLiteral("prompt"), QStringLiteral("turn %1 {a|b}").arg(turn));
        studio.document.set_value(QStringLiteral("seed"), turn);
        if (turn % 5 == 1 && studio.queue.waiting() < 3) studio.queue.add(studio.document.snapshot());
        Take take;
        take.video = QStringLiteral("/videos/%1.mp4").arg(turn);
        take.frames = 9, take.width = 48, take.height = 32;
        if (studio.project.count() < 30) studio.project.add_shot(take);
        if (turn % 7 == 0) studio.project.move_shot(0, studio.project.count() - 1);
        if (const QString run = studio.history.newest_done(); !run.isEmpty()) studio.history.set_starred(run, turn % 2);
        const QModelIndex oldest = studio.history.index(studio.history.rowCount() - 1);
        if (turn % 11 == 0 && studio.history.rowCount() > 2 && RunHistory::standing(oldest) == RunStanding::done)
            studio.history.remove({oldest.data(RunHistory::PathRole).toString()});
        const QDir autosave(home + QStringLiteral("/data/autosave"));
        if (!told && !studio.queue.running_run().isEmpty() &&
            !autosave.entryList({QStringLiteral("*.json")}, QDir::Files).isEmpty()) {
            told = true;
            std::puts("ready");
            std::fflush(stdout);
        }
    });
    timer.start(10);
    return QCoreApplication::exec();
}

} // namespace

class CrashTest : public QObject {
    Q_OBJECT
private slots:
    void killed_at_any_moment() {
        const int count = kills();
        const Home home;
        std::mt19937 draw(7);
        int at_work = 0, recovered = 0, offered = 0, finished = 0;
        for (int i = 0; i < count; ++i) {
            QProcess child;
            child.setProcessChannelMode(QProcess::ForwardedErrorChannel);
            child.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--live"), home.path()});
            QVERIFY(child.waitForStarted());
            const bool worked = i % 3 != 0; // every third one is killed while it starts
            if (worked) QVERIFY(child.waitForReadyRead(60000));
            QTest::qWait(int(draw() % 500));
            child.kill();
            at_work += worked;
            QVERIFY(child.waitForFinished(60000)); // a process that syncs to a busy disk can only die when that is done

            Studio studio;
            QVERIFY2(studio.queue.issue().isEmpty(), qPrintable(studio.queue.issue().line()));
            QVERIFY(studio.history.wait_scanned(30000));
            QVERIFY2(studio.history.issue().isEmpty(), qPrintable(studio.history.issue().line()));
            // Every run on the disk must be listed and readable.
            int folders = 0;
            for (const QString& name :
                 QDir(home.data(QStringLiteral("runs"))).entryList(QDir::Dirs | QDir::NoDotAndDotDot))
                folders += QFile::exists(home.data(QStringLiteral("runs/%1/run.json")).arg(name));
            QCOMPARE(studio.history.total(), folders);
            for (int row = 0; row < studio.history.rowCount(); ++row)
                RunHistory::record(studio.history.index(row).data(RunHistory::PathRole).toString());
            // The run that was at work is offered, and nothing claims to be running.
            for (int row = 0; row < studio.queue.rowCount(); ++row) {
                const auto state = RunQueue::State(studio.queue.index(row).data(RunQueue::StateRole).toInt());
                QVERIFY(state != RunQueue::State::running);
                finished += state == RunQueue::State::done;
                if (state != RunQueue::State::interrupted) continue;
                ++offered;
                const QString run = studio.queue.index(row).data(RunQueue::RunRole).toString();
                QVERIFY(studio.history.contains(run));
            }
            // The project comes back as the last autosave has it.
            const auto left = Project::recoverable();
            if (!left.isEmpty()) {
                recover(studio.project, left.first());
                QVERIFY(studio.project.count() > 0);
                QVERIFY(studio.document.asked().prompt.starts_with("turn "));
                ++recovered;
                studio.project.clear();
            }
            for (const auto& other : Project::recoverable()) Project::discard(other);
            if (i == count - 1 && !studio.queue.interrupted().isEmpty()) {
                // The studio goes on working.
                studio.queue.clear_waiting();
                const quint64 id = studio.queue.interrupted().first();
                QSignalSpy ended(&studio.queue, &RunQueue::entry_ended);
                studio.queue.retry(id);
                studio.queue.start();
                QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, 60000);
                QCOMPARE(ended[0][1].toInt(), int(RunQueue::State::done));
            }
        }
        qInfo("%d kills: %d interrupted runs offered, %d done, %d projects recovered", count, offered, finished,
              recovered);
        QVERIFY(offered > 0 && recovered >= at_work);
    }
};

int main(int argc, char** argv) {
    QCoreApplication program(argc, argv);
    if (QCoreApplication::arguments().value(1) == QStringLiteral("--live"))
        return live(QCoreApplication::arguments().value(2));
    CrashTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "crash_test.moc"
