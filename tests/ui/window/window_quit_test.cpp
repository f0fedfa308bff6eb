// SPDX-License-Identifier: Apache-2.0
// The window is closed while files are being written.
#include <QCloseEvent>
#include <QDir>
#include <QLineEdit>
#include <optional>

#include "app/project/cut_exporter.h"
#include "app/runs/draft_decoder.h"
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

    /// Hidden ones, too: what is not whole yet has a hidden name.
    static QStringList files_in(const QString& folder) {
        return QDir(folder).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot, QDir::Name);
    }
    /// By the cross in its frame: false where it stays for the time being.
    static bool close_by_frame(StudioFixture& studio) {
        QCloseEvent event;
        QSpontaneKeyEvent::setSpontaneous(&event);
        return qApp->notify(&studio.window(), &event) && event.isAccepted();
    }
    /// By key and by the window's frame alike: asked once more, it stays until it is told to stop.
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

    /// What is about to be written once a file dialog has been answered.
    static void stopped_only_when_told(std::optional<StudioFixture>& studio, const QString& folder, const char* name) {
        QVERIFY(studio->answer_file_dialog(folder + QLatin1Char('/') + QLatin1String(name)));
        QTRY_COMPARE_WITH_TIMEOUT(files_in(folder).size(), 1, 30000);
        stays(*studio, "An export is being written. Quitting stops it, and nothing of it is kept.");
        const QStringList half = files_in(folder);
        QVERIFY2(half.size() == 1 && half[0] != QLatin1String(name), qPrintable(half.join(' ')));
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
        QCOMPARE(files_in(folder).size(), 1); // half of it
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
        for (int i = 0; i < 400; ++i) studio->core().drafts.decode_step(run, 2); // before it in line
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
        for (const char* name : {"a.mp4", "b.mp4"}) app::write_clip(home.file(name), 320, 180, 250, *name);
        std::optional<StudioFixture> studio(std::in_place);
        studio->window().viewer().compare(home.file("a.mp4"), home.file("b.mp4"));
        auto& preview = studio->window().preview();
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a) && preview.info(app::Side::b), 30000);
        studio->find<QAction>("compare.export-video")->trigger();
        stopped_only_when_told(studio, folder, "both.mp4");
    }

    void a_sweep_being_written_is_stopped_only_when_told() {
        const app::Home home;
        const QString folder = home.file("out");
        QVERIFY(QDir().mkpath(folder));
        const QString sweep = made_sweep(home, "sweep", {parse_axis("seed", "1..4")}, 4000);
        std::optional<StudioFixture> studio(std::in_place, Layout::tune);
        show_sweep(*studio, sweep);
        studio->find<QAction>("tune.export-video")->trigger();
        stopped_only_when_told(studio, folder, "grid.mp4");
    }

    /// Nothing is asked where nothing would be lost.
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
