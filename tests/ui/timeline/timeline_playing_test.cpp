// SPDX-License-Identifier: Apache-2.0
// The cut as it plays.
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

#include "tests/ui/timeline/timeline_fixture.h"

using namespace denoir::ui;

class TimelinePlayingTest : public QObject, private TimelineFixture {
    Q_OBJECT
private slots:
    void initTestCase() { make_clips(); }
    void init() { begin(); }
    void cleanup() { end(); }

    void plays_through_at_true_speed() {
        fill();
        QSignalSpy shown(&*view_, &TimelineView::show_frame);
        view_->set_playhead(50); // nine frames at 24 a second are left
        QElapsedTimer timer;
        timer.start();
        view_->set_playing(true);
        QVERIFY(view_->playing());
        QTRY_VERIFY_WITH_TIMEOUT(!view_->playing(), 30000);
        QVERIFY(timer.elapsed() >= 300);
        QCOMPARE(view_->playhead(), 58);
        for (int i = 1; i < shown.count(); ++i) QVERIFY(shown[i][2].toInt() >= shown[i - 1][2].toInt());
    }

    /// A shot whose picture is not ready must not be skipped. Time stands still and goes on from there.
    void waits_for_what_is_not_seen_yet() {
        fill();
        bool waits = false;
        view_->set_settled([&] { return !waits; });
        QStringList expected;
        connect(&*view_, &TimelineView::frame_expected, this, [&](const QString& video) { expected << video; });
        connect(&*view_, &TimelineView::show_frame, this,
                [&](const QString& video) { waits = video == file("b.mkv") && view_->playing(); });
        view_->set_playhead(30);
        view_->set_playing(true);
        QTRY_VERIFY_WITH_TIMEOUT(waits, 30000);
        const int there = view_->playhead();
        QVERIFY(there >= 33 && view_->playing());
        QVERIFY(expected.contains(file("b.mkv"))); // it was asked for before it was ready
        QTest::qWait(200);
        QCOMPARE(view_->playhead(), there);
        QSignalSpy shown(&*view_, &TimelineView::show_frame);
        view_->set_settled({});
        QTRY_VERIFY_WITH_TIMEOUT(!view_->playing(), 30000);
        QCOMPARE(view_->playhead(), 58);
        QVERIFY(shown.count() > 0);
        QVERIFY(expected.last().isEmpty());
        // Backwards the shot before it comes next.
        view_->set_playhead(35);
        expected.clear();
        view_->shuttle(-1);
        QCOMPARE(expected, QStringList{file("a.mkv")});
        view_->set_playing(false);
    }

    /// J, K and L work as in the preview. If the playhead is moved meanwhile, playing goes on from there.
    void shuttles_both_ways() {
        fill();
        view_->set_playhead(4);
        view_->shuttle(-1);
        QCOMPARE(view_->speed(), -1.0);
        QTRY_COMPARE_WITH_TIMEOUT(view_->playhead(), 0, 30000);
        QTRY_VERIFY_WITH_TIMEOUT(!view_->playing(), 30000); // it stops at the beginning
        view_->shuttle(-1);
        QVERIFY(!view_->playing());
        view_->shuttle(1);
        view_->shuttle(1);
        QCOMPARE(view_->speed(), 2.0);
        view_->shuttle(-1);
        QCOMPARE(view_->speed(), 1.0);
        view_->set_playhead(project_->frames());
        view_->set_playhead(0);
        QTRY_VERIFY_WITH_TIMEOUT(view_->playhead() > 0, 30000);
        QVERIFY(view_->playing() && view_->playhead() < 40);
        view_->set_playing(false);
        QCOMPARE(view_->speed(), 0.0);
    }
};

QTEST_MAIN(TimelinePlayingTest)
#include "timeline_playing_test.moc"
