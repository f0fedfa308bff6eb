// SPDX-License-Identifier: Apache-2.0
#include "app/clips/thumbnails.h"

#include <fmt/format.h>

#include <QDir>
#include <QFile>
#include <QTest>
#include <algorithm>
#include <filesystem>

#include "app/base/text.h"
#include "engine/media/image.h"
#include "tests/app/clips.h"
#include "tests/app/home.h"

using namespace denoir;
using namespace denoir::app;

class ThumbnailsTest : public QObject {
    Q_OBJECT
private slots:
    /// A run that was stopped has no video to take a picture from.
    void a_run_without_a_video_shows_its_newest_step() {
        const Home home;
        const QString run = tiny_run(home.file(QStringLiteral("run")), 2);
        for (const char* each : {"/video.mp4", "/thumbnail.png"}) QVERIFY(QFile::remove(run + QLatin1String(each)));
        Thumbnails thumbnails;
        QVERIFY(thumbnails.step(run, 2, 80).isNull()); // asking never blocks
        QTRY_VERIFY_WITH_TIMEOUT(!thumbnails.step(run, 2, 80).isNull(), 30000);
        const QImage picture = thumbnails.step(run, 2, 80);
        QCOMPARE(picture.size(), QSize(64 / 8, 48 / 8));
        QImage plain(picture.size(), picture.format());
        plain.fill(picture.pixelColor(0, 0));
        QVERIFY(picture != plain);
        QVERIFY(thumbnails.step(run, 3, 80).isNull()); // meanwhile there is another step
        QTRY_VERIFY_WITH_TIMEOUT(!thumbnails.step(run, 3, 80).isNull(), 30000);
        QCOMPARE(thumbnails.step(run, 2, 80), picture);
        thumbnails.forget(run);
        QVERIFY(thumbnails.step(run, 2, 80).isNull());
        QTRY_COMPARE_WITH_TIMEOUT(thumbnails.step(run, 2, 80), picture, 30000);
    }

    /// Pictures that were scrolled away before their turn are wanted again when the user scrolls back.
    void what_was_dropped_can_be_asked_for_again() {
        const Home home;
        const QString large = home.file(QStringLiteral("large.png")), file = home.file(QStringLiteral("one.png"));
        write_png(to_path(large), Image(4000, 3000));
        write_png(to_path(file), Image(40, 30));
        Thumbnails thumbnails;
        (void)thumbnails.picture(large, 80);
        QTest::qSleep(20); // while it is being read the others wait
        const auto all_there = [&] {
            int there = 0;
            for (int side = 8; side <= 700; ++side) there += !thumbnails.picture(file, side).isNull();
            return there == 693;
        };
        QVERIFY(!all_there()); // more are asked for than may wait
        QTRY_VERIFY_WITH_TIMEOUT(all_there(), 30000);
    }

    /// If a file is rewritten while it is read, the old picture must not be kept.
    void what_is_forgotten_while_it_is_read_is_read_again() {
        const Home home;
        const QString file = home.file(QStringLiteral("large.png")), other = home.file(QStringLiteral("other.png"));
        write_png(to_path(file), Image(4000, 3000));
        Image white(40, 30);
        std::fill(white.rgb.begin(), white.rgb.end(), std::uint8_t{255});
        write_png(to_path(other), white);
        Thumbnails thumbnails;
        (void)thumbnails.picture(file, 80);
        QTest::qSleep(20); // it is being read now
        std::filesystem::rename(to_path(other), to_path(file));
        thumbnails.forget(file);
        QTRY_VERIFY_WITH_TIMEOUT(!thumbnails.picture(file, 80).isNull(), 30000);
        QCOMPARE(thumbnails.picture(file, 80).pixelColor(0, 0), QColor(Qt::white));
    }

    /// Browsers give such names to downloads.
    void a_name_with_percent_signs_is_a_name() {
        const Home home;
        const QString file = home.file(QStringLiteral("50%2C off.png"));
        write_png(to_path(file), Image(40, 30));
        Thumbnails thumbnails;
        QTRY_VERIFY_WITH_TIMEOUT(!thumbnails.picture(file, 80).isNull(), 30000);
        thumbnails.forget(file);
        QVERIFY(thumbnails.picture(file, 80).isNull());
    }

    /// Frames that are asked for together are read together, and those that cannot be read must not spoil the others.
    void damaged_frames_spoil_no_others() {
        const Home home;
        const QString folder = home.file(QStringLiteral("frames"));
        QVERIFY(QDir().mkpath(folder));
        for (int n = 0; n < 30; ++n) {
            const auto file = to_path(folder) / fmt::format("{:03}.png", n);
            write_png(file, Image(40, 30));
            if (n >= 1 && n <= 12) std::filesystem::resize_file(file, 60);
        }
        const QString first = home.file(QStringLiteral("large.png")); // is read first, while the frames are asked for
        write_png(to_path(first), Image(3000, 2000));
        Thumbnails thumbnails;
        thumbnails.picture(first, 80);
        thumbnails.frame(folder, 1, 80);
        thumbnails.frame(folder, 20, 80);
        QTRY_VERIFY_WITH_TIMEOUT(!thumbnails.frame(folder, 20, 80).isNull(), 10000);
        QVERIFY(thumbnails.frame(folder, 1, 80).isNull());
    }

    /// Unreadable files are remembered in the same limited memory, and not until the program ends.
    void many_that_cannot_be_read_are_forgotten() {
        const Home home;
        const auto file = [&](int n) { return home.file(QStringLiteral("%1.png").arg(n)); };
        constexpr int many = 20;
        const QString large = file(-2), oldest = file(-1);
        write_png(to_path(large), Image(3000, 2000)); // is read while the others are asked for
        write_png(to_path(oldest), Image(16, 16));
        Thumbnails thumbnails(8 << 10);
        (void)thumbnails.picture(large, 64);
        (void)thumbnails.picture(oldest, 64); // comes after everything that is asked for later
        for (int n = 0; n < many; ++n) (void)thumbnails.picture(file(n), 64);
        QTRY_VERIFY_WITH_TIMEOUT(!thumbnails.picture(oldest, 64).isNull(), 30000);
        for (int n = 0; n < many; ++n) write_png(to_path(file(n)), moving_picture(16, 16, n));
        const auto some_are_seen = [&] {
            int seen = 0;
            for (int n = 0; n < many; ++n) seen += !thumbnails.picture(file(n), 64).isNull();
            return seen > 0;
        };
        QTRY_VERIFY_WITH_TIMEOUT(some_are_seen(), 5000);
    }
};

QTEST_MAIN(ThumbnailsTest)
#include "thumbnails_test.moc"
