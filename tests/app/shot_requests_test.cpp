// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shot_requests.h"

#include <QTest>

#include "app/text.h"

namespace denoir::app {

/// A shot of a take of so many frames, all of it.
static Shot shot_of(int frames) {
    Take take;
    take.id = QStringLiteral("t");
    take.run = QStringLiteral("/runs/a");
    take.video = QStringLiteral("/runs/a/video.mp4");
    take.frames = frames;
    return {QStringLiteral("s"), {}, {take}, 0, 0, frames};
}

static Request made(int frames) {
    Request r;
    r.mode = Mode::forcing;
    r.frames = frames;
    r.seed = 4;
    r.image = "/pictures/start.png";
    r.forcing = Forcing{2, 1, false};
    return r;
}

class ShotRequestsTest : public QObject {
    Q_OBJECT
private slots:
    void extension();
    void part_in_the_middle();
    void part_at_the_beginning();
    void all_of_it();
};

void ShotRequestsTest::extension() {
    Shot shot = shot_of(33);
    const Request r = extension_of(shot, made(33));
    QCOMPARE(to_qstring(r.forcing->video), shot.current().video);
    QCOMPARE(*r.forcing->video_frames, 33);
    QCOMPARE(r.forcing->overlap, 17);
    QCOMPARE(r.forcing->ar_step, 2);
    QVERIFY(r.image.empty() && !r.seed);
    // Where the shot ends, not the video; never more than there is, nor all of the new clip.
    shot.out = 12;
    QCOMPARE(*extension_of(shot, made(33)).forcing->video_frames, 12);
    QCOMPARE(extension_of(shot, made(33)).forcing->overlap, 9);
    shot.out = 33;
    QCOMPARE(extension_of(shot, made(9)).forcing->overlap, 5);
    QCOMPARE(extension_of(shot_of(1), made(33)).forcing->overlap, 1);
    QCOMPARE(extension_of(shot, Request()).forcing->overlap, 17);
}

void ShotRequestsTest::part_in_the_middle() {
    Shot shot = shot_of(65);
    shot.in = 20, shot.out = 30;
    const Retake again = retake_of(shot, made(65));
    QCOMPARE(again.request.forcing->overlap, 17);
    QCOMPARE(*again.request.forcing->video_frames, 20);
    QCOMPARE(*again.request.frames, 17 + 12); // ten frames, rounded up to whole latent frames
    QCOMPARE(*again.part, 3);
    QCOMPARE(*again.end, 32);
    QVERIFY(again.request.image.empty() && !again.request.seed);
    // Of a part, the place in the whole take adds up.
    shot.takes[0].part = 40;
    QCOMPARE(*retake_of(shot, made(65)).part, 43);
    // Up to the end of the take nothing follows.
    shot.out = 65;
    QVERIFY(!retake_of(shot, made(65)).end);
    shot.in = 3, shot.out = 5;
    QCOMPARE(retake_of(shot, made(65)).request.forcing->overlap, 1);
}

void ShotRequestsTest::part_at_the_beginning() {
    Shot shot = shot_of(33);
    shot.out = 15;
    const Retake again = retake_of(shot, made(33));
    QCOMPARE(*again.request.frames, 17);
    QCOMPARE(*again.end, 17);
    QCOMPARE(*again.part, 0);
    QVERIFY(!again.request.image.empty() && again.request.forcing->video.empty());
}

void ShotRequestsTest::all_of_it() {
    const Retake again = retake_of(shot_of(33), made(33));
    QCOMPARE(*again.request.frames, 33);
    QVERIFY(!again.part && !again.end && !again.request.seed);
    // What an extension made begins after its overlap.
    Request longer = made(33);
    longer.image.clear();
    longer.forcing->video = "/runs/b/video.mp4";
    Shot shot = shot_of(33);
    shot.in = 17;
    QCOMPARE(to_qstring(retake_of(shot, longer).request.forcing->video), QStringLiteral("/runs/b/video.mp4"));
    QVERIFY(!retake_of(shot, longer).part);
    // Other models make all of it again.
    Request other = made(33);
    other.mode = Mode::i2v;
    other.forcing.reset();
    shot.out = 20;
    QCOMPARE(*retake_of(shot, other).request.frames, 33);
    QVERIFY(!retake_of(shot, other).part);
}

} // namespace denoir::app

QTEST_GUILESS_MAIN(denoir::app::ShotRequestsTest)
#include "shot_requests_test.moc"
