// SPDX-License-Identifier: Apache-2.0
#include "app/clips/grid_player.h"

#include <QSignalSpy>
#include <QTest>

#include "tests/app/grey_clips.h"
#include "tests/app/home.h"

using namespace denoir;
using namespace denoir::app;

class GridPlayerTest : public QObject {
    Q_OBJECT
    Home home_;

    std::vector<std::unique_ptr<Clip>> open(FrameCache& cache, const QStringList& names, int side = 64) {
        std::vector<std::unique_ptr<Clip>> clips;
        for (const QString& name : names) {
            clips.push_back(open_scaled(cache, home_.file(name), side));
            Clip* const clip = clips.back().get();
            if (!QTest::qWaitFor([clip] { return clip->state() != Clip::State::opening; }, 10000)) return {};
        }
        return clips;
    }
    static std::vector<Clip*> all(const std::vector<std::unique_ptr<Clip>>& clips) {
        std::vector<Clip*> out;
        for (const auto& clip : clips) out.push_back(clip.get());
        return out;
    }

private slots:
    void initTestCase() {
        write_grey_clip(home_.file("long.mkv"), 24);
        write_grey_clip(home_.file("short.mkv"), 9);
        write_grey_clip(home_.file("slow.mkv"), 12, 48, 32, 0, 12);
        write_grey_clip(home_.file("wide.mkv"), 5, 256, 128);
    }

    void each_shows_the_frame_of_the_moment() {
        FrameCache cache(64 << 20);
        const auto clips = open(cache, {"long.mkv", "short.mkv", "slow.mkv"});
        GridPlayer player;
        player.set_clips(all(clips));
        QCOMPARE(player.rate(), 24.0);
        QCOMPARE(player.frames(), 24);
        player.go_to(7);
        QCOMPARE(player.frame_of(*clips[0]), 7);
        QCOMPARE(player.frame_of(*clips[1]), 7);
        QCOMPARE(player.frame_of(*clips[2]), 3); // this clip has half the rate
        player.go_to(23);
        QCOMPARE(player.frame_of(*clips[1]), 8); // this clip has ended and holds its last frame
        QCOMPARE(player.frame_of(*clips[2]), 11);
        player.step(1); // from the last moment to the first
        QCOMPARE(player.frame(), 0);
        player.set_clips({});
    }

    void plays_through_without_leaving_a_clip_behind() {
        FrameCache cache(64 << 20);
        const auto clips = open(cache, {"long.mkv", "slow.mkv"});
        GridPlayer player;
        player.set_clips(all(clips));
        QList<int> seen;
        connect(&player, &GridPlayer::frame_changed, this, [&](int frame) {
            seen << frame;
            for (const auto& clip : clips) QVERIFY(clip->is_settled(player.frame_of(*clip)));
        });
        player.set_loop(false);
        player.play();
        QTRY_VERIFY_WITH_TIMEOUT(!player.playing(), 20000);
        QCOMPARE(player.frame(), 23);
        QVERIFY(std::is_sorted(seen.begin(), seen.end()));
        player.set_clips({});
    }

    /// If no clip is open for a moment, as between two pages, the player goes on and keeps its moment.
    void other_clips_go_on_from_there() {
        FrameCache cache(64 << 20);
        const auto clips = open(cache, {"long.mkv"});
        GridPlayer player;
        player.set_clips(all(clips));
        player.play();
        player.go_to(12);
        player.set_clips({});
        auto slow = open_scaled(cache, home_.file("slow.mkv"), 64);
        player.set_clips({slow.get()});
        QVERIFY(player.playing());
        QSignalSpy changed(&player, &GridPlayer::frame_changed);
        QTRY_VERIFY_WITH_TIMEOUT(player.frames() == 12, 10000);
        QVERIFY(player.frame() >= 6); // half a second later
        player.set_clips({});
    }

    void large_clips_are_decoded_small() {
        FrameCache cache(64 << 20);
        const auto clips = open(cache, {"wide.mkv", "long.mkv"});
        QCOMPARE(clips[0]->info().size, QSize(64, 32));
        QCOMPARE(clips[1]->info().size, QSize(48, 32)); // a clip is never enlarged
        clips[0]->want(3);
        QTRY_VERIFY_WITH_TIMEOUT(clips[0]->is_cached(3), 10000);
        const QImage picture = clips[0]->cached(3);
        QCOMPARE(picture.size(), QSize(64, 32));
        QVERIFY(std::abs(qGreen(picture.pixel(30, 15)) - 30) <= 1);
    }
};

QTEST_MAIN(GridPlayerTest)
#include "grid_player_test.moc"
