// SPDX-License-Identifier: Apache-2.0
#include "app/clips/transport.h"

#include <QSet>
#include <QSignalSpy>
#include <QTest>
#include <QThread>

#include "app/clips/time_text.h"

using namespace denoir::app;

namespace {

/// A reel with 100 frames a second, some of which are not ready.
class Reel : public Transport {
public:
    int frames() const override { return count; }
    using Transport::settle;

    int count = 10;
    QSet<int> missing;
    QList<int> wanted;

protected:
    double seconds_at(int frame) const override { return frame / 100.0; }
    int frame_at(double seconds) const override { return std::min(int(seconds * 100 + 1e-6), count - 1); }
    double duration() const override { return count / 100.0; }
    bool ready(int frame) const override { return !missing.contains(frame); }
    void want(int frame) override { wanted << frame * direction(); }
};

} // namespace

class TransportTest : public QObject {
    Q_OBJECT
private slots:
    void shuttles_up_and_back() {
        Reel reel;
        QSignalSpy speeds(&reel, &Transport::speed_changed);
        for (int i = 0; i < 5; ++i) reel.shuttle(1);
        for (int i = 0; i < 6; ++i) reel.shuttle(-1);
        reel.shuttle(1);
        reel.pause();
        QList<double> said;
        for (const auto& each : speeds) said << each[0].toDouble();
        QCOMPARE(said, (QList<double>{1, 2, 4, 8, 4, 2, 1, -1, -2, -4, -2, 0}));
        QVERIFY(!reel.playing());
    }

    void steps_go_round_one_by_one() {
        Reel reel;
        reel.step(-1);
        QCOMPARE(reel.frame(), 9);
        reel.step(1);
        QCOMPARE(reel.frame(), 0);
        reel.step(-10);
        QCOMPARE(reel.frame(), 0);
        reel.step(30);
        QCOMPARE(reel.frame(), 9);
        reel.set_loop(false);
        reel.step(1);
        QCOMPARE(reel.frame(), 9);
        reel.play();
        reel.step(1);
        QVERIFY(!reel.playing());
        QCOMPARE(reel.frame(), 1); // at the end it starts from the beginning
        QCOMPARE(reel.seconds(), 0.01);
    }

    void ends_where_it_does_not_loop() {
        Reel reel;
        reel.set_loop(false);
        reel.play();
        QTRY_VERIFY(!reel.playing());
        QCOMPARE(reel.frame(), 9);
        reel.shuttle(-1);
        QTRY_VERIFY(!reel.playing());
        QCOMPARE(reel.frame(), 0);
    }

    void waits_for_what_is_not_ready() {
        Reel reel;
        reel.set_loop(false);
        reel.count = 1000;
        for (int i = 3; i < 1000; ++i) reel.missing << i;
        reel.play();
        QTRY_COMPARE(reel.wanted.value(reel.wanted.size() - 1), 3);
        QCOMPARE(reel.frame(), 2);
        reel.missing.remove(3);
        QTRY_COMPARE(reel.frame(), 3);
        QTRY_COMPARE(reel.wanted.last(), 4);
        reel.pause();
        reel.shuttle(-1);
        QVERIFY(reel.wanted.contains(-3)); // frames behind are made ready, too, in the direction of playing
    }

    /// If the window stood still for longer than the whole reel takes, playing must go on.
    void goes_on_after_a_standstill() {
        for (const int direction : {1, -1}) {
            Reel reel;
            reel.shuttle(direction);
            QThread::msleep(300);
            QSignalSpy frames(&reel, &Transport::frame_changed);
            QTRY_VERIFY(frames.count() > 20);
        }
    }

    void other_clips_stand_or_go_on() {
        Reel reel;
        QSignalSpy clips(&reel, &Transport::clips_changed), frames(&reel, &Transport::frame_changed);
        reel.play();
        reel.settle(4, true);
        QVERIFY(reel.playing());
        QCOMPARE(reel.frame(), 4);
        QCOMPARE(reel.wanted.last(), 4);
        reel.count = 0;
        reel.settle(0, false);
        QVERIFY(!reel.playing());
        QCOMPARE(clips.count(), 2);
        QCOMPARE(frames.count(), 2);
        reel.play();
        reel.go_to(3);
        QVERIFY(!reel.playing());
        QCOMPARE(reel.frame(), 0);
    }

    void times_are_minutes_seconds_and_frames() {
        QCOMPARE(time_text(0, 16), QStringLiteral("00:00.00"));
        QCOMPARE(time_text(75.5, 16), QStringLiteral("01:15.08"));
        QCOMPARE(time_text(1 - 1e-9, 16), QStringLiteral("00:01.00")); // a sum of thirds
        QCOMPARE(time_text(0.99, 16), QStringLiteral("00:00.15"));     // a frame at another rate, not on a sixteenth
        QCOMPARE(time_text(0.083, 24), QStringLiteral("00:00.02"));    // rounded as containers round it
        QCOMPARE(time_text(61.2, 0), QStringLiteral("01:01.00"));
    }
};

QTEST_GUILESS_MAIN(TransportTest)
#include "transport_test.moc"
