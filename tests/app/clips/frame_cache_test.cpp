// SPDX-License-Identifier: Apache-2.0
#include "app/clips/frame_cache.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSignalSpy>
#include <QThread>
#include <atomic>
#include <cmath>
#include <numeric>
#include <random>

#include "app/base/text.h"
#include "app/clips/clip_kind.h"
#include "app/clips/player.h"
#include "app/project/take.h"
#include "engine/media/frame_folder.h"
#include "engine/media/image.h"
#include "tests/app/clips.h"
#include "tests/app/home.h"

using namespace denoir;
using namespace denoir::app;

class FrameCacheTest : public QObject {
    Q_OBJECT
    Home home_;

    void expect_exact(const QString& path, const std::vector<Image>& expected, qint64 limit) {
        FrameCache cache(limit);
        const auto clip = cache.open(path);
        QVERIFY(wait_open(*clip));
        QCOMPARE(static_cast<std::size_t>(clip->info().frames), expected.size());
        std::vector<int> order(expected.size());
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), std::mt19937(11));
        for (const int n : order) {
            const Image frame = frame_of(*clip, n);
            QVERIFY2(frame == expected[static_cast<std::size_t>(n)], qPrintable(QString::number(n)));
            const qint64 one = qint64{4} * frame.width * frame.height;
            QVERIFY(cache.bytes() <= std::max(limit, one));
        }
    }

