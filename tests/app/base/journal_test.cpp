// SPDX-License-Identifier: Apache-2.0
#include "app/base/journal.h"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QTest>

#include <thread>

#include "app/base/text.h"
#include "engine/core/log.h"
#include "tests/app/home.h"

using namespace denoir;
using namespace denoir::app;

namespace {

QStringList lines_of(const std::filesystem::path& path) {
    QFile file(to_qstring(path));
    if (!file.open(QIODevice::ReadOnly)) return {};
    return QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
}

} // namespace

class JournalTest : public QObject {
    Q_OBJECT
private slots:
    void lines_are_shown_and_written() {
        const Home home;
        {
            Journal journal;
            const QAbstractItemModelTester tester(&journal, QAbstractItemModelTester::FailureReportingMode::QtTest);
            journal.add(Journal::Level::info, QStringLiteral("begins"), 7);
            journal.add(Journal::Level::error, QStringLiteral("two\nlines\x1b[31m"), 7);
            QCOMPARE(journal.rowCount(), 2);
            const QModelIndex last = journal.index(1);
            QCOMPARE(last.data(Journal::EntryRole).toULongLong(), 7ULL);
            QCOMPARE(last.data(Journal::LevelRole).toInt(), int(Journal::Level::error));
            // No control character may reach a terminal.
            QCOMPARE(last.data().toString(), QStringLiteral("two lines?[31m"));
            journal.flush();
            QCOMPARE(lines_of(journal.file()).size(), 2);
            QVERIFY(lines_of(journal.file()).constLast().endsWith(QStringLiteral("error: two lines?[31m")));
            journal.add(Journal::Level::info, QStringLiteral("the last word"));
        }
        const Journal again; // the lines that waited are written, and the earlier ones are still there
        QCOMPARE(again.rowCount(), 0);
        QCOMPARE(lines_of(again.file()).size(), 3);
    }

    void what_the_engine_logs_comes_in_from_any_thread() {
        const Home home;
        Journal journal;
        std::jthread([] {
            log::info("a plan was chosen");
            log::warning("slow");
        }).join();
        QTRY_COMPARE(journal.rowCount(), 2);
        QCOMPARE(journal.index(0).data().toString(), QStringLiteral("a plan was chosen"));
        QCOMPARE(journal.index(1).data(Journal::LevelRole).toInt(), int(Journal::Level::warning));
        journal.flush();
        const std::filesystem::path file = journal.file();
        {
            const Journal last; // the newest journal gets the engine's lines
            log::info("as the window closes");
        }
        QVERIFY(lines_of(file).constLast().endsWith(QStringLiteral("as the window closes")));
    }

    void neither_file_nor_window_grows_without_end() {
        const Home home;
        Journal journal;
        const QString word(1000, QLatin1Char('x'));
        for (int i = 0; i < Journal::most_lines + 10; ++i) {
            journal.add(Journal::Level::info, i % 4 == 0 ? word : QStringLiteral("line %1").arg(i));
            if (i % 500 == 0) journal.flush();
        }
        journal.flush();
        QCOMPARE(journal.rowCount(), int(Journal::most_lines));
        QCOMPARE(journal.index(journal.rowCount() - 1).data().toString(), QStringLiteral("line 5009"));
        const auto older = journal.file().parent_path() / "log.1.txt";
        QVERIFY(std::filesystem::exists(older));
        QVERIFY(std::filesystem::file_size(older) < (3u << 19) &&
                std::filesystem::file_size(journal.file()) < (3u << 19));
        QVERIFY(lines_of(journal.file()).constLast().endsWith(QStringLiteral("line 5009")));
    }
};

QTEST_MAIN(JournalTest)
#include "journal_test.moc"
