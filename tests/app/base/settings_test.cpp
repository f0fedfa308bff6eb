// SPDX-License-Identifier: Apache-2.0
#include "app/base/settings.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTest>

#include "app/base/recent_projects.h"
#include "app/base/text.h"
#include "app/runs/stage_text.h"
#include "tests/app/home.h"

using namespace denoir::app;

class SettingsTest : public QObject {
    Q_OBJECT
private slots:
    void values_are_kept() {
        const Home home;
        {
            Settings settings;
            QSignalSpy changed(&settings, &Settings::changed);
            settings.set_theme(QStringLiteral("dark"));
            settings.set_model_folders({QStringLiteral("/a"), QStringLiteral("/b")});
            settings.set_value(QStringLiteral("window/state"), QByteArray("\x00\x01", 2));
            QCOMPARE(changed.count(), 3);
            settings.set_theme(QStringLiteral("dark"));
            QCOMPARE(changed.count(), 3);
        }
        Settings again;
        QCOMPARE(again.theme(), QStringLiteral("dark"));
        QCOMPARE(again.model_folders().size(), 2);
        QCOMPARE(again.value(QStringLiteral("window/state")).toByteArray(), QByteArray("\x00\x01", 2));
        again.set_parts_of_model(QStringLiteral("/m"), {{QStringLiteral("vae"), QStringLiteral("/v")}});
        QCOMPARE(Settings().model_parts().keys(), QStringList{QStringLiteral("/m")});
        again.set_parts_of_model(QStringLiteral("/m"), {});
        QVERIFY(again.model_parts().isEmpty());
        again.set_value(QStringLiteral("window/state"), {});
        QVERIFY(!again.value(QStringLiteral("window/state")).isValid());
    }
    void nonsense_in_the_file_becomes_defaults() {
        const Home home;
        {
            Settings settings;
            settings.set_value(QStringLiteral("frame_cache_bytes"), -5);
            settings.set_value(QStringLiteral("history_bytes"), QStringLiteral("50 GB"));
        }
        Settings again;
        QVERIFY(again.frame_cache_bytes() >= 16 << 20);
        QCOMPARE(again.history_bytes(), qint64{50} << 30); // and not 0, which would mean no limit
        again.set_value(QStringLiteral("history_bytes"), 0);
        QCOMPARE(again.history_bytes(), 0);
    }
    void recent_projects_are_those_that_exist() {
        const Home home;
        Settings settings;
        for (int i = 0; i < 12; ++i) {
            QFile file(home.file(QStringLiteral("p%1.denoir").arg(i)));
            QVERIFY(file.open(QIODevice::WriteOnly));
            settings.add_recent_project(file.fileName());
        }
        settings.add_recent_project(home.file(QStringLiteral("p5.denoir")));
        QFile::remove(home.file(QStringLiteral("p11.denoir")));
        QCOMPARE(settings.recent_projects().size(), 10);
        RecentProjects recent(settings);
        QTRY_COMPARE_WITH_TIMEOUT(recent.there().size(), 9, 10000);
        QCOMPARE(recent.there().first(), home.file(QStringLiteral("p5.denoir")));
        settings.add_recent_project(home.file(QStringLiteral("p7.denoir")));
        QTRY_COMPARE_WITH_TIMEOUT(recent.there().first(), home.file(QStringLiteral("p7.denoir")), 10000);
        QFile::remove(home.file(QStringLiteral("p7.denoir")));
        recent.look();
        QTRY_COMPARE_WITH_TIMEOUT(recent.there().size(), 8, 10000);
    }
    /// Whatever keeps a folder from being written, the message says how to choose another one.
    void a_folder_that_cannot_be_written_is_reported() {
        const Home home;
        QVERIFY(Settings::folder_issue().isEmpty());
        QVERIFY(QDir(home.path()).rmdir(QStringLiteral("data/runs")));
        // Even root cannot write into this folder.
        QVERIFY(QFile::link(QStringLiteral("/proc"), home.data(QStringLiteral("runs"))));
        QVERIFY(Settings::folder_issue().line().startsWith(home.data(QStringLiteral("runs"))));
        QVERIFY(Settings::folder_issue().hint.contains("DENOIR_HOME"));
        qputenv("DENOIR_HOME", "/proc/nothing");
        QVERIFY(Settings::folder_issue().hint.contains("DENOIR_HOME"));
    }
    void words_for_numbers() {
        QCOMPARE(shortened("a red ball", 10), QStringLiteral("a red ball"));
        QCOMPARE(shortened("a red ball bounces", 11), QString::fromUtf8("a red ball…"));
        QCOMPARE(shortened(QString::fromUtf8("ball 🎈🎈"), 7), QString::fromUtf8("ball…"));
        QCOMPARE(duration_text(8.21), QStringLiteral("8.2 s"));
        QCOMPARE(duration_text(9.97), QStringLiteral("10 s"));
        QCOMPARE(duration_text(59.7), QStringLiteral("1 min 00 s"));
        QCOMPARE(duration_text(3599.9), QStringLiteral("1 h 00 min"));
        QCOMPARE(duration_text(99 * 3600), QStringLiteral("99 h 00 min"));
        QCOMPARE(duration_text(100 * 3600), QStringLiteral("4 days"));
        QCOMPARE(duration_text(-1), QStringLiteral("–"));
        QCOMPARE(time_left(8.21), QStringLiteral("8.2 s left"));
        QCOMPARE(time_left(8.21, true), QStringLiteral("8.2 s left, then decoding"));
        for (const double none : {-1.0, 0.0, 0.04}) QCOMPARE(time_left(none), QString());
        QCOMPARE(bytes_text(400 << 20), QStringLiteral("400 MiB"));
        QCOMPARE(bytes_text(3.14 * (1 << 30)), QStringLiteral("3.1 GiB"));
        QCOMPARE(bytes_text(1023.7 * 1024), QStringLiteral("1.0 MiB"));
    }
};

QTEST_GUILESS_MAIN(SettingsTest)
#include "settings_test.moc"
