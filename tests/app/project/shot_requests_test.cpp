// SPDX-License-Identifier: Apache-2.0
#include "app/project/shot_requests.h"

#include <QTest>

#include "app/base/text.h"

namespace denoir::app {

/// A shot that shows all of a take of so many frames.
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
    void blocks();
    void all_of_it();
    void places_are_read_as_they_were_written();
};

void ShotRequestsTest::extension() {
    Shot shot = shot_of(33);
    const Request r = extension_of(shot, made(33));
    QCOMPARE(to_qstring(r.forcing->video), shot.current().video);
    QVERIFY(!r.forcing->video_frames); // to the end of the video, wherever that is
    QCOMPARE(r.forcing->overlap, 17);
    QCOMPARE(r.forcing->ar_step, 2);
    QVERIFY(r.image.empty() && !r.seed);
    // The picture that the shot ended with, and noise of its length, do not belong to what follows it.
    Request other = made(33);
    other.last_image = "/pictures/end.png";
    other.noise = {NoiseSource::Kind::file, 0, "/noise"};
    for (const Request& next : {extension_of(shot, other), retake_of(shot, other).request})
        QVERIFY(next.noise == NoiseSource{});
    QVERIFY(extension_of(shot, other).last_image.empty());
    // The clip goes on where the shot ends and not the video. It never begins with more frames than there are, nor with
    // all of its own.
    shot.out = 12;
    QCOMPARE(*extension_of(shot, made(33)).forcing->video_frames, 12);
    QCOMPARE(extension_of(shot, made(33)).forcing->overlap, 9);
    shot.out = 33;
    QCOMPARE(extension_of(shot, made(9)).forcing->overlap, 5);
    QCOMPARE(extension_of(shot_of(1), made(33)).forcing->overlap, 1);
    QCOMPARE(*extension_of(shot_of(1), made(1)).frames, 5);
    // A folder of frames may grow, and it does not tell its rate.
    shot.takes[0].kind = Take::Kind::frames;
    shot.takes[0].fps = 12;
    QCOMPARE(*extension_of(shot, made(33)).forcing->video_frames, 33);
    QCOMPARE(*extension_of(shot, made(33)).fps, 12.0);
    // Each window must make something beyond what it is given.
    Request windows = made(65);
    windows.forcing->base = 13;
    QCOMPARE(extension_of(shot_of(33), windows).forcing->overlap, 9);
    // After a part of a shot the clip has the usual length, and not that of the part.
    shot.takes[0].part = 3;
    QVERIFY(!extension_of(shot, made(9)).frames);
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
    // The take is itself a part, so its place in the shot is added.
    shot.takes[0].part = 40;
    QCOMPARE(*retake_of(shot, made(65)).part, 43);
    // At the end of the take nothing follows.
    shot.out = 65;
    QVERIFY(!retake_of(shot, made(65)).end);
    shot.in = 4, shot.out = 6;
    QCOMPARE(retake_of(shot, made(65)).request.forcing->overlap, 1);
    shot.in = 3, shot.out = 63; // less than a latent frame was cut off, so all is made again
    QCOMPARE(*retake_of(shot, made(65)).request.frames, 65);
}

/// Frames, overlap and block must fit each other, or the engine refuses the request.
void ShotRequestsTest::blocks() {
    for (const int block : {1, 2, 3, 5, 7})
        for (int out = 1; out <= 97; out += 4)
            for (int in = 0; in < out; in += 3) {
                Request request = made(97);
                request.frames = 4 * block * 5 - 3;
                request.forcing->block = block;
                request.image.clear();
                Shot shot = shot_of(97);
                shot.in = in, shot.out = out;
                for (const Request& r : {extension_of(shot, request), retake_of(shot, request).request}) {
                    const int latent = (*r.frames - 1) / 4 + 1, own = r.forcing->block;
                    QCOMPARE(*r.frames % 4, 1);
                    QCOMPARE(latent % own, 0);
                    if (r.forcing->video.empty()) continue;
                    const int given = (r.forcing->overlap - 1) / 4 + 1;
                    QCOMPARE(r.forcing->overlap % 4, 1);
                    QCOMPARE(given % own, 0);
                    QVERIFY(given >= 1 && given < latent);
                    QVERIFY(r.forcing->overlap <= r.forcing->video_frames.value_or(97));
                }
                const Retake again = retake_of(shot, request);
                if (!again.part) continue;
                QVERIFY(!again.end || again.request.forcing->block == 1); // the end image takes one latent frame
                const int shown = in - *again.part;                       // where the part begins in the new clip
                QVERIFY(shown >= 0 && shown + shot.frames() <= *again.request.frames);
                QVERIFY(!again.end || (*again.end >= out && *again.end < 97));
            }
}

