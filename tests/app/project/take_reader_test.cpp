// SPDX-License-Identifier: Apache-2.0
#include "app/project/take_reader.h"

#include <QSignalSpy>
#include <QTest>

#include "engine/core/error.h"
#include "tests/app/grey_clips.h"
#include "tests/app/home.h"
#include "tests/app/takes.h"

using namespace denoir;
using namespace denoir::app;

class TakeReaderTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        for (const char* name : {"a.mkv", "b.mkv"}) write_grey_clip(file(name), 12);
    }

    void what_is_asked_for_comes_in_order() {
        Project project;
        TakeReader reader(project);
        QSignalSpy finished(&reader, &TakeReader::finished);
        std::vector<TakeReader::Found> found;
        reader.read({file("a.mkv"), file("none.mkv"), file("b.mkv")}, 24, [&](const auto& all) { found = all; });
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 30000);
        QVERIFY(!reader.busy());
        QCOMPARE(found.size(), std::size_t(3));
        QCOMPARE(found[0].take.video, file("a.mkv"));
        QCOMPARE(found[0].take.frames, 12); // counted, since Matroska does not tell
        QVERIFY(!found[1].issue.isEmpty());
        QCOMPARE(found[2].take.video, file("b.mkv"));
    }

    /// Players may turn a video or stretch its pixels, which Denoir does not; the user is told.
    void what_players_show_in_another_way_is_told() {
        const QString media = QStringLiteral(DENOIR_FIXTURES "/media/");
        Project project;
        TakeReader reader(project);
        QSignalSpy finished(&reader, &TakeReader::finished);
        std::vector<TakeReader::Found> found;
        reader.read({media + "hdr_pq.mp4", media + "clips/h264_interlaced.mp4", file("a.mkv"), media + "picture.gif"},
                    24, [&](const auto& all) { found = all; });
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 30000);
        for (const auto& each : found) QVERIFY2(each.issue.isEmpty(), qPrintable(each.issue.line()));
        QCOMPARE(found[0].otherwise.size(), 1);
        QVERIFY2(found[0].otherwise[0].startsWith("is HDR (PQ)"), qPrintable(found[0].otherwise[0]));
        QCOMPARE(found[1].otherwise.size(), 2);
        QVERIFY2(found[1].otherwise[0].startsWith("has pixels of 4:3,"), qPrintable(found[1].otherwise[0]));
        QVERIFY2(found[1].otherwise[1].startsWith("is interlaced"), qPrintable(found[1].otherwise[1]));
        for (const int plain : {2, 3}) QCOMPARE(found[std::size_t(plain)].otherwise, QStringList());
    }

    /// A take that was read for one project must not appear in the one that was opened meanwhile.
    void another_project_gets_nothing() {
        Project project;
        project.add_shot(take(5));
        TakeReader reader(project);
        QSignalSpy given_up(&reader, &TakeReader::given_up);
        bool used = false;
        reader.read(QStringList(500, file("a.mkv")), 24, [&](const auto&) { used = true; });
        project.clear();
        QTRY_COMPARE_WITH_TIMEOUT(given_up.count(), 1, 30000);
        QCOMPARE(given_up[0][0].value<Issue>().file, file("a.mkv"));
        QVERIFY(!used && !reader.busy());
    }

    /// Counting the frames of a video can be stopped, and the next take is read all the same.
    void reading_can_be_stopped() {
        std::stop_source stop;
        stop.request_stop();
        QVERIFY_EXCEPTION_THROWN(take_of_video(file("a.mkv"), stop.get_token()), Cancelled);
        Project project;
        TakeReader reader(project);
        int used = 0;
        reader.read(QStringList(2000, file("a.mkv")), 24, [&](const auto&) { used += 1; });
        reader.cancel();
        reader.read({file("b.mkv")}, 24, [&](const auto&) { used += 10; });
        QTRY_VERIFY_WITH_TIMEOUT(!reader.busy(), 30000);
        QCOMPARE(used, 10);
    }

    void what_takes_a_while_tells_how_far_it_is() {
        Project project;
        TakeReader reader(project);
        QSignalSpy progressed(&reader, &TakeReader::progressed);
        reader.read(QStringList(5000, file("a.mkv")), 24, [](const auto&) {});
        QTRY_VERIFY_WITH_TIMEOUT(progressed.count() > 1, 30000);
        QCOMPARE(progressed.constLast()[1].toInt(), 5000);
        QVERIFY(progressed.constLast()[0].toInt() < 5000);
        reader.cancel();
    }

private:
    QString file(const char* name) const { return home_.file(QString::fromLatin1(name)); }
    Home home_;
};

QTEST_GUILESS_MAIN(TakeReaderTest)
#include "take_reader_test.moc"
