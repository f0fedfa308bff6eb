// SPDX-License-Identifier: Apache-2.0
#include "app/clips/thumbnails.h"

#include <QFile>
#include <QTest>

#include "tests/app/clips.h"
#include "tests/app/home.h"

using namespace denoir;
using namespace denoir::app;

class ThumbnailsTest : public QObject {
    Q_OBJECT
private slots:
    /// A run that was stopped has no picture of its own.
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
        QVERIFY(thumbnails.step(run, 3, 80).isNull()); // another step has come since
        QTRY_VERIFY_WITH_TIMEOUT(!thumbnails.step(run, 3, 80).isNull(), 30000);
        QCOMPARE(thumbnails.step(run, 2, 80), picture);
        thumbnails.forget(run);
        QVERIFY(thumbnails.step(run, 2, 80).isNull());
        QTRY_COMPARE_WITH_TIMEOUT(thumbnails.step(run, 2, 80), picture, 30000);
    }
};

QTEST_MAIN(ThumbnailsTest)
#include "thumbnails_test.moc"
