// SPDX-License-Identifier: Apache-2.0
// The figures of A against B, frame by frame, and the view that draws them.
#include "ui/preview/metrics_view.h"

#include <QApplication>
#include <QFile>
#include <QMouseEvent>
#include <QScopeGuard>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include "app/clips/exact_clip.h"
#include "app/clips/player.h"
#include "engine/media/frame_folder.h"
#include "engine/media/video_writer.h"
#include "engine/session/run_folder.h"
#include "tests/app/clips.h"
#include "tests/app/home.h"
#include "ui/preview/preview_view.h"
#include "ui/theme/colours.h"

using namespace denoir;
using namespace denoir::app;
using namespace denoir::ui;

class MetricsTest : public QObject {
    Q_OBJECT
    Home home_;

    static metrics::Rgb8 rgb(const Image& image) { return {image.rgb.data(), image.width, image.height}; }

    static Pairing by_number(int offset) { return {0, 0, FrameMatch::index, offset}; }

    static void expect_equal(const Comparison& comparison, const std::vector<Image>& a, const std::vector<Image>& b,
                             int offset) {
        ThreadPool pool(1);
        for (int n = 0; n < static_cast<int>(a.size()); ++n) {
            const auto& got = comparison.curve()[static_cast<std::size_t>(n)];
            const int m = n + offset;
            QCOMPARE(got.has_value(), m >= 0 && m < static_cast<int>(b.size()));
            if (!got) continue;
            const auto want =
                metrics::compare_frames(rgb(a[static_cast<std::size_t>(n)]), rgb(b[static_cast<std::size_t>(m)]), pool);
            QCOMPARE(got->mse, want.mse);
            QCOMPARE(got->psnr, want.psnr);
            QCOMPARE(got->ssim, want.ssim);
        }
    }

private slots:
    void initTestCase() {
        write_clip(home_.file("a.mp4"), 96, 64, 16, 0);
        write_clip(home_.file("b.mp4"), 96, 64, 14, 30);
    }

    /// Every frame has the figures that engine/metrics measures, with and without an offset.
    void the_curve_is_the_engines() {
        FrameCache cache;
        const auto a = cache.open(home_.file("a.mp4")), b = cache.open(home_.file("b.mp4"));
        QVERIFY(wait_open(*a) && wait_open(*b));
        const auto frames_a = frames_in_turn(home_.file("a.mp4")), frames_b = frames_in_turn(home_.file("b.mp4"));
        Comparison comparison;
        for (const int offset : {0, 3, -2}) {
            comparison.start(*a, *b, by_number(offset));
            QVERIFY(comparison.active());
            const int overlap = std::min(16, 14 - offset) - std::max(0, -offset);
            QCOMPARE(comparison.comparable(), overlap); // what there is to measure, however long A is
            QTRY_COMPARE_WITH_TIMEOUT(comparison.done(), overlap, 30000);
            expect_equal(comparison, frames_a, frames_b, offset);
            QVERIFY(!comparison.exact());
            const int worst = comparison.worst();
            QVERIFY(worst >= 0);
            for (const auto& m : comparison.curve())
                if (m) QVERIFY(*m->ssim >= *comparison.curve()[static_cast<std::size_t>(worst)]->ssim);
        }
        comparison.start(*a, *a, by_number(0));
        QTRY_COMPARE_WITH_TIMEOUT(comparison.done(), 16, 30000);
        QCOMPARE(comparison.worst(), -1); // no frame is worse than another
        QVERIFY(!comparison.mean()->psnr);
        comparison.stop();
        QVERIFY(comparison.curve().empty());
    }

