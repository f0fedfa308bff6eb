// SPDX-License-Identifier: Apache-2.0
#include "app/base/file_saver.h"

#include <QSemaphore>
#include <QTest>
#include <optional>

#include "app/base/text.h"
#include "engine/core/atomic_file.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "tests/app/arrivals.h"
#include "tests/app/full_disk.h"
#include "tests/app/home.h"

using namespace denoir;
using namespace denoir::app;

class FileSaverTest : public QObject {
    Q_OBJECT
private slots:
    void init() { saver_.emplace(file()); }
    void cleanup() {
        saver_.reset();
        std::filesystem::remove(file());
    }

    /// Whoever waits for a state hears of it, or of a later one, after it is in the file.
    void each_is_told_once_it_is_written() {
        Arrivals saved(&*saver_, &FileSaver::saved);
        const quint64 first = saver_->save("one");
        QTRY_VERIFY_WITH_TIMEOUT(!saved.isEmpty(), 30000);
        QCOMPARE(saved[0][0].toULongLong(), first);
        QCOMPARE(content(), std::string("one"));
        const quint64 second = saver_->save("two");
        QVERIFY(second > first);
        QTRY_COMPARE_WITH_TIMEOUT(saved.constLast()[0].toULongLong(), second, 30000);
        QCOMPARE(content(), std::string("two"));
    }

    /// The states in between are not even written out as text.
    void the_newest_of_many_is_written() {
        QSemaphore begun, go_on;
        saver_->save([&] {
            begun.release();
            go_on.acquire();
            return std::string("first");
        });
        begun.acquire();
        bool asked = false;
        saver_->save([&] { return asked = true, std::string("between"); });
        saver_->save("newest");
        go_on.release();
        QVERIFY(saver_->flush());
        QVERIFY(!asked);
        QCOMPARE(content(), std::string("newest"));
    }

    /// It also waits for the state that is being written.
    void flushing_waits_for_all_of_it() {
        QSemaphore begun;
        saver_->save([&] {
            begun.release();
            QTest::qSleep(100);
            return std::string("slow");
        });
        begun.acquire();
        QVERIFY(saver_->flush());
        QCOMPARE(content(), std::string("slow"));
    }

    void its_end_writes_what_waits() {
        QSemaphore begun, go_on;
        saver_->save([&] {
            begun.release();
            go_on.acquire();
            return std::string("first");
        });
        begun.acquire();
        saver_->save("last");
        go_on.release();
        saver_.reset();
        QCOMPARE(content(), std::string("last"));
    }

    void a_failure_is_told_and_ends_with_the_next_success() {
        Arrivals failed(&*saver_, &FileSaver::failed);
        saver_->save("before");
        QVERIFY(saver_->flush());
        {
            const FullDisk full;
            saver_->save("lost");
            QVERIFY(!saver_->flush());
        }
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, 30000);
        QVERIFY(!failed[0][1].value<Issue>().isEmpty());
        QCOMPARE(content(), std::string("before"));
        saver_->save("after");
        QVERIFY(saver_->flush());
        QCOMPARE(content(), std::string("after"));
    }

    /// Nothing that somebody may still want is overwritten.
    void what_cannot_be_read_is_put_aside() {
        Issue issue;
        std::string text;
        const auto take = [&](const std::string& from) { text = from; };
        QVERIFY(!read_own_file(file(), issue, take) && issue.isEmpty()); // there is no file
        write_file(file(), "kept");
        QVERIFY(read_own_file(file(), issue, take) && issue.isEmpty());
        QCOMPARE(text, std::string("kept"));
        QVERIFY(!read_own_file(file(), issue, [](const std::string&) { throw Error("", "", "is damaged", ""); }));
        QCOMPARE(issue.message, QStringLiteral("is damaged"));
        QCOMPARE(issue.file, to_qstring(file()));
        QVERIFY2(issue.hint.contains("settings.json.broken"), qPrintable(issue.hint));
        QVERIFY(!std::filesystem::exists(file()));
        QCOMPARE(read_text(file().string() + ".broken", 100), std::string("kept"));
    }

private:
    std::filesystem::path file() const { return to_path(home_.file(QStringLiteral("settings.json"))); }
    std::string content() const { return read_text(file(), 1000); }
    Home home_;
    std::optional<FileSaver> saver_;
};

QTEST_GUILESS_MAIN(FileSaverTest)
#include "file_saver_test.moc"
