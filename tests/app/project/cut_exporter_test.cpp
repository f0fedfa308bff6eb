// SPDX-License-Identifier: Apache-2.0
#include "app/project/cut_exporter.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTest>
#include <fstream>

#include "app/base/text.h"
#include "app/clips/exact_clip.h"
#include "app/clips/thumbnails.h"
#include "engine/core/own_folders.h"
#include "engine/media/video_reader.h"
#include "tests/app/arrivals.h"
#include "tests/app/clips.h"
#include "tests/app/full_disk.h"
#include "tests/app/grey_clips.h"
#include "tests/app/home.h"

using namespace denoir;
using namespace denoir::app;

namespace {

std::vector<int> greys(const QString& file) {
    VideoReader reader(file.toStdString());
    std::vector<int> out;
    for (Image frame; reader.read(frame);)
        out.push_back(frame.rgb[3 * (frame.width * (frame.height / 2) + frame.width / 2) + 1]);
    return out;
}

} // namespace

class CutExporterTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        write_grey_clip(home_.file(QStringLiteral("a.mkv")), 10);
        write_grey_clip(home_.file(QStringLiteral("b.mkv")), 6, 32, 32, 100);
        write_grey_clip(home_.file(QStringLiteral("slow.mkv")), 6, 48, 32, 5, 12);
        project_.add_shot(take_of_video(home_.file(QStringLiteral("a.mkv"))));
        project_.add_shot(take_of_video(home_.file(QStringLiteral("b.mkv"))));
        QCOMPARE(project_.shot(0).current().frames, 10);
        QCOMPARE(project_.shot(1).current().width, 32);
        project_.trim(0, 2, 7);
        project_.trim(1, 1, 4);
    }

    void every_frame_is_the_right_one() {
        CutExporter exporter;
        Arrivals finished(&exporter, &CutExporter::finished), progress(&exporter, &CutExporter::progressed);
        const QString out = home_.file(QStringLiteral("cut.mkv"));
        QVERIFY(exporter.start(project_.shots(), out));
        QVERIFY(!exporter.start(project_.shots(), out));
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 30000);
        QVERIFY(greys(out) == (std::vector<int>{20, 30, 40, 50, 60, 110, 120, 130}));
        QCOMPARE(progress.last()[1].toInt(), 8);
        VideoReader reader(out.toStdString());
        QCOMPARE(reader.info().width, 48);
        Image frame;
        for (int i = 0; i < 6; ++i) reader.read(frame);
        QCOMPARE(int(frame.rgb[1]), 0); // a black bar beside the square picture
        QCOMPARE(int(frame.rgb[3 * 24 + 1]), 110);
    }

    void other_rates_and_kinds() {
        Project p;
        p.add_shot(take_of_video(home_.file(QStringLiteral("a.mkv"))));
        p.add_shot(take_of_video(home_.file(QStringLiteral("slow.mkv"))));
        p.trim(0, 0, 2);
        p.trim(1, 1, 4);
        CutExporter exporter;
        Arrivals finished(&exporter, &CutExporter::finished);
        exporter.start(p.shots(), home_.file(QStringLiteral("rates.mkv")));
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 30000);
        QVERIFY(greys(home_.file(QStringLiteral("rates.mkv"))) == (std::vector<int>{0, 10, 15, 15, 25, 25, 35, 35}));
        exporter.start(p.shots(), home_.file(QStringLiteral("frames")));
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, 30000);
        QCOMPARE(QDir(home_.file(QStringLiteral("frames"))).entryList(QDir::Files).size(), 8);
        exporter.start(p.shots(), home_.file(QStringLiteral("cut.mp4")));
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 3, 30000);
        QCOMPARE(greys(home_.file(QStringLiteral("cut.mp4"))).size(), std::size_t(8));
    }

    /// At half the rate each picture is the one in the middle of its time, and none comes from outside the trimmed
    /// part.
    void lower_rates_take_the_middle() {
        Project p;
        for (const char* name : {"slow.mkv", "a.mkv"}) p.add_shot(take_of_video(home_.file(QLatin1String(name))));
        p.trim(0, 0, 1);
        CutExporter exporter;
        Arrivals finished(&exporter, &CutExporter::finished);
        exporter.start(p.shots(), home_.file(QStringLiteral("half.mkv")));
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 30000);
        QVERIFY(greys(home_.file(QStringLiteral("half.mkv"))) == (std::vector<int>{5, 10, 30, 50, 70, 90}));
        p.trim(1, 2, 5);
        exporter.start(p.shots(), home_.file(QStringLiteral("odd.mkv")));
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, 30000);
        QVERIFY(greys(home_.file(QStringLiteral("odd.mkv"))) == (std::vector<int>{5, 30, 40}));
    }

    /// A cut with a still picture and with another program's frames has the size and rate of its videos.
    void stills_and_folders_of_frames() {
        const auto grey = [](int width, int height, int value) {
            Image image(width, height);
            std::fill(image.rgb.begin(), image.rgb.end(), std::uint8_t(value));
            return image;
        };
        write_png(to_path(home_.file("title.png")), grey(400, 300, 250));
        QDir(home_.path()).mkdir("sequence");
        for (int n = 8; n < 12; ++n)
            write_png(to_path(home_.file(QStringLiteral("sequence/%1.png").arg(n))), grey(48, 32, 20 * n));
        Project p;
        for (const char* name : {"title.png", "slow.mkv", "sequence"})
            p.add_shot(take_of(home_.file(QString::fromLatin1(name)), p.rate()));
        p.trim(0, 0, 6); // a quarter of a second
        p.trim(1, 4, 6);
        p.trim(2, 1, 4);
        CutExporter exporter;
        Arrivals finished(&exporter, &CutExporter::finished), failed(&exporter, &CutExporter::failed);
        const QString out = home_.file(QStringLiteral("pictures.mkv"));
        exporter.start(p.shots(), out);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 30000);
        QVERIFY(greys(out) == (std::vector<int>{250, 250, 250, 45, 55, 180, 200, 220}));
        QCOMPARE(VideoReader(out.toStdString()).info().width, 48);
        QCOMPARE(VideoReader(out.toStdString()).info().fps.value(), 12.0);
        // An output must not replace what is read.
        exporter.start(p.shots(), home_.file("sequence"));
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, 30000);
        Thumbnails thumbnails(1 << 20);
        Arrivals ready(&thumbnails, &Thumbnails::ready);
        QVERIFY(thumbnails.frame(home_.file("title.png"), 0, 24).isNull());
        QVERIFY(thumbnails.frame(home_.file("sequence"), 2, 24).isNull());
        QTRY_COMPARE_WITH_TIMEOUT(ready.count(), 2, 30000);
        QCOMPARE(qGreen(thumbnails.frame(home_.file("title.png"), 0, 24).pixel(5, 5)), 250);
        QCOMPARE(qGreen(thumbnails.frame(home_.file("sequence"), 2, 24).pixel(5, 5)), 200);
    }

    /// In the place of a damaged frame its neighbour is shown.
    void damaged_frames_have_their_neighbours_pictures() {
        const std::filesystem::path folder = to_path(home_.file("damaged"));
        std::filesystem::create_directory(folder);
        Image frame(48, 32);
        std::fill(frame.rgb.begin(), frame.rgb.end(), std::uint8_t{90});
        for (const char* name : {"f_0.png", "f_1.png", "f_2.png"}) write_png(folder / name, frame);
        const auto spoil = [&](const char* name) {
            QFile file(home_.file(QStringLiteral("damaged/") + QLatin1String(name)));
            QVERIFY(file.open(QIODevice::ReadWrite) && file.seek(45));
            file.write("xxxxxxxx");
        };
        spoil("f_1.png");
        Thumbnails thumbnails(1 << 20);
        Arrivals ready(&thumbnails, &Thumbnails::ready);
        QVERIFY(thumbnails.frame(home_.file("damaged"), 1, 24).isNull());
        QTRY_COMPARE_WITH_TIMEOUT(ready.count(), 1, 30000);
        QCOMPARE(qGreen(thumbnails.frame(home_.file("damaged"), 1, 24).pixel(5, 5)), 90);
    }

    /// Frames far into a long video are found by seeking, and must be as exact as those at its beginning.
    void far_into_a_long_video() {
        const QString video = home_.file(QStringLiteral("hours.mkv"));
        write_grey_clip(video, 600);
        Project p;
        p.add_shot(take_of_video(video));
        p.trim(0, 580, 584);
        CutExporter exporter;
        Arrivals finished(&exporter, &CutExporter::finished);
        exporter.start(p.shots(), home_.file(QStringLiteral("far.mkv")));
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 30000);
        const auto grey = [](int frame) { return 10 * frame % 256; };
        QVERIFY(greys(home_.file(QStringLiteral("far.mkv"))) ==
                (std::vector<int>{grey(580), grey(581), grey(582), grey(583)}));
        Thumbnails thumbnails(1 << 20);
        Arrivals ready(&thumbnails, &Thumbnails::ready);
        for (const int frame : {3, 590, 4000}) QVERIFY(thumbnails.frame(video, frame, 24).isNull());
        QTRY_COMPARE_WITH_TIMEOUT(ready.count(), 3, 30000);
        QCOMPARE(qGreen(thumbnails.frame(video, 3, 24).pixel(5, 5)), grey(3));
        QCOMPARE(qGreen(thumbnails.frame(video, 590, 24).pixel(5, 5)), grey(590));
        QCOMPARE(qGreen(thumbnails.frame(video, 4000, 24).pixel(5, 5)), grey(599));
    }

    /// Counting the frames before a shot far into a video may take a minute.
    void counting_frames_is_cancelled_too() {
        const QString gif = home_.file(QStringLiteral("long.gif"));
        QByteArray content("GIF89a\x02\0\x02\0\x80\0\0\0\0\0\xff\xff\xff", 19); // 2x2 pixels, black and white
        const QByteArray frame("\x21\xf9\x04\x04\x0a\0\0\0\x2c\0\0\0\0\x02\0\x02\0\0\x02\x02\x84\x51\0", 23);
        QFile file(gif);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content + frame.repeated(500'000) + ';');
        file.close();
        Take take = take_of_video(home_.file(QStringLiteral("a.mkv")));
        take.video = gif, take.frames = 500'000;
        Project p;
        p.add_shot(take);
        p.trim(0, 400, 410);
        CutExporter exporter;
        Arrivals cancelled(&exporter, &CutExporter::cancelled);
        QVERIFY(exporter.start(p.shots(), home_.file(QStringLiteral("counted.mkv"))));
        QTest::qWait(500);
        QVERIFY(exporter.running());
        QElapsedTimer timer;
        timer.start();
        exporter.cancel();
        QTRY_COMPARE_WITH_TIMEOUT(cancelled.count(), 1, 120000);
        QVERIFY2(timer.elapsed() < 3000, qPrintable(QString::number(timer.elapsed())));
    }

    void cancel_and_failures_leave_nothing() {
        write_grey_clip(home_.file(QStringLiteral("long.mkv")), 200, 256, 256);
        Project p;
        for (int i = 0; i < 8; ++i) p.add_shot(take_of_video(home_.file(QStringLiteral("long.mkv"))));
        CutExporter exporter;
        Arrivals cancelled(&exporter, &CutExporter::cancelled), failed(&exporter, &CutExporter::failed);
        Arrivals progress(&exporter, &CutExporter::progressed);
        const QString out = home_.file(QStringLiteral("never.mp4"));
        exporter.start(p.shots(), out);
        QTRY_VERIFY_WITH_TIMEOUT(progress.count() > 0, 30000);
        exporter.cancel();
        QTRY_COMPARE_WITH_TIMEOUT(cancelled.count(), 1, 30000);
        QVERIFY(!QFile::exists(out));
        // The output is one of the inputs; then a shot's file is gone; then there are no shots.
        exporter.start(p.shots(), home_.file(QStringLiteral("long.mkv")));
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, 30000);
        QFile::rename(home_.file(QStringLiteral("long.mkv")), home_.file(QStringLiteral("gone.mkv")));
        exporter.start(p.shots(), out);
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 2, 30000);
        exporter.start({}, out);
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 3, 30000);
        for (const auto& f : failed) QVERIFY(!f[0].value<Issue>().hint.isEmpty());
        QVERIFY(QDir(home_.path())
                    .entryList({QStringLiteral("*partial*"), QStringLiteral("never*")}, QDir::Files | QDir::Hidden)
                    .isEmpty());
    }

    /// A full disk must be reported at once, whether a video, frames or a run's decoded pictures are written.
    void a_full_disk_is_told() {
        const QString run = tiny_run(home_.file(QStringLiteral("full")));
        Project decoded;
        decoded.add_shot(take_of_run(run));
        for (const auto& [shots, out] :
             {std::pair(project_.shots(), "full.mp4"), std::pair(project_.shots(), "full.mkv"),
              std::pair(project_.shots(), "frames-of-it"), std::pair(decoded.shots(), "decoded.mp4")}) {
            CutExporter exporter;
            Arrivals failed(&exporter, &CutExporter::failed), finished(&exporter, &CutExporter::finished);
            const FullDisk full;
            QVERIFY(exporter.start(shots, home_.file(QLatin1String(out))));
            QTRY_VERIFY2_WITH_TIMEOUT(failed.count() + finished.count() == 1, out, 30000);
            QVERIFY2(failed.count() == 1 && failed[0][0].value<Issue>().file.contains(QLatin1String(out)), out);
        }
    }

    /// A shot of a run shows the frames that its latents decode to, not those of its H.264 video.
    void runs_are_decoded_from_their_latents() {
        const QString run = tiny_run(home_.file(QStringLiteral("run")));
        Project p;
        p.add_shot(take_of_run(run));
        p.split(0, 4);
        p.move_shot(1, 0);
        auto expected = frames_in_turn(exact_clip(run, {}, [](double, double) {}));
        QCOMPARE(expected.size(), std::size_t(9));
        std::rotate(expected.begin(), expected.begin() + 4, expected.end());
        const QDir decoded(QString::fromStdString((cache_folder() / "decoded").string()));
        QVERIFY(QDir(decoded).removeRecursively());

        CutExporter exporter;
        Arrivals finished(&exporter, &CutExporter::finished), noticed(&exporter, &CutExporter::noticed);
        Arrivals decoding(&exporter, &CutExporter::decoding);
        const QString out = home_.file(QStringLiteral("latents.mkv"));
        exporter.start(p.shots(), out);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60000);
        QVERIFY(frames_in_turn(out) == expected);
        QVERIFY(decoding.count() > 0);
        QCOMPARE(noticed.count(), 0);

        // If the latents are damaged the video is used instead, with a message.
        QVERIFY(QDir(decoded).removeRecursively());
        QFile latents(run + QStringLiteral("/latents/step_003.safetensors"));
        QVERIFY(latents.open(QIODevice::ReadWrite) && latents.seek(latents.size() - 1));
        const char other = latents.peek(1) == QByteArray("\x55") ? '\x66' : '\x55';
        QCOMPARE(latents.write(&other, 1), qint64(1));
        latents.close();
        exporter.start(p.shots(), home_.file(QStringLiteral("video.mkv")));
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, 60000);
        QVERIFY(noticed.count() > 0);
        QVERIFY2(noticed[0][0].toString().contains(QStringLiteral("step_003")), qPrintable(noticed[0][0].toString()));
        auto coded = frames_in_turn(run + QStringLiteral("/video.mp4"));
        std::rotate(coded.begin(), coded.begin() + 4, coded.end());
        QVERIFY(frames_in_turn(home_.file(QStringLiteral("video.mkv"))) == coded);
        QVERIFY(coded != expected);
    }

    /// Decoding another run must not remove clips that are about to be read, however large they are.
    void decoded_clips_in_use_stay() {
        namespace fs = std::filesystem;
        const QString run = tiny_run(home_.file(QStringLiteral("kept")));
        const fs::path decoded = cache_folder() / "decoded";
        fs::remove_all(decoded);
        fs::create_directories(decoded);
        std::vector<fs::path> others;
        for (int i = 1; i <= 5; ++i) {
            others.push_back(decoded / ("other-" + std::to_string(i) + ".mkv"));
            std::ofstream(others.back()).put('x');
            fs::resize_file(others.back(), std::uintmax_t{5} << 30); // a hole takes no space
            fs::last_write_time(others.back(), fs::file_time_type::clock::now() - std::chrono::minutes(i));
        }
        const QString clip = exact_clip(run, {}, [](double, double) {});
        QVERIFY(QFile::exists(clip));
        for (int i = 0; i < 5; ++i) QCOMPARE(fs::exists(others[std::size_t(i)]), i < 3);
        fs::remove_all(decoded);
    }

    void thumbnails_come_later_and_are_bounded() {
        Thumbnails thumbnails(256 << 10);
        Arrivals ready(&thumbnails, &Thumbnails::ready);
        const QString video = home_.file(QStringLiteral("a.mkv"));
        QVERIFY(thumbnails.frame(video, 3, 24).isNull());
        QVERIFY(thumbnails.frame(video, 7, 24).isNull());
        QVERIFY(thumbnails.frame(video, 99, 24).isNull());
        QTRY_COMPARE_WITH_TIMEOUT(ready.count(), 3, 30000);
        QCOMPARE(thumbnails.frame(video, 3, 24).size(), QSize(24, 16));
        QCOMPARE(qGreen(thumbnails.frame(video, 3, 24).pixel(5, 5)), 30);
        QCOMPARE(qGreen(thumbnails.frame(video, 7, 24).pixel(5, 5)), 70);
        QCOMPARE(qGreen(thumbnails.frame(video, 99, 24).pixel(5, 5)), 90);
        const QString broken = home_.file(QStringLiteral("broken.png"));
        QFile file(broken);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("\x89PNG\r\n\x1a\nnot really");
        file.close();
        QVERIFY(thumbnails.picture(broken, 64).isNull());
        QTest::qWait(100);
        QCOMPARE(ready.count(), 3);
        thumbnails.forget(video);
        QVERIFY(thumbnails.frame(video, 3, 24).isNull());
    }

private:
    Home home_;
    Project project_;
};

QTEST_GUILESS_MAIN(CutExporterTest)
#include "cut_exporter_test.moc"