    /// Frames of clips with different rates are paired by their time, as `denoir-cli compare` pairs them, or by their
    /// number if the user wants that.
    void other_rates_meet_in_time() {
        const auto write = [&](const char* name, int frames, int fps, int by) {
            VideoOptions options;
            options.width = 96, options.height = 64, options.fps = {fps, 1};
            VideoWriter writer(to_path(home_.file(QLatin1String(name))), options);
            for (int i = 0; i < frames; ++i) writer.write(moving_picture(96, 64, by * i));
            writer.finish();
        };
        write("slow.mkv", 6, 12, 2);
        write("fast.mkv", 10, 24, 1);
        FrameCache cache;
        const auto a = cache.open(home_.file("slow.mkv")), b = cache.open(home_.file("fast.mkv"));
        QVERIFY(wait_open(*a) && wait_open(*b));
        Player player;
        player.set_clip(Side::a, &*a);
        player.set_clip(Side::b, &*b);
        player.go_to(3);
        QCOMPARE(player.frame_of(Side::b), 6);
        player.set_offset(-1);
        QCOMPARE(player.frame_of(Side::b), 5);
        player.set_offset(0);
        Comparison comparison;
        comparison.start(*a, *b, player.pairing());
        QCOMPARE(comparison.comparable(), 5); // the sixth frame of A is shown when B has ended
        QVERIFY2(comparison.note().contains("nearest in time"), qPrintable(comparison.note()));
        QTRY_COMPARE_WITH_TIMEOUT(comparison.done(), 5, 30000);
        for (int n = 0; n < 5; ++n) QCOMPARE(comparison.curve()[std::size_t(n)]->mse, 0.0);
        player.set_by_number(true);
        QCOMPARE(player.frame_of(Side::b), 3);
        comparison.start(*a, *b, player.pairing());
        QCOMPARE(comparison.comparable(), 6);
        QVERIFY2(comparison.note().contains("their number"), qPrintable(comparison.note()));
        QTRY_COMPARE_WITH_TIMEOUT(comparison.done(), 6, 30000);
        QVERIFY(comparison.curve()[3]->mse > 1);

        // When A and B change places, the same frames must still meet.
        PreviewView view(cache);
        view.show_clip(Side::a, home_.file("slow.mkv"));
        view.show_clip(Side::b, home_.file("fast.mkv"));
        QTRY_VERIFY_WITH_TIMEOUT(view.info(Side::a) && view.info(Side::b), 20000);
        view.player().set_offset(4);
        view.swap();
        QCOMPARE(view.player().offset(), -2);
        view.swap();
        QCOMPARE(view.player().offset(), 4);
        view.player().set_offset(5); // B's five frames are two and a half of A
        view.swap();
        QCOMPARE(view.player().offset(), -3);
        view.swap();
        QCOMPARE(view.player().offset(), 5);
        // Swapping back restores what the first swap had rounded, but not if there was a swap by number in between.
        view.swap();
        view.player().set_by_number(true);
        view.swap();
        QCOMPARE(view.player().offset(), 3);
        view.player().set_by_number(false);
        view.player().set_offset(-3);
        view.swap();
        QCOMPARE(view.player().offset(), 2);

        // A folder of frames has no rate unless a file states one. It is paired by number, as the command line does it.
        FrameFolderWriter folder(to_path(home_.file("unrated")));
        for (int i = 0; i < 7; ++i) folder.write(moving_picture(96, 64, i));
        folder.finish();
        // Clips with equally many frames but different rates are taken for the same frames.
        write("same.mkv", 6, 24, 2);
        const auto frames = cache.open(home_.file("unrated")), same = cache.open(home_.file("same.mkv"));
        QVERIFY(wait_open(*frames) && wait_open(*same));
        player.set_by_number(false);
        QVERIFY(player.pairing().by_time());
        for (const auto* clip : {&frames, &same}) {
            player.set_clip(Side::b, clip->get());
            QVERIFY(!player.pairing().by_time());
        }
    }