private slots:
    void every_frame_in_any_order_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"h264_open.mp4", "hevc_open.mp4", "vp8_hidden.webm", "mpeg4_b.avi", "animated.gif"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void every_frame_in_any_order() {
        QFETCH(QString, name);
        const QString path = QStringLiteral(DENOIR_FIXTURES "/media/clips/") + name;
        const std::vector<Image> expected = frames_in_turn(path);
        expect_exact(path, expected, 64 << 20);
        expect_exact(path, expected, 64 * 48 * 4 * 5); // room for five frames
        expect_exact(path, expected, 0);
    }

    void fills_ahead_and_tells_so() {
        write_clip(home_.file("a.mp4"), 64, 48, 30);
        FrameCache cache(64 << 20);
        const auto clip = cache.open(home_.file("a.mp4"));
        QSignalSpy ready(clip.get(), &Clip::frame_ready);
        QVERIFY(wait_open(*clip));
        QCOMPARE(clip->info().fps, 24.0);
        QCOMPARE(clip->info().size, QSize(64, 48));
        QCOMPARE(clip->info().frame_at(0.5), 12);
        QCOMPARE(clip->info().frame_at(-1), 0);
        QCOMPARE(clip->info().frame_at(99), 29);
        clip->want(13, 1);
        QTRY_COMPARE_WITH_TIMEOUT(clip->cached_ranges(), (std::vector<std::pair<int, int>>{{0, 29}}), 30000);
        QTRY_COMPARE_WITH_TIMEOUT(ready.count(), 30, 30000);
        QCOMPARE(ready.front().front().toInt(), 0); // the first frame can be shown as soon as the clip is open
    }

    void backwards_too() {
        write_clip(home_.file("b.mp4"), 64, 48, 40);
        constexpr qint64 limit = 64 * 48 * 4 * 16;
        FrameCache cache(limit);
        const auto clip = cache.open(home_.file("b.mp4"));
        QVERIFY(wait_open(*clip));
        clip->want(39, -1);
        QTRY_VERIFY_WITH_TIMEOUT(clip->is_cached(39) && clip->is_cached(30), 30000);
        QVERIFY(cache.bytes() <= limit);
    }

    void the_bound_holds_over_clips() {
        write_clip(home_.file("c.mp4"), 64, 48, 20);
        write_clip(home_.file("d.mp4"), 64, 48, 20, 9);
        const qint64 frame = 64 * 48 * 4;
        FrameCache cache(10 * frame);
        auto a = cache.open(home_.file("c.mp4"));
        auto b = cache.open(home_.file("d.mp4"));
        QVERIFY(wait_open(*a) && wait_open(*b));
        for (int n = 0; n < 20; ++n) {
            a->want(n);
            b->want(n);
            QTRY_VERIFY_WITH_TIMEOUT(a->is_cached(n) && b->is_cached(n),
                                     30000); // both clips at once, so that neither pushes the other out
            QVERIFY(cache.bytes() <= 10 * frame);
        }
        a.reset();
        b.reset();
        QCOMPARE(cache.bytes(), 0);
        QTest::qWait(20);
        QCOMPARE(cache.bytes(), 0); // frames that were being decoded are dropped
    }

    /// Two clips side by side must both be seen, however little memory is allowed.
    void what_is_shown_stays_under_any_limit() {
        write_clip(home_.file("c.mp4"), 64, 48, 20);
        write_clip(home_.file("d.mp4"), 64, 48, 20, 9);
        FrameCache cache(0);
        const auto a = cache.open(home_.file("c.mp4")), b = cache.open(home_.file("d.mp4"));
        QVERIFY(wait_open(*a) && wait_open(*b));
        for (const int n : {7, 3}) {
            a->want(n);
            QTRY_VERIFY_WITH_TIMEOUT(a->is_cached(n), 30000);
            b->want(n);
            QTRY_VERIFY_WITH_TIMEOUT(b->is_cached(n), 30000);
            QVERIFY(a->is_cached(n));
            QCOMPARE(cache.bytes(), qint64{2 * 64 * 48 * 4});
        }
    }

    void pictures_folders_and_runs() {
        FrameCache cache;
        write_png(to_path(home_.file("one.png")), moving_picture(33, 21, 2), R"({"schema": 1})");
        const auto still = cache.open(home_.file("one.png"));
        QVERIFY(wait_open(*still));
        QCOMPARE(still->info().frames, 1);
        QCOMPARE(still->info().kind, ClipInfo::Kind::still);
        QCOMPARE(still->info().request, QStringLiteral(R"({"schema": 1})"));
        QVERIFY(frame_of(*still, 0) == moving_picture(33, 21, 2));

        {
            FrameFolderWriter writer(to_path(home_.file("frames")), R"({"schema": 1, "fps": 12})");
            for (int i = 0; i < 12; ++i) writer.write(moving_picture(32, 16, i));
            writer.finish();
        }
        const auto folder = cache.open(home_.file("frames"));
        QVERIFY(wait_open(*folder));
        QCOMPARE(folder->info().frames, 12);
        QCOMPARE(folder->info().fps, 12.0);
        QVERIFY(folder->info().exact);
        QVERIFY(frame_of(*folder, 10) == moving_picture(32, 16, 10));
        QVERIFY(frame_of(*folder, 1) == moving_picture(32, 16, 1));

        const QString path = tiny_run(home_.file("run"));
        const auto run = cache.open(path);
        QVERIFY(wait_open(*run));
        QCOMPARE(run->info().kind, ClipInfo::Kind::run);
        QCOMPARE(run->info().name, QStringLiteral("a red balloon · seed 7"));
        QVERIFY(!run->info().request.isEmpty());
        QVERIFY(frame_of(*run, 5) == frames_in_turn(path + QStringLiteral("/video.mp4")).at(5));
    }

    /// The content of a folder, or a file's first bytes, decide what kind it is.
    void every_path_has_one_kind() {
        const auto holding = [&](const char* folder, std::initializer_list<const char*> files) {
            for (const char* name : files) {
                const QString path =
                    home_.file(QStringLiteral("%1/%2").arg(QLatin1String(folder), QLatin1String(name)));
                QDir().mkpath(QFileInfo(path).path());
                QFile file(path);
                if (file.open(QIODevice::WriteOnly)) file.write("{}");
            }
            return home_.file(QLatin1String(folder));
        };
        QCOMPARE(clip_kind(holding("k-sweep", {"sweep.json", "grid.png"})), ClipKind::sweep);
        QCOMPARE(clip_kind(holding("k-run", {"run.json", "thumbnail.png"})), ClipKind::run);
        QCOMPARE(clip_kind(holding("k-model", {"config.json", "cover.jpg"})), ClipKind::model);
        QCOMPARE(clip_kind(holding("k-models", {"one/weights.gguf"})), ClipKind::model);
        QCOMPARE(clip_kind(holding("k-frames", {"1.PBM", "notes.txt", "old/config.json"})), ClipKind::frames);
        QCOMPARE(clip_kind(holding("k-files", {"a.safetensors"}) + "/a.safetensors"), ClipKind::model);
        QCOMPARE(clip_kind(holding("k-cut", {"a.denoir"}) + "/a.denoir"), ClipKind::other);
        QCOMPARE(clip_kind(home_.file("nowhere.mp4")), ClipKind::other);
        const QString clips = QStringLiteral(DENOIR_FIXTURES "/media/clips/");
        QCOMPARE(clip_kind(clips + "vp8_hidden.webm"), ClipKind::video);
        QCOMPARE(clip_kind(clips + "animated.gif"), ClipKind::video);
        write_png(to_path(home_.file("picture.mp4")), frames_in_turn(clips + "animated.gif").front());
        QCOMPARE(clip_kind(home_.file("picture.mp4")), ClipKind::still);
    }

    void what_is_no_clip_fails() {
        QFile text(home_.file("text.mp4"));
        QVERIFY(text.open(QIODevice::WriteOnly));
        text.write("#EXTM3U\nfile:///etc/hostname\n");
        text.close();
        QDir(home_.path()).mkdir(QStringLiteral("empty"));
        QDir(home_.path()).mkdir(QStringLiteral("half"));
        QFile half(home_.file("half/run.json"));
        QVERIFY(half.open(QIODevice::WriteOnly));
        half.write("{\"schema\": 1, \"state");
        half.close();
        FrameCache cache;
        for (const QString& path : {home_.file("text.mp4"), home_.file("empty"), home_.file("half"),
                                    home_.file("missing.mp4"), QStringLiteral("/dev/zero"), QString()}) {
            const auto clip = cache.open(path);
            QSignalSpy failed(clip.get(), &Clip::failed);
            QVERIFY(!wait_open(*clip));
            QCOMPARE(failed.count(), 1);
            QVERIFY(!clip->issue().message.isEmpty());
            clip->want(3); // does no harm
            QVERIFY(clip->cached(3).isNull());
        }
    }

    /// Opening takes long if the frames must be counted by decoding. Closing such a video must not wait for that.
    void closing_ends_opening() {
        std::atomic<bool> told = false;
        {
            FrameCache cache;
            auto clip = cache.open([&](const std::stop_token& stop) -> std::unique_ptr<ClipSource> {
                while (!stop.stop_requested()) QThread::msleep(1);
                told = true;
                throw Cancelled();
            });
            clip.reset();
        }
        QVERIFY(told);
    }

    /// In videos with uneven times a frame is paired with the one that is shown at its time.
    void pairs_by_the_frames_own_times() {
        VideoOptions options;
        options.width = 96, options.height = 64, options.fps = {50, 1};
        VideoWriter writer(to_path(home_.file("even.mkv")), options);
        for (int i = 0; i < 150; ++i) writer.write(moving_picture(96, 64, i % 30));
        writer.finish();
        FrameCache cache;
        const auto uneven = cache.open(QStringLiteral(DENOIR_FIXTURES "/media/clips/h264_uneven.mkv")),
                   even = cache.open(home_.file("even.mkv"));
        QVERIFY(wait_open(*uneven) && wait_open(*even));
        Player player;
        player.set_clip(Side::a, uneven.get());
        player.set_clip(Side::b, even.get());
        QVERIFY(player.pairing().by_time());
        const std::vector<double>& times = uneven->info().times;
        int moved = 0;
        for (int n = 0; n < uneven->info().frames && times[std::size_t(n)] < 2.98; ++n) {
            const double met = even->info().times[std::size_t(player.pairing().partner(n))];
            QVERIFY2(std::abs(met - times[std::size_t(n)]) < 0.0105, qPrintable(QString::number(n)));
            moved += std::abs(n / uneven->info().stated_fps - times[std::size_t(n)]) > 0.02;
        }
        QVERIFY(moved > 0); // the rate alone would have given other pairs
    }

    void what_a_lossy_codec_made_is_not_exact() {
        FrameCache cache;
        for (const auto& [name, exact] : {std::pair{"mode_RGB.png", true},
                                          {"lossless.webp", true},
                                          {"lossy.webp", false},
                                          {"progressive.jpg", false}}) {
            const auto clip = cache.open(QStringLiteral(DENOIR_FIXTURES "/media/") + QLatin1String(name));
            QVERIFY(wait_open(*clip));
            QCOMPARE(clip->info().exact, exact);
            const QString folder = home_.file(QStringLiteral("of_") + QLatin1String(name));
            QVERIFY(QDir().mkpath(folder) && QFile::copy(clip->info().path, folder + QStringLiteral("/1")));
            const auto frames = cache.open(folder);
            QVERIFY(wait_open(*frames));
            QCOMPARE(frames->info().exact, exact);
        }
    }

    /// If a run's own video is broken, it can be made again from the latents.
    void a_broken_video_of_a_run_is_made_again() {
        const Home home;
        const QString run = tiny_run(home.file("run"), 1, 1);
        QFile video(run + "/video.mp4");
        QVERIFY(video.resize(video.size() / 2));
        const auto hint = [](const QString& clip) -> std::string {
            try {
                (void)open_clip(clip);
            } catch (const Error& error) {
                return error.hint();
            }
            return {};
        };
        const auto hint_of_take = [](const QString& clip) -> std::string {
            try {
                (void)take_of(clip, 24);
            } catch (const Error& error) {
                return error.hint();
            }
            return {};
        };
        for (const QString& clip : {run, video.fileName()}) QCOMPARE(hint_of_take(clip), hint(clip));
        for (const QString& clip : {run, video.fileName()})
            QVERIFY2(hint(clip).find("decoded again") != std::string::npos, hint(clip).c_str());
        QVERIFY(QFile::copy(video.fileName(), home.file("elsewhere.mp4")));
        QVERIFY2(hint(home.file("elsewhere.mp4")).find("download") != std::string::npos,
                 hint(home.file("elsewhere.mp4")).c_str());
    }

    /// A broken picture, and a file that only claims to be one, are refused as pictures and not as videos.
    void a_broken_picture_is_called_one() {
        write_png(to_path(home_.file("whole.png")), moving_picture(32, 16, 0));
        QFile whole(home_.file("whole.png"));
        QVERIFY(whole.open(QIODevice::ReadOnly));
        const QByteArray bytes = whole.readAll();
        FrameCache cache;
        for (const auto& [name, content] : {std::pair{"cut.png", bytes.left(bytes.size() / 2)},
                                            {"cut", bytes.left(bytes.size() / 2)},
                                            {"text.png", QByteArray("no picture at all")},
                                            {"empty.jpg", QByteArray()}}) {
            QFile file(home_.file(QLatin1String(name)));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
            file.close();
            const auto clip = cache.open(file.fileName());
            QVERIFY(!wait_open(*clip));
            QVERIFY2(!clip->issue().line().contains("video"), qPrintable(clip->issue().line()));
        }
    }

    /// Nobody has said that a text is to be a video. That of a run is: it can be made again.
    void a_file_of_another_kind_is_not_called_a_video_that_is_broken() {
        const Home home;
        const QString run = tiny_run(home.file("run"), 1, 1);
        for (const QString& text : {home.file("notes.txt"), run + "/video.mp4"}) {
            QFile file(text);
            QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate) && file.write("Buy milk.\n") > 0);
        }
        const auto refusal = [](const auto& open) -> std::string {
            try {
                open();
            } catch (const Error& error) {
                return error.message() + "; " + error.hint();
            }
            return {};
        };
        const std::string text = refusal([&] { (void)open_clip(home.file("notes.txt")); });
        QVERIFY2(text.starts_with("is neither a picture nor a video that can be read; "), text.c_str());
        QCOMPARE(refusal([&] { (void)take_of(home.file("notes.txt"), 24); }), text); // on the timeline, too
        const std::string video = refusal([&] { (void)open_clip(run); });
        QVERIFY2(video.find("picture") == std::string::npos, video.c_str());
    }

    void a_damaged_frame_is_told_once() {
        FrameFolderWriter writer(to_path(home_.file("bad")));
        for (int i = 0; i < 5; ++i) writer.write(moving_picture(32, 16, i));
        writer.finish();
        QFile third(home_.file("bad/frame_00003.png"));
        QVERIFY(third.open(QIODevice::ReadWrite));
        third.seek(60);
        third.write("xxxxxxxx");
        third.close();
        FrameCache cache;
        const auto clip = cache.open(home_.file("bad"));
        QSignalSpy failed(clip.get(), &Clip::frame_failed);
        QVERIFY(wait_open(*clip));
        clip->want(0);
        QTRY_VERIFY_WITH_TIMEOUT(clip->is_cached(4), 30000);
        clip->want(2);
        clip->want(3);
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, 30000);
        QCOMPARE(failed.front().front().toInt(), 2);
    }

    void closing_in_the_middle() {
        write_clip(home_.file("e.mp4"), 128, 96, 40);
        FrameCache cache;
        for (int i = 0; i < 30; ++i) {
            auto clip = cache.open(home_.file("e.mp4"));
            clip->want(i);
            if (i % 3) QTest::qWait(i % 7);
        }
        QCOMPARE(cache.bytes(), 0);
    }

    void colours_go_there_and_back() {
        const Image picture = moving_picture(37, 23, 4);
        QVERIFY(to_image(to_qimage(picture)) == picture);
    }
};

QTEST_GUILESS_MAIN(FrameCacheTest)
#include "frame_cache_test.moc"
