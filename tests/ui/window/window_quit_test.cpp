// SPDX-License-Identifier: Apache-2.0
// The window is closed while files are being written.
#include <QCloseEvent>
#include <QDir>
#include <QLineEdit>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "app/project/cut_exporter.h"
#include "app/runs/draft_decoder.h"
#include "engine/media/image.h"
#include "engine/media/video_writer.h"
#include "engine/pipeline/run_layout.h"
#include "tests/app/arrivals.h"
#include "tests/ui/tune/sweeps.h"
#include "tests/ui/window/window_main.h"
#include "tests/ui/window/window_tools.h"
#include "ui/preview/preview_view.h"
#include "ui/steps/step_strip.h"

using namespace denoir;
using namespace denoir::ui;

class WindowQuitTest : public QObject {
    Q_OBJECT

    /// Also hidden files, since an unfinished file has a hidden name.
    static QStringList files_in(const QString& folder) {
        return QDir(folder).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot, QDir::Name);
    }
    /// Closes the window by its frame. Returns false if it stays open for now.
    static bool close_by_frame(StudioFixture& studio) {
        QCloseEvent event;
        QSpontaneKeyEvent::setSpontaneous(&event);
        return qApp->notify(&studio.window(), &event) && event.isAccepted();
    }
    /// A key and the window's frame have the same effect: a banner asks, and the window stays until the user stops the
    /// work.
    static void stays(StudioFixture& studio, const QString& words) {
        for (const bool by_key : {true, false}) {
            QVERIFY(!said(studio).contains("Quitting stops it"));
            if (by_key)
                studio.key(Qt::Key_Q, Qt::ControlModifier);
            else
                QVERIFY(!close_by_frame(studio));
            QVERIFY2(studio.window().banners().texts().contains(words),
                     qPrintable((by_key ? "key " : "frame ") + said(studio)));
            QVERIFY(studio.window().isVisible());
            if (by_key) close_banner(studio, "quit");
        }
    }

    /// Something that takes long is written after a file dialog was answered. If `begun`, its file is there first.
    static void stopped_only_when_told(std::optional<StudioFixture>& studio, const QString& folder, const char* name,
                                       bool begun) {
        QVERIFY(studio->answer_file_dialog(folder + QLatin1Char('/') + QLatin1String(name)));
        if (begun) QTRY_COMPARE_WITH_TIMEOUT(files_in(folder).size(), 1, 30000);
        stays(*studio, "An export is being written. Quitting stops it, and nothing of it is kept.");
        QVERIFY2(!files_in(folder).contains(QLatin1String(name)), name);
        QVERIFY(studio->press("Stop it and quit"));
        QTRY_VERIFY_WITH_TIMEOUT(!studio->window().isVisible(), 30000);
        studio.reset();
        QVERIFY2(files_in(folder).isEmpty(), qPrintable(files_in(folder).join(' ')));
    }