    /// After a swap each clip must show the frame that it showed before, whichever of them leads, and also past the end
    /// of the other.
    void clips_that_change_sides_show_what_they_showed() {
        const auto write = [&](const char* name, int frames, int fps) {
            VideoOptions options;
            options.width = 32, options.height = 32, options.fps = {fps, 1};
            VideoWriter writer(to_path(home_.file(QLatin1String(name))), options);
            for (int i = 0; i < frames; ++i) writer.write(moving_picture(32, 32, i));
            writer.finish();
        };
        write("first.mkv", 12, 12);
        write("as-long.mkv", 12, 12);
        write("shorter.mkv", 5, 12);
        write("finer.mkv", 48, 48);
        write("coarse.mkv", 8, 4);
        FrameCache cache;
        const auto first = cache.open(home_.file("first.mkv"));
        QVERIFY(wait_open(*first));
        for (const char* name : {"as-long.mkv", "shorter.mkv", "finer.mkv", "coarse.mkv"}) {
            const auto other = cache.open(home_.file(QLatin1String(name)));
            QVERIFY(wait_open(*other));
            const bool by_number = first->info().stated_fps == other->info().stated_fps;
            for (const int offset : by_number ? QList<int>{0, 3, -2} : QList<int>{0}) {
                Player player;
                player.set_clip(Side::a, &*first);
                player.set_clip(Side::b, &*other);
                player.set_offset(offset);
                for (int frame = 0; frame < player.frames(); ++frame) {
                    player.go_to(frame);
                    const int of_a = player.frame_of(Side::a), of_b = player.frame_of(Side::b);
                    const auto stay = [&](Side a, Side b) {
                        return player.frame_of(a) == of_a && player.frame_of(b) == of_b;
                    };
                    const QByteArray where = QByteArray(name) + " at " + QByteArray::number(frame) + ", shifted by " +
                                             QByteArray::number(offset);
                    player.swap(-offset);
                    QVERIFY2(stay(Side::b, Side::a), where);
                    player.swap(offset);
                    QVERIFY2(stay(Side::a, Side::b), where);
                }
            }
        }
    }

    void a_damaged_frame_leaves_the_others_their_figures() {
        const std::filesystem::path folder = to_path(home_.file("frames"));
        FrameFolderWriter writer(folder);
        for (int i = 0; i < 6; ++i) writer.write(moving_picture(96, 64, i, 3));
        writer.finish();
        const auto spoil = [&](const char* name) {
            QFile file(home_.file("frames/") + QLatin1String(name));
            QVERIFY(file.open(QIODevice::ReadWrite) && file.seek(60));
            file.write("xxxxxxxx");
        };
        spoil("frame_00003.png");
        FrameCache cache;
        const auto a = cache.open(home_.file("a.mp4")), b = cache.open(home_.file("frames"));
        QVERIFY(wait_open(*a) && wait_open(*b));
        Comparison comparison;
        comparison.start(*a, *b, by_number(0));
        QTRY_COMPARE_WITH_TIMEOUT(comparison.done(), 5, 30000);
        QTRY_VERIFY_WITH_TIMEOUT(comparison.note().contains("cannot be read: 3"), 30000);
        QVERIFY(comparison.active() && comparison.issue().isEmpty() && !comparison.curve()[2]);
        QCOMPARE(comparison.comparable(), 5);
        QVERIFY(comparison.note().contains("paired: 6"));
        // If no frame can be measured, the reason is told.
        for (const char* name :
             {"frame_00001.png", "frame_00002.png", "frame_00004.png", "frame_00005.png", "frame_00006.png"})
            spoil(name);
        comparison.start(*a, *b, by_number(0));
        QTRY_VERIFY_WITH_TIMEOUT(!comparison.issue().isEmpty(), 30000);
        QVERIFY(!comparison.active());
    }

    void hdr_is_said() {
        const QString media = QStringLiteral(DENOIR_FIXTURES "/media/");
        FrameCache cache;
        const auto a = cache.open(media + QStringLiteral("hdr_pq.mp4")),
                   b = cache.open(media + QStringLiteral("hdr_hlg.mp4"));
        QVERIFY(wait_open(*a) && wait_open(*b));
        Comparison comparison;
        comparison.start(*a, *b, by_number(0));
        QCOMPARE(comparison.note(), QStringLiteral("A (PQ) and B (HLG) are HDR and read as if they were not"));
    }

    void what_is_not_compared_of_files_is_said() {
        const QString media = QStringLiteral(DENOIR_FIXTURES "/media/");
        FrameCache cache;
        const auto note = [&](const char* one, const char* other) {
            const auto a = cache.open(media + QLatin1String(one)), b = cache.open(media + QLatin1String(other));
            if (!wait_open(*a) || !wait_open(*b)) return QString();
            Comparison comparison;
            comparison.start(*a, *b, by_number(0));
            return comparison.note();
        };
        QCOMPARE(note("mode_RGB.png", "mode_RGBA.png"), QString("B has an alpha channel, which is not compared"));
        QCOMPARE(note("rgb16.png", "grey16.png"),
                 QString::fromUtf8("A has 16 bits a colour, of which the upper 8 are compared  ·  "
                                   "B has 16 bits a colour, of which the upper 8 are compared"));
        QVERIFY(note("mode_RGB.png", "mode_RGB.png").isEmpty());
    }