void ShotRequestsTest::part_at_the_beginning() {
    Shot shot = shot_of(33);
    shot.out = 15;
    const Retake again = retake_of(shot, made(33));
    QCOMPARE(*again.request.frames, 17);
    QCOMPARE(*again.end, 17);
    QCOMPARE(*again.part, 0);
    QVERIFY(!again.request.image.empty() && again.request.forcing->video.empty());
    // The shown part is no more than what the clip was given. Something must be made all the same.
    Request longer = made(33);
    longer.image.clear();
    longer.forcing->video = QCoreApplication::applicationFilePath().toStdString(); // any file that exists
    longer.forcing->overlap = 17;
    shot.out = 10;
    QCOMPARE(*retake_of(shot, longer).request.frames, 21);
}

void ShotRequestsTest::all_of_it() {
    const Retake again = retake_of(shot_of(33), made(33));
    QCOMPARE(*again.request.frames, 33);
    QVERIFY(!again.part && !again.end && !again.request.seed);
    // What an extension has made begins behind its overlap.
    Request longer = made(33);
    longer.image.clear();
    longer.forcing->video = "/runs/b/video.mp4";
    Shot shot = shot_of(33);
    shot.in = 17;
    QVERIFY(!retake_of(shot, longer).part);
    // The first video is gone.
    QCOMPARE(to_qstring(retake_of(shot, longer).request.forcing->video), shot.current().video);
    QCOMPARE(*retake_of(shot, longer).request.forcing->video_frames, 17);
    longer.forcing->video = QCoreApplication::applicationFilePath().toStdString(); // any file that exists
    QVERIFY(retake_of(shot, longer).request.forcing->video == longer.forcing->video);
    // A part is made again as it was asked for, although its last frames may not all be shown.
    shot.takes[0].part = 5;
    shot.out = 31;
    QCOMPARE(*retake_of(shot, longer).part, 5);
    QVERIFY(retake_of(shot, longer).request.forcing->video == longer.forcing->video);
    shot.takes[0].part.reset();
    // A clip longer than usual that was made in one window is made in one again, and one with windows in the same.
    Request in_one = made(193);
    in_one.model = DENOIR_TINY_MODEL;
    QCOMPARE(retake_of(shot_of(193), in_one).request.forcing->base, 193);
    in_one.forcing->base = 97;
    QCOMPARE(retake_of(shot_of(193), in_one).request.forcing->base, 97);
    in_one = made(33);
    in_one.model = DENOIR_TINY_MODEL;
    QVERIFY(!retake_of(shot_of(33), in_one).request.forcing->base);
    // Other models can only make all of it again.
    Request other = made(33);
    other.mode = Mode::i2v;
    other.forcing.reset();
    shot.out = 20;
    QCOMPARE(*retake_of(shot, other).request.frames, 33);
    QVERIFY(!retake_of(shot, other).part);
}

void ShotRequestsTest::places_are_read_as_they_were_written() {
    for (const ResultPlace& place :
         {ResultPlace{{"shot"}, {}, {}}, ResultPlace{{"shot"}, 43, {}}, ResultPlace{{"one", "two"}, 0, {}},
          ResultPlace{{"shot"}, {}, {"next"}}, ResultPlace{{"one", "two"}, {}, {"three", "four"}}}) {
        const auto read = ResultPlace::of_tag(place.tag());
        QVERIFY2(read, qPrintable(place.tag()));
        QCOMPARE(read->shots, place.shots);
        QVERIFY(read->part == place.part);
        QCOMPARE(read->placed, place.placed);
    }
    for (const char* tag : {"", "retake|", "retake||", "retake|+|", "extend|shot", "extend|shot|", "extend|shot|+",
                            "sweep|/a/b|0|1", "retake"})
        QVERIFY2(!ResultPlace::of_tag(QLatin1String(tag)), tag);
}

} // namespace denoir::app

QTEST_GUILESS_MAIN(denoir::app::ShotRequestsTest)
#include "shot_requests_test.moc"