private slots:
    void a_cut_being_written_is_stopped_only_when_told() {
        const app::Home home;
        const QString folder = home.file("out");
        QVERIFY(QDir().mkpath(folder));
        app::write_clip(home.file("a.mp4"), 640, 360, 60);
        std::optional<StudioFixture> studio(std::in_place);
        load_tiny(*studio);
        for (int i = 0; i < 40; ++i) studio->core().project.add_shot(app::take_of_video(home.file("a.mp4")));
        app::Arrivals frames(&studio->core().exporter, &app::CutExporter::progressed);
        studio->find<QAction>("file.export")->trigger();
        QVERIFY(studio->answer_file_dialog(folder + "/cut.mkv"));
        QTRY_VERIFY_WITH_TIMEOUT(frames.count() > 0, 30000);
        stays(*studio, "An export is being written. Quitting stops it, and nothing of it is kept.");
        QVERIFY(studio->core().exporter.running());
        QCOMPARE(files_in(folder).size(), 1); // an unfinished file
        QVERIFY(studio->press("Stop it and quit"));
        QTRY_VERIFY_WITH_TIMEOUT(!studio->window().isVisible(), 30000);
        studio.reset();
        QCOMPARE(files_in(folder), QStringList());
        // The cut itself is there again.
        studio.emplace();
        QCOMPARE(studio->core().project.count(), 40);
    }

    void a_draft_being_kept_is_stopped_only_when_told() {
        const app::Home home;
        const QString run = listed_run(home, "first", 3, 1), folder = home.file("out");
        QVERIFY(QDir().mkpath(folder));
        std::optional<StudioFixture> studio(std::in_place);
        for (int i = 0; i < 400; ++i) studio->core().drafts.decode_step(run, 2); // these come before it
        emit studio->find<StepStrip>("run-steps")->keep_requested(run, 2);
        QVERIFY(studio->answer_file_dialog(folder + "/draft.mp4"));
        stays(*studio, "A draft is being written. Quitting stops it, and nothing of it is kept.");
        QVERIFY(studio->press("Stop it and quit"));
        QTRY_VERIFY_WITH_TIMEOUT(!studio->window().isVisible(), 30000);
        studio.reset();
        QCOMPARE(files_in(folder), QStringList());
    }

    void a_comparison_being_written_is_stopped_only_when_told() {
        const app::Home home;
        const QString folder = home.file("out");
        QVERIFY(QDir().mkpath(folder));
        for (const char* side : {"a", "b"}) {
            const auto frames = app::to_path(home.file(side));
            std::filesystem::create_directory(frames);
            write_png(frames / "00000.png", app::moving_picture(320, 180, 0, *side));
            for (int i = 1; i < 3000; ++i)
                std::filesystem::create_hard_link(frames / "00000.png", frames / fmt::format("{:05}.png", i));
        }
        std::optional<StudioFixture> studio(std::in_place);
        studio->window().viewer().compare(home.file("a"), home.file("b"));
        auto& preview = studio->window().preview();
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a) && preview.info(app::Side::b), 30000);
        studio->find<QAction>("compare.export-video")->trigger();
        stopped_only_when_told(studio, folder, "both.mp4", false);
    }

    void a_sweep_being_written_is_stopped_only_when_told() {
        const app::Home home;
        const QString folder = home.file("out");
        QVERIFY(QDir().mkpath(folder));
        const QString sweep = made_sweep(home, "sweep", {parse_axis("seed", "1..16")});
        VideoOptions options;
        options.width = 400, options.height = 224;
        VideoWriter video(app::to_path(home.file("long.mp4")), options);
        for (int i = 0; i < 3000; ++i) video.write(Image(400, 224)); // quickly, since nothing moves
        video.finish();
        const SweepFolder made = SweepFolder::open(app::to_path(sweep));
        for (const SweepCell& cell : made.record().cells) {
            std::filesystem::remove(cell.run / run_file::video);
            std::filesystem::create_hard_link(app::to_path(home.file("long.mp4")), cell.run / run_file::video);
        }
        std::optional<StudioFixture> studio(std::in_place, Layout::tune);
        show_sweep(*studio, sweep);
        studio->find<QAction>("tune.export-video")->trigger();
        stopped_only_when_told(studio, folder, "grid.mp4", true);
    }

    /// If nothing would be lost there is no question.
    void a_window_at_rest_closes_at_once() {
        for (const bool by_key : {true, false}) {
            const app::Home home;
            StudioFixture studio;
            if (by_key)
                studio.key(Qt::Key_Q, Qt::ControlModifier);
            else
                close_by_frame(studio);
            QTRY_VERIFY_WITH_TIMEOUT(!studio.window().isVisible(), 30000);
            QVERIFY(!said(studio).contains("Quitting"));
        }
    }
};

int main(int argc, char** argv) { return run_window_test<WindowQuitTest>(argc, argv); }

#include "window_quit_test.moc"