    /// Two runs are compared by their decoded latents, so that no codec comes in between.
    void runs_are_compared_by_their_latents() {
        const QString first = tiny_run(home_.file("one"), 2, 1), second = tiny_run(home_.file("two"), 2, 2);
        QVERIFY(has_exact_clip(first));
        QVERIFY(!has_exact_clip(home_.file("nowhere")));
        FrameCache cache;
        const auto a = cache.open(first), b = cache.open(second);
        QVERIFY(wait_open(*a) && wait_open(*b));
        Comparison comparison;
        comparison.start(*a, *b, by_number(0));
        QTRY_VERIFY_WITH_TIMEOUT(comparison.can_be_exact() && comparison.by_latents(), 20000);
        QTRY_COMPARE_WITH_TIMEOUT(comparison.done(), 9, 60000);
        QVERIFY(comparison.exact());
        const QString exact_a = exact_clip(first, {}, [](double, double) {}),
                      exact_b = exact_clip(second, {}, [](double, double) {});
        const auto frames_a = frames_in_turn(exact_a), frames_b = frames_in_turn(exact_b);
        expect_equal(comparison, frames_a, frames_b, 0);
        // These are the frames as they were decoded, and the codec has changed those of the video.
        const auto coded = frames_in_turn(first + QStringLiteral("/video.mp4"));
        QVERIFY(coded.at(4) != frames_a.at(4));

        comparison.set_prefers_exact(false);
        QTRY_COMPARE_WITH_TIMEOUT(comparison.done(), 9, 60000);
        QVERIFY(!comparison.exact());
        expect_equal(comparison, coded, frames_in_turn(second + QStringLiteral("/video.mp4")), 0);
    }

    /// If the latents cannot be decoded, the videos are compared and the user is told so. Pressing the button tries
    /// again.
    void latents_that_cannot_be_decoded() {
        const QString first = tiny_run(home_.file("three"), 2, 3), second = tiny_run(home_.file("four"), 2, 4);
        const auto set_model = [&](const std::filesystem::path& model) {
            RunFolder run = RunFolder::take(to_path(second));
            run.record().request.model = model;
            run.save();
        };
        set_model("/nowhere");
        FrameCache cache;
        const auto a = cache.open(first), b = cache.open(second);
        QVERIFY(wait_open(*a) && wait_open(*b));
        Comparison comparison;
        const MetricsView view(comparison);
        auto* button = view.findChild<QToolButton*>("from-latents");
        comparison.start(*a, *b, by_number(0));
        QTRY_VERIFY_WITH_TIMEOUT(button->isChecked() || !comparison.undecoded().isEmpty(), 20000);
        QTRY_COMPARE_WITH_TIMEOUT(comparison.done(), 9, 60000);
        QVERIFY(!comparison.by_latents() && !button->isChecked());
        QVERIFY2(comparison.note().contains("/nowhere"), qPrintable(comparison.note()));
        QVERIFY2(button->toolTip().contains("/nowhere"), qPrintable(button->toolTip()));
        set_model(DENOIR_TINY_MODEL);
        button->click();
        QTRY_COMPARE_WITH_TIMEOUT(comparison.done(), 9, 60000);
        QVERIFY(comparison.exact() && comparison.by_latents() && button->isChecked());
        QCOMPARE(comparison.note(), QString());
    }

