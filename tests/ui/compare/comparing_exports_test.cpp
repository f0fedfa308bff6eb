// SPDX-License-Identifier: Apache-2.0
// What the layout Compare writes to files.
#include <QFile>

#include "tests/ui/compare/compared_runs.h"
#include "tests/ui/window/window_main.h"
#include "tests/ui/window/window_tools.h"

using namespace denoir::ui;
namespace app = denoir::app;

class ComparingExportsTest : public QObject {
    Q_OBJECT

    /// Triggers an action that exports, answers its dialog, and returns what it has written.
    static QString exported(StudioFixture& studio, const QString& out, const char* action) {
        studio.window().actions().at(action)->trigger();
        if (!studio.answer_file_dialog(out)) return {};
        const auto written = [&] { return studio.window().banners().texts().join('\n').contains("Written: " + out); };
        (void)QTest::qWaitFor(written, 60000);
        QFile file(out);
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }

private slots:
    /// An export is made of the decoded latents if these are compared, and otherwise of the videos. Both videos are
    /// called video.mp4, so each is named with its run.
    void an_export_is_of_what_is_shown() {
        const app::Home home;
        StudioFixture studio(Layout::compare);
        auto& preview = studio.window().preview();
        studio.window().viewer().compare(run_with(home.file("one"), 2), run_with(home.file("two"), 3));
        QVERIFY(both_open(preview));
        const auto report = [&](const QString& name) {
            return exported(studio, home.file(name), "compare.export-report");
        };
        QTRY_VERIFY_WITH_TIMEOUT(preview.comparison().by_latents(), 20000);
        QVERIFY(report("latents.html").contains("decoded from its latents"));
        preview.comparison().set_prefers_exact(false);
        const QString videos = report("videos.html");
        QVERIFY(videos.contains("two/video.mp4 against one/video.mp4"));
        QVERIFY(!videos.contains("decoded from its latents"));
        const auto frames = preview.info(app::Side::a)->frames;
        const QStringList figures =
            exported(studio, home.file("figures.csv"), "compare.export-csv").trimmed().split('\n');
        QCOMPARE(figures.size(), qsizetype(1 + frames));
        QVERIFY2(figures[0].contains("psnr"), qPrintable(figures[0]));
        QVERIFY(!exported(studio, home.file("difference.mkv"), "compare.export-difference").isEmpty());
        QCOMPARE(app::open_clip(home.file("difference.mkv"))->info().frames, frames);
    }

    /// The video of the difference has the colours for its sign and the amplification that were chosen on the screen.
    void a_difference_is_written_as_it_is_seen() {
        const app::Home home;
        app::write_clip(home.file("a.mp4"), 64, 48, 3);
        app::write_clip(home.file("b.mp4"), 64, 48, 3, 5);
        StudioFixture studio(Layout::compare);
        auto& preview = studio.window().preview();
        studio.window().viewer().compare(home.file("a.mp4"), home.file("b.mp4"));
        QVERIFY(both_open(preview));
        preview.player().pause();
        preview.player().go_to(0);
        QTRY_VERIFY_WITH_TIMEOUT(preview.is_settled(app::Side::a) && preview.is_settled(app::Side::b), 30000);
        preview.set_mode(CompareMode::difference);
        preview.canvas().zoom_to(1);
        for (const int gain : {2, 16}) {
            preview.set_gain(gain);
            const QString out = home.file(QString("times-%1.mkv").arg(gain));
            QVERIFY(!exported(studio, out, "compare.export-difference").isEmpty());
            const denoir::Image written = app::open_clip(out)->read(0);
            const QImage screen = preview.canvas().grab().toImage();
            const QPoint corner = preview.canvas().picture_rect().topLeft().toPoint();
            bool orange = false;
            for (int y = 0; y < 48; ++y)
                for (int x = 0; x < 64; ++x) {
                    const std::uint8_t* p = written.row(y) + 3 * x;
                    orange = orange || p[0] > p[2] + 40;
                    QCOMPARE(screen.pixel(corner + QPoint(x, y)), qRgb(p[0], p[1], p[2]));
                }
            QVERIFY(orange);
        }
    }

    /// B is scaled to the size of A for the video, and the user is told so. Exports that measure or subtract are
    /// refused for two sizes, as window_actions_test shows.
    void two_sizes_are_written_side_by_side() {
        const app::Home home;
        app::write_clip(home.file("a.mp4"), 64, 48, 5);
        app::write_clip(home.file("b.mp4"), 32, 48, 5);
        StudioFixture studio(Layout::compare);
        studio.window().viewer().compare(home.file("a.mp4"), home.file("b.mp4"));
        QVERIFY(both_open(studio.window().preview()));
        QVERIFY(!exported(studio, home.file("both.mkv"), "compare.export-video").isEmpty());
        QCOMPARE(app::open_clip(home.file("both.mkv"))->info().frames, 5);
        const auto scaled = [&] { return said(studio).contains(QString::fromUtf8("B, which is 32 × 48, was scaled")); };
        QVERIFY2(scaled(), qPrintable(said(studio)));
        // The next export must not repeat this notice.
        studio.window().viewer().compare({}, home.file("a.mp4"));
        QTRY_COMPARE_WITH_TIMEOUT(studio.window().preview().info(app::Side::b)->path, home.file("a.mp4"), 30000);
        QVERIFY(!exported(studio, home.file("same.mkv"), "compare.export-video").isEmpty());
        QVERIFY2(!scaled(), qPrintable(said(studio)));
    }
};

int main(int argc, char** argv) { return run_window_test<ComparingExportsTest>(argc, argv); }

#include "comparing_exports_test.moc"