    /// The pair of frames on the screen is measured before the rest.
    void the_shown_frame_comes_at_once() {
        write_clip(home_.file("long_a.mp4"), 256, 144, 80, 0);
        write_clip(home_.file("long_b.mp4"), 256, 144, 80, 40);
        FrameCache cache;
        PreviewView view(cache);
        view.resize(400, 300);
        view.show();
        QSignalSpy opened(&view, &PreviewView::clip_opened);
        view.show_clip(Side::a, home_.file("long_a.mp4"));
        view.show_clip(Side::b, home_.file("long_b.mp4"));
        QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 2, 30000);
        view.player().go_to(70);
        QTRY_VERIFY_WITH_TIMEOUT(view.comparison().curve().at(70).has_value(), 20000);
        QTRY_COMPARE_WITH_TIMEOUT(view.comparison().done(), 80, 60000);
        ThreadPool pool(1);
        const auto a = frames_in_turn(home_.file("long_a.mp4")), b = frames_in_turn(home_.file("long_b.mp4"));
        QCOMPARE(view.comparison().curve().at(70)->ssim, metrics::compare_frames(rgb(a[70]), rgb(b[70]), pool).ssim);
        view.go_to_worst();
        QCOMPARE(view.player().frame(), view.comparison().worst());
        QCOMPARE(view.findChild<QToolButton*>("worst-frame")->text(),
                 QStringLiteral("lowest SSIM: frame %1").arg(view.comparison().worst() + 1));
    }

    /// If the worst frame is asked for before all frames are measured, the view goes there once it is known, unless the
    /// user has moved on in the meantime.
    void the_worst_frame_is_waited_for() {
        FrameCache cache;
        PreviewView view(cache);
        view.show_clip(Side::a, home_.file("a.mp4"));
        view.show_clip(Side::b, home_.file("b.mp4"));
        QTRY_VERIFY_WITH_TIMEOUT(view.info(Side::a) && view.info(Side::b), 30000);
        const Comparison& comparison = view.comparison();
        MetricsView metrics(view.comparison());
        for (const int offset : {1, 0}) { // another offset begins the measuring anew
            view.player().go_to(15);
            view.player().set_offset(offset);
            QVERIFY(!comparison.complete() && comparison.worst() < 0);
            view.go_to_worst();
            if (offset == 0) view.player().go_to(14);
            QTRY_VERIFY_WITH_TIMEOUT(comparison.complete(), 30000);
            QCOMPARE(view.player().frame(), offset == 0 ? 14 : comparison.worst());
            QVERIFY(comparison.worst() < 14);
        }
        const QString said = QStringLiteral(", worst frame %1").arg(comparison.worst() + 1);
        metrics.set_frame(3);
        QTRY_VERIFY2(metrics.accessibleDescription().contains(said), qPrintable(metrics.accessibleDescription()));
    }

    void clicking_and_keys_seek() {
        FrameCache cache;
        const auto a = cache.open(home_.file("a.mp4")), b = cache.open(home_.file("b.mp4"));
        QVERIFY(wait_open(*a) && wait_open(*b));
        Comparison comparison;
        MetricsView view(comparison);
        view.resize(500, 160);
        view.show();
        QSignalSpy asked(&view, &MetricsView::frame_requested);
        QTest::mouseClick(&view, Qt::LeftButton, {}, QPoint(250, 50));
        QCOMPARE(asked.count(), 0); // there is nothing to seek in
        comparison.start(*a, *b, by_number(0));
        QTRY_COMPARE_WITH_TIMEOUT(comparison.done(), 14, 30000);
        QTest::mouseClick(&view, Qt::LeftButton, {}, QPoint(488, 50));
        QCOMPARE(asked.back().front().toInt(), 15);
        QTest::mouseClick(&view, Qt::LeftButton, {}, QPoint(12, 50));
        QCOMPARE(asked.back().front().toInt(), 0);
        QTest::keyClick(&view, Qt::Key_Right);
        QCOMPARE(view.frame(), 1);
        QTest::keyClick(&view, Qt::Key_Right, Qt::ShiftModifier);
        QCOMPARE(view.frame(), 11);
        QTest::keyClick(&view, Qt::Key_Left);
        QCOMPARE(view.frame(), 10);
        QTest::keyClick(&view, Qt::Key_Left, Qt::ShiftModifier);
        QCOMPARE(view.frame(), 0);
        const auto move = [&](QPoint at, Qt::MouseButtons held) {
            QMouseEvent event(QEvent::MouseMove, at, view.mapToGlobal(at), Qt::NoButton, held, {});
            QApplication::sendEvent(&view, &event);
        };
        move({488, 50}, Qt::NoButton);
        QCOMPARE(view.frame(), 0);
        move({488, 50}, Qt::LeftButton);
        QCOMPARE(view.frame(), 15);
        QTest::keyClick(&view, Qt::Key_Home);
        QCOMPARE(view.frame(), 0);
        QTest::keyClick(&view, Qt::Key_End);
        QCOMPARE(view.frame(), 15);
        QSignalSpy worst_asked(&view, &MetricsView::worst_requested);
        QTest::keyClick(&view, Qt::Key_Return);
        QCOMPARE(worst_asked.count(), 1);
        QTRY_VERIFY(view.accessibleDescription().contains(QStringLiteral("PSNR")));
        // Numbers are written in the language of the window.
        const auto restored = qScopeGuard([before = QLocale()] { QLocale::setDefault(before); });
        QLocale::setDefault(QLocale(QLocale::German));
        view.set_frame(0);
        const QString value = QLocale().toString(*comparison.curve()[0]->psnr, 'f', 2);
        QTRY_VERIFY2(view.accessibleDescription().contains(value), qPrintable(view.accessibleDescription()));
    }

    /// If all frames are equal, there is no PSNR to write at its axis. The pointer's place must be forgotten with the
    /// pair that it was over.
    void axes_tell_figures_that_there_are() {
        FrameCache cache;
        const auto a = cache.open(home_.file("a.mp4")), b = cache.open(home_.file("b.mp4"));
        QVERIFY(wait_open(*a) && wait_open(*b));
        Comparison comparison;
        MetricsView view(comparison);
        view.resize(500, 160);
        view.show();
        const auto written = [&](int from) { // pixels of text in front of the curve
            const QImage drawn = view.grab().toImage();
            int pixels = 0;
            for (int x = 8; x < 30; ++x)
                for (int y = from; y < from + 50; ++y) pixels += drawn.pixel(x, y) != drawn.pixel(8, from);
            return pixels;
        };
        comparison.start(*a, *b, by_number(0));
        QTRY_COMPARE_WITH_TIMEOUT(comparison.done(), 14, 30000);
        QVERIFY(written(22) > 0 && written(96) > 0);
        QTest::mouseMove(&view, {480, 50});
        comparison.start(*b, *b, by_number(0));
        QTRY_COMPARE_WITH_TIMEOUT(comparison.done(), 14, 30000);
        QVERIFY(written(22) == 0 && written(96) > 0);
        const QImage before = view.grab().toImage();
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(&view, &leave);
        QCOMPARE(view.grab().toImage(), before);
    }

    /// The frame in sight and the worst frame are marked at their places in time.
    void marks_stand_at_their_frames() {
        FrameCache cache;
        const auto a = cache.open(home_.file("a.mp4")), b = cache.open(home_.file("b.mp4"));
        QVERIFY(wait_open(*a) && wait_open(*b));
        Comparison comparison;
        MetricsView view(comparison);
        view.resize(500, 160);
        view.show();
        // The first and the last column in which two pictures of the view differ, or -1 if they are equal.
        const auto changed = [](const QImage& one, const QImage& other) {
            std::pair<int, int> ends{-1, -1};
            for (int x = 0; x < one.width(); ++x)
                for (int y = 0; y < one.height(); ++y)
                    if (one.pixel(x, y) != other.pixel(x, y)) {
                        if (ends.first < 0) ends.first = x;
                        ends.second = x;
                    }
            return ends;
        };
        const auto flagged = [&](const QImage& drawn) {
            int pixels = 0;
            for (int x = 0; x < drawn.width(); ++x)
                for (int y = 0; y < drawn.height(); ++y)
                    pixels += drawn.pixel(x, y) == colours(view.palette()).warning.rgb();
            return pixels;
        };
        QCOMPARE(flagged(view.grab().toImage()), 0);
        comparison.start(*a, *b, by_number(0));
        QTRY_COMPARE_WITH_TIMEOUT(comparison.done(), 14, 30000);
        view.set_frame(0);
        const QImage first = view.grab().toImage();
        QVERIFY2(flagged(first) >= 10, qPrintable(QString::number(flagged(first))));
        view.set_frame(15);
        const auto [begin, end] = changed(first, view.grab().toImage());
        QVERIFY2(begin >= 0 && begin < 60 && end > view.width() - 30,
                 qPrintable(QStringLiteral("%1 to %2").arg(begin).arg(end)));
    }
};

QTEST_MAIN(MetricsTest)
#include "metrics_test.moc"
