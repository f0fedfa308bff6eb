// SPDX-License-Identifier: Apache-2.0
// What the layout Compare tells of A and B, and how they are chosen.
#include <QAction>
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QSignalSpy>
#include <QSpinBox>
#include <QToolButton>
#include <QTreeWidget>

#include "app/base/text.h"
#include "app/project/project.h"
#include "app/request/request_document.h"
#include "app/runs/engine_worker.h"
#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"
#include "engine/media/frame_folder.h"
#include "engine/session/run_folder.h"
#include "tests/app/arrivals.h"
#include "tests/app/clips.h"
#include "tests/ui/compare/compared_runs.h"
#include "tests/ui/window/window_main.h"
#include "tests/ui/window/window_tools.h"
#include "ui/compare/compare_bar.h"
#include "ui/compare/differences_panel.h"
#include "ui/docks/runs_panel.h"
#include "ui/preview/metrics_view.h"
#include "ui/tune/cell_text.h"

using namespace denoir;
using namespace denoir::ui;

class ComparingTest : public QObject {
    Q_OBJECT

    static void drop(QWidget& target, const QStringList& files, QPoint at) {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString& file : files) urls << QUrl::fromLocalFile(file);
        data.setUrls(urls);
        QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&target, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent event(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&target, &event);
        QVERIFY(looked_at(*target.window()));
    }
    static QStringList offered(StudioFixture& studio, const char* button) {
        QMenu* menu = studio.find<QToolButton>(button)->menu();
        emit menu->aboutToShow();
        QStringList out;
        for (const QAction* action : menu->actions()) out << action->text();
        return out;
    }

private slots:
    /// A video carries its request or lies beside its run, so that it is told apart from another as a run is. A foreign
    /// video is said to carry no parameters.
    void files_are_told_apart_as_runs_are() {
        const app::Home home;
        StudioFixture studio(Layout::compare, Scheme::dark, {1600, 1000});
        auto& preview = studio.window().preview();
        const QString a = run_with(home.file("a"), 2), b = run_with(home.file("b"), 3);
        QVERIFY(QFile::copy(a + ".mp4", home.file("copied.mp4")));
        const auto* panel = studio.window().findChild<DifferencesPanel*>();
        const QList<QStringList> guidance{{"guidance", "2", "3"}};
        for (const auto& [first, second] :
             {std::pair{home.file("copied.mp4"), b + "/video.mp4"}, {a + ".mp4", b}, {a, b + "/video.mp4"}}) {
            studio.window().viewer().compare(first, second);
            const bool told = QTest::qWaitFor([&] { return panel->rows() == guidance; }, 30000);
            QStringList rows;
            for (const QStringList& row : panel->rows()) rows << row.join(' ');
            QVERIFY2(told, qPrintable(first + ", " + second + ": " + rows.join('\n')));
            const auto* name = studio.find<QToolButton>("choose-a");
            QTRY_VERIFY_WITH_TIMEOUT(name->toolTip().endsWith("· guidance 2"), 30000);
            studio.window().actions().at("compare.end")->trigger();
        }
        app::write_clip(home.file("other.mp4"), 64, 48, 6);
        studio.window().viewer().compare(a, home.file("other.mp4"));
        QVERIFY(QTest::qWaitFor([&] { return preview.info(app::Side::b) != nullptr; }, 30000));
        const auto words = [panel] {
            QStringList all;
            for (const auto* label : panel->findChildren<QLabel*>())
                if (label->isVisible()) all << label->text();
            return all.join(' ');
        };
        QTRY_VERIFY2_WITH_TIMEOUT(words().contains("B does not carry the parameters"), qPrintable(words()), 30000);
        QVERIFY(panel->rows().isEmpty());
    }

    /// A long prompt is cut at its end, so that the seed behind it can still be read.
    void the_seed_is_read_in_a_narrow_bar() {
        const app::Home home;
        StudioFixture studio(Layout::compare);
        auto* bar = studio.window().findChild<CompareBar*>();
        bar->set_name(app::Side::a,
                      QString("A red balloon rises over the sea at sunset. ").repeated(4) + "· seed 12345");
        bar->set_detail(app::Side::a, "guidance 2");
        const QString text = studio.find<QToolButton>("choose-a")->text();
        QVERIFY2(text.startsWith("A red") && text.endsWith(QString::fromUtf8("… · seed 12345 · guidance 2")),
                 qPrintable(text));
        bar->set_name(app::Side::a, "Rhythm&blues"); // the ampersand is no key and is not lost
        QCOMPARE(studio.find<QToolButton>("choose-a")->text(), QString("Rhythm&&blues"));
        QVERIFY(studio.find<QToolButton>("choose-a")->shortcut().isEmpty());
    }

    /// While a pair is being read, it must not be told apart by the differences of the pair before.
    void what_is_read_is_not_taken_for_what_was_read_before() {
        DifferencesPanel panel;
        QSignalSpy told(&panel, &DifferencesPanel::told_apart);
        const auto with = [](int guidance) {
            return DifferencesPanel::Source{true, {}, QString(R"({"schema": 1, "guidance": %1})").arg(guidance)};
        };
        const auto a = [&] { return told.isEmpty() ? QString() : told.last()[0].toString(); };
        panel.set_sources(with(2), with(3));
        QTRY_COMPARE_WITH_TIMEOUT(a(), QStringLiteral("guidance 2"), 30000);
        panel.set_sources(with(4), with(5));
        panel.findChild<QToolButton*>("only-differences")->toggle();
        QCOMPARE(a(), QString());
        QTRY_COMPARE_WITH_TIMEOUT(a(), QStringLiteral("guidance 4"), 30000);
    }

    /// Most of the room belongs to the values, however long the names of the parameters are.
    void names_of_parameters_leave_room() {
        DifferencesPanel panel;
        panel.resize(260, 300);
        panel.show();
        panel.findChild<QToolButton*>("only-differences")->setChecked(false);
        const QString request =
            R"({"schema": 1, "prompt": "a", "negative_prompt": "b", "steps": 3, "guidance_low": 2})";
        panel.set_sources({true, {}, request}, {true, {}, request});
        QVERIFY(panel.rows().isEmpty()); // requests are read in the background, as a disk may be slow
        auto* table = panel.findChild<QTreeWidget*>("differences");
        QTRY_VERIFY_WITH_TIMEOUT(!panel.rows().isEmpty(), 30000);
        for (const int width : {260, 220, 180, 150, 600}) {
            panel.resize(width, 300);
            QTest::qWait(1);
            QVERIFY2(table->header()->sectionSize(0) <= 0.4 * table->viewport()->width(),
                     qPrintable(QString::number(width)));
            QVERIFY2(table->header()->length() <= table->viewport()->width(), qPrintable(QString::number(width)));
            QCOMPARE(table->topLevelItem(0)->toolTip(0), panel.rows()[0][0]);
        }
    }

    /// The bar over the picture takes a file that is dropped on A or on B. Two files at once become both.
    void files_are_dropped_on_a_and_b() {
        const app::Home home;
        StudioFixture studio(Layout::compare);
        auto& preview = studio.window().preview();
        for (const auto& [name, frames] : {std::pair{"three.mp4", 3}, {"four.mp4", 4}, {"five.mp4", 5}})
            app::write_clip(home.file(name), 64, 48, frames);
        const auto shown = [&](int a, int b) {
            return QTest::qWaitFor(
                [&] {
                    const auto *one = preview.info(app::Side::a), *other = preview.info(app::Side::b);
                    return one && other && one->frames == a && other->frames == b;
                },
                20000);
        };
        auto* bar = studio.window().findChild<CompareBar*>();
        drop(*bar, {home.file("three.mp4")}, {bar->width() / 4, 8});
        drop(*bar, {home.file("four.mp4")}, {bar->width() * 3 / 4, 8});
        QVERIFY(shown(3, 4));
        QVERIFY2(preview.comparison().note().contains("A has 3 frames, B 4; paired: 3"),
                 qPrintable(preview.comparison().note()));
        drop(preview, {home.file("four.mp4"), home.file("five.mp4")}, {80, 80});
        QVERIFY(shown(4, 5));
        drop(*bar, {home.file("five.mp4"), home.file("three.mp4")}, {8, 8});
        QVERIFY(shown(5, 3));
    }

    /// Tool tips and descriptions must name the keys that the user has chosen, and not those of the beginning.
    void tips_name_the_keys_of_the_moment() {
        const app::Home home;
        StudioFixture studio(Layout::compare);
        auto& actions = studio.window().actions();
        const QToolButton* wipe = nullptr;
        for (const auto* button : studio.window().preview().findChildren<QToolButton*>())
            if (button->text() == "Wipe") wipe = button;
        QVERIFY(wipe);
        QCOMPARE(actions.tip(*wipe), QString("Wipe: drag the line (W)"));
        const auto* offset = studio.window().preview().findChild<QSpinBox*>();
        QVERIFY2(actions.tip(*offset).endsWith("(Alt+Left, Alt+Right)"), qPrintable(actions.tip(*offset)));
        actions.set_shortcuts("compare.wipe", {QKeySequence("Ctrl+9")});
        actions.set_shortcuts("compare.shift-back", {});
        QCOMPARE(actions.tip(*wipe), QString("Wipe: drag the line (Ctrl+9)"));
        QVERIFY2(actions.tip(*offset).endsWith("(Alt+Right)"), qPrintable(actions.tip(*offset)));
        const auto* timeline = studio.find<QWidget>("timeline");
        QVERIFY(timeline->accessibleDescription().contains("press T on"));
        actions.set_shortcuts("run.to-timeline", {QKeySequence("Ctrl+T")});
        QVERIFY(timeline->accessibleDescription().contains("press Ctrl+T on"));
    }

    /// The folder of a sweep holds a picture of its grid, but must not be taken for a clip of one frame.
    void a_sweep_dropped_on_the_picture_opens_as_one() {
        const app::Home home;
        StudioFixture studio;
        QVERIFY(QDir().mkpath(home.file("sweep")));
        QImage grid(64, 48, QImage::Format_RGB32);
        grid.fill(Qt::red);
        QVERIFY(grid.save(home.file("sweep/grid.png")));
        QFile sweep(home.file("sweep/sweep.json"));
        QVERIFY(sweep.open(QIODevice::WriteOnly) && sweep.write("{}") > 0);
        sweep.close();
        drop(studio.window().preview(), {home.file("sweep")}, {80, 80});
        QCOMPARE(studio.window().layouts().current(), Layout::tune);
    }

    /// Of several files that are dropped on the window at once, none may be left out.
    void several_files_dropped_are_all_used() {
        const app::Home home;
        StudioFixture studio;
        auto& window = studio.window();
        for (const char* name : {"a.mp4", "b.mp4", "c.mp4"}) app::write_clip(home.file(name), 64, 48, 5);
        for (const char* name : {"one.png", "two.png"}) {
            QImage picture(64, 48, QImage::Format_RGB32);
            picture.fill(Qt::red);
            QVERIFY(picture.save(home.file(name)));
        }
        const auto& document = studio.core().document;
        drop(window, {home.file("one.png"), home.file("two.png")}, {5, 5});
        QTRY_COMPARE(document.value("image").toString(), home.file("one.png"));
        QTRY_COMPARE(document.value("last_image").toString(), home.file("two.png"));
        drop(window.preview(), {home.file("two.png"), home.file("one.png")},
             {80, 80}); // also if they are dropped on the picture
        QTRY_COMPARE(document.value("image").toString(), home.file("two.png"));
        drop(window, {home.file("a.mp4"), home.file("b.mp4"), home.file("c.mp4")}, {5, 5});
        QTRY_COMPARE_WITH_TIMEOUT(studio.core().project.count(), 3, 30000);
        QCOMPARE(window.layouts().current(), Layout::create);
        QFile request(home.file("request.json"));
        QVERIFY(request.open(QIODevice::WriteOnly) && request.write(R"({"schema": 1, "steps": 3})") > 0);
        request.close();
        drop(window, {home.file("a.mp4"), home.file("request.json")},
             {5, 5}); // each is opened as if it had been dropped alone
        QTRY_COMPARE(document.value("steps").toInt(), 3);
        QTRY_VERIFY_WITH_TIMEOUT(window.preview().info(app::Side::a), 30000);
        drop(window, {home.file("a.mp4"), home.file("b.mp4")}, {5, 5});
        QCOMPARE(window.layouts().current(), Layout::compare);
        QVERIFY(both_open(window.preview()));
    }

    /// A file with a request or a sweep may ask to branch from a run. The parameters take that over, and forget it with
    /// the next file.
    void a_file_can_ask_for_a_branch() {
        const app::Home home;
        StudioFixture studio;
        auto& window = studio.window();
        const QString run = run_with(home.file("r"), 2);
        const auto open = [&](const char* name, const char* text) {
            QFile file(home.file(QLatin1String(name)));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(QByteArray(text).replace("RUN", run.toUtf8())) > 0);
            file.close();
            drop(window, {file.fileName()}, {5, 5});
        };
        const auto& asked = studio.core().document;
        open("branch.json", R"({"schema": 1, "prompt": "a branch", "start": {"run": "RUN", "step": 1}})");
        QTRY_COMPARE(asked.asked().prompt, std::string("a branch"));
        QVERIFY(asked.asked().start && asked.asked().start->run == app::to_path(run));
        QCOMPARE(asked.asked().start->step, 1);
        open("plain.json", R"({"schema": 1, "prompt": "none"})");
        QTRY_COMPARE(asked.asked().prompt, std::string("none"));
        QVERIFY(!asked.asked().start);
        open("sweep.json", R"({"schema": 1, "request": {"prompt": "many", "start": {"run": "RUN", "step": 1}},
                               "axes": {"guidance": [1, 3]}})");
        QTRY_COMPARE(asked.asked().prompt, std::string("many"));
        QVERIFY(asked.asked().start && asked.asked().start->run == app::to_path(run));
    }

    /// The video of a run that is opened as a file is measured as that file and not by the latents of its run, with
    /// which the user may be comparing it.
    void a_video_opened_as_a_file_is_what_is_measured() {
        const app::Home home;
        StudioFixture studio(Layout::compare);
        const QString a = run_with(home.file("a"), 2);
        studio.window().viewer().compare(a, a + "/video.mp4");
        QVERIFY(both_open(studio.window().preview()));
        const auto& comparison = studio.window().preview().comparison();
        QTRY_VERIFY_WITH_TIMEOUT(comparison.complete(), 60000);
        QVERIFY(!comparison.can_be_exact());
    }

    /// Runs whose usual words are the same are told apart by what differs in their requests, and then by their time.
    void menus_tell_runs_apart() {
        const app::Home home;
        for (const double shift : {3.0, 5.0, 5.0}) { // the usual words do not contain it
            Request r = app::tiny_request();
            r.prompt = "a red balloon";
            r.steps = 2;
            r.shift = shift;
            r.seed = 7;
            RenderOptions options;
            options.run_dir = new_run_folder(r);
            options.out = options.run_dir / "video.mp4";
            Observer observer;
            Engine engine(Residency::Span::run);
            render(r, options, engine, observer, {});
        }
        StudioFixture studio(Layout::compare);
        QVERIFY(QTest::qWaitFor([&] { return studio.core().history.rowCount() == 3; }, 30000));
        QVERIFY(offered(studio, "choose-b").size() >= 3);
        // The differences are read while the menu is open, and reach it even if it was filled anew in the meantime.
        QVERIFY(!offered(studio, "choose-b").join(' ').contains("shift"));
        const auto text = [&](int i) { return studio.find<QToolButton>("choose-b")->menu()->actions().at(i)->text(); };
        QTRY_VERIFY2_WITH_TIMEOUT(text(2).endsWith("· shift 3"), qPrintable(text(2)), 30000);
        QVERIFY2(text(0).contains("· shift 5 · "), qPrintable(text(0)));
    }

    /// Cells of a sweep may have clips of different lengths. They are measured over the frames that both have, and a
    /// note says so, but they count as compared.
    void figures_with_a_note_are_figures() {
        SweepCell cell;
        QVERIFY(!is_compared(cell));
        cell.figures = SweepCell::Figures{.note = "size is 64x48, but A is 128x80"};
        QVERIFY(!is_compared(cell));
        cell.figures->note = "over 5 frames: it has 9, the reference 5";
        cell.figures->psnr = 31.5;
        QVERIFY(is_compared(cell));
        cell.figures = SweepCell::Figures{}; // the clips are equal
        QVERIFY(is_compared(cell));
    }

    /// The menu Compare can compare the clip in sight with a folder of frames.
    void a_folder_of_frames_can_be_chosen() {
        const app::Home home;
        StudioFixture studio(Layout::compare);
        auto& preview = studio.window().preview();
        app::write_clip(home.file("a.mp4"), 64, 48, 4);
        {
            FrameFolderWriter writer(app::to_path(home.file("frames")), {});
            for (int i = 0; i < 4; ++i) writer.write(app::moving_picture(64, 48, i));
            writer.finish();
        }
        preview.show_clip(app::Side::a, home.file("a.mp4"));
        QVERIFY(QTest::qWaitFor([&] { return preview.info(app::Side::a) != nullptr; }, 30000));
        studio.window().actions().at("compare.with-folder")->trigger();
        QVERIFY(studio.answer_file_dialog(home.file("frames")));
        QVERIFY(both_open(preview));
        QCOMPARE(preview.info(app::Side::b)->kind, app::ClipInfo::Kind::folder);
        // The folder may also be named beside a video on the command line.
        studio.window().actions().at("compare.end")->trigger();
        studio.open({home.file("a.mp4"), home.file("frames")});
        QVERIFY(both_open(preview));
        QCOMPARE(preview.info(app::Side::a)->kind, app::ClipInfo::Kind::video);
        QCOMPARE(preview.info(app::Side::b)->kind, app::ClipInfo::Kind::folder);
        // It may be A as well.
        studio.window().viewer().compare(home.file("frames"), home.file("a.mp4"));
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::b)->kind == app::ClipInfo::Kind::video, 30000);
        QVERIFY(both_open(preview));
        QCOMPARE(preview.info(app::Side::a)->kind, app::ClipInfo::Kind::folder);
    }

    /// A deleted run is not measured any further. When the deletion is undone, the run is B again.
    void a_deleted_b_ends_the_comparison() {
        const app::Home home;
        QDir().mkpath(home.data("runs"));
        const QString a = run_with(home.data("runs/a"), 2), b = run_with(home.data("runs/b"), 3);
        StudioFixture studio(Layout::compare);
        QVERIFY(QTest::qWaitFor([&] { return studio.core().history.rowCount() == 2; }, 30000));
        auto& preview = studio.window().preview();
        studio.window().viewer().compare(a, b);
        QVERIFY(both_open(preview));
        QCOMPARE(studio.core().history.remove({b}), QStringList{b});
        QTRY_VERIFY(!preview.info(app::Side::b));
        QVERIFY(preview.info(app::Side::a));
        QVERIFY(studio.window().viewer().run(app::Side::b).isEmpty());
        studio.core().history.restore();
        QVERIFY(both_open(preview));
        QCOMPARE(studio.window().viewer().run(app::Side::b), b);
    }

    /// A pair that is opened while a run is at work must not be covered by the next step of that run.
    void a_comparison_beside_a_run_stays_in_sight() {
        const app::Home home;
        for (const auto& [name, frames] : {std::pair{"a.mp4", 4}, {"b.mp4", 5}, {"c.mp4", 6}})
            app::write_clip(home.file(name), 64, 48, frames);
        StudioFixture studio;
        load_tiny(studio);
        auto& preview = studio.window().preview();
        studio.window().viewer().show_file(home.file("a.mp4"));
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a), 30000);
        studio.core().document.set_value("steps", 400);
        QVERIFY(studio.core().document.wait_resolved(20000));
        app::Arrivals steps(&studio.core().worker, &app::EngineWorker::step_done);
        const auto covered = [&] { return preview.canvas().accessibleDescription().contains("step "); };
        const auto next_steps = [&] {
            const auto before = steps.count();
            return QTest::qWaitFor([&] { return steps.count() > before + 2; }, 30000);
        };
        studio.find<QAction>("run.generate")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(covered(), 60000);
        studio.window().viewer().compare({}, home.file("b.mp4")); // compared with the clip in sight
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::b), 30000);
        QVERIFY(next_steps());
        QVERIFY2(!covered(), qPrintable(preview.canvas().accessibleDescription()));
        studio.window().viewer().show_run(studio.core().queue.running_run());
        QTRY_VERIFY_WITH_TIMEOUT(covered(), 30000);
        preview.show_clip(app::Side::b, home.file("c.mp4"), true); // as a drop does it
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::b) && preview.info(app::Side::b)->frames == 6, 30000);
        QVERIFY(next_steps());
        QVERIFY2(!covered(), qPrintable(preview.canvas().accessibleDescription()));
        studio.key(Qt::Key_Escape);
        QVERIFY(studio.idle());
    }

    /// A pair must not be covered by a run that is resumed or added while the pair is in sight, and neither this run
    /// nor its video may become A. The run comes into sight when the layout is left.
    void a_pair_stays_in_sight_while_another_run_is_at_work() {
        const app::Home home;
        const QString a = listed_run(home, "a", 2, 1), b = listed_run(home, "b", 2, 2);
        StudioFixture studio;
        load_tiny(studio);
        auto& core = studio.core();
        auto& preview = studio.window().preview();
        auto& viewer = studio.window().viewer();
        auto& layouts = studio.window().layouts();
        core.document.set_value("steps", 400);
        QVERIFY(core.document.wait_resolved(20000));
        app::Arrivals steps(&core.worker, &app::EngineWorker::step_done);
        const auto covered = [&] { return preview.canvas().accessibleDescription().contains("step "); };
        const auto next_steps = [&] {
            const auto before = steps.count();
            return QTest::qWaitFor([&] { return steps.count() > before + 2; }, 30000);
        };
        const auto is_pair = [&] {
            return viewer.run(app::Side::a) == a && viewer.run(app::Side::b) == b && !covered();
        };
        studio.find<QAction>("run.generate")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(steps.count() > 3, 60000);
        const QString stopped = core.queue.running_run();
        studio.key(Qt::Key_Escape);
        QVERIFY(studio.idle());

        viewer.compare(a, b);
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a) && preview.info(app::Side::b), 30000);
        emit studio.window().findChild<RunsPanel*>()->resume_run(stopped);
        QVERIFY(next_steps());
        QVERIFY2(is_pair(), qPrintable(preview.canvas().accessibleDescription()));
        layouts.show(Layout::create);
        QTRY_VERIFY_WITH_TIMEOUT(covered(), 30000);
        layouts.show(Layout::compare);
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::b), 30000);
        QVERIFY(next_steps());
        QVERIFY2(is_pair(), qPrintable(preview.canvas().accessibleDescription()));
        studio.key(Qt::Key_Escape);
        QVERIFY(studio.idle());
        QVERIFY(is_pair());

        studio.find<QAction>("run.generate")->trigger();
        QVERIFY(next_steps());
        QVERIFY2(is_pair(), qPrintable(preview.canvas().accessibleDescription()));
        studio.find<QAction>("run.watch")->trigger(); // the user wants to see the run all the same
        QTRY_VERIFY_WITH_TIMEOUT(covered(), 30000);
        viewer.compare(a, b);
        core.queue.cancel_current();
        core.document.set_value("steps", 2);
        studio.find<QAction>("run.generate")->trigger();
        QVERIFY(studio.idle());
        QVERIFY2(is_pair(), qPrintable(preview.canvas().accessibleDescription()));
    }

    /// The frames of a run cannot be measured before it has a video. Then the video becomes A, whatever the user has
    /// looked at in the meantime.
    void the_run_at_work_is_compared_as_a() {
        const app::Home home;
        const QString a = listed_run(home, "a", 2, 1), b = listed_run(home, "b", 2, 2);
        StudioFixture studio(Layout::compare);
        load_tiny(studio);
        auto& core = studio.core();
        auto& preview = studio.window().preview();
        auto& viewer = studio.window().viewer();
        core.document.set_value("steps", 400);
        QVERIFY(core.document.wait_resolved(20000));
        app::Arrivals steps(&core.worker, &app::EngineWorker::step_done);
        studio.find<QAction>("run.generate")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(steps.count() > 3, 60000);
        const QString working = core.queue.running_run();
        viewer.compare(a, b);
        QVERIFY(both_open(preview));
        auto* bar = studio.window().findChild<CompareBar*>();
        emit bar->chosen(app::Side::a, working);
        QCOMPARE(viewer.run(app::Side::a), working);
        QVERIFY(studio.find<QToolButton>("choose-a")->toolTip().contains("no video yet"));
        QVERIFY(!preview.info(app::Side::a) && !preview.comparison().active());
        const auto* metrics = studio.window().findChild<MetricsView*>();
        QTRY_VERIFY2_WITH_TIMEOUT(metrics->accessibleDescription().startsWith("A has no video yet"),
                                  qPrintable(metrics->accessibleDescription()), 5000);
        QTRY_VERIFY_WITH_TIMEOUT(preview.canvas().accessibleDescription().contains("step "), 30000);
        emit bar->chosen(app::Side::b, a); // the user looks at something else
        QTRY_VERIFY_WITH_TIMEOUT(viewer.run(app::Side::b) == a, 30000);
        QVERIFY(core.queue.running_run() == working);
        QVERIFY(studio.idle());
        QVERIFY(both_open(preview));
        QCOMPARE(preview.info(app::Side::a)->run, working);
        QCOMPARE(preview.mode(), CompareMode::wipe);
    }

    /// The bar must not name another run than the one whose steps are seen, however it came into sight.
    void without_a_b_the_run_at_work_is_a() {
        const app::Home home;
        const QString before = listed_run(home, "before", 2, 1);
        StudioFixture studio(Layout::compare);
        load_tiny(studio);
        auto& core = studio.core();
        auto& preview = studio.window().preview();
        auto& viewer = studio.window().viewer();
        auto& layouts = studio.window().layouts();
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a), 30000);
        QCOMPARE(viewer.run(app::Side::a), before);
        core.document.set_value("steps", 400);
        QVERIFY(core.document.wait_resolved(20000));
        const auto named = [&] { return studio.find<QToolButton>("choose-a")->toolTip(); };
        const auto agree = [&] {
            return preview.covered() && viewer.seen() == viewer.run(app::Side::a) && named().contains("no video yet");
        };
        for (const bool in_sight : {true, false}) {
            layouts.show(in_sight ? Layout::compare : Layout::create);
            viewer.show_run(before);
            QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a), 30000);
            studio.find<QAction>("run.generate")->trigger();
            QTRY_VERIFY_WITH_TIMEOUT(preview.covered() && viewer.seen() == core.queue.running_run(), 60000);
            layouts.show(Layout::compare);
            QTRY_VERIFY2_WITH_TIMEOUT(agree(), qPrintable(named()), 30000);
            QCOMPARE(viewer.run(app::Side::a), core.queue.running_run());
            viewer.clear(); // for a new project
            QTRY_VERIFY2_WITH_TIMEOUT(agree(), qPrintable(named()), 30000);
            studio.key(Qt::Key_Escape);
            QVERIFY(studio.idle());
        }
    }

    /// A new A must be seen even if B was looked at before.
    void another_a_is_seen_after_a_flip() {
        const app::Home home;
        const QString a = listed_run(home, "a", 2, 1), b = listed_run(home, "b", 2, 2), c = listed_run(home, "c", 2, 3);
        StudioFixture studio(Layout::compare);
        auto& preview = studio.window().preview();
        studio.window().viewer().compare(a, b);
        QVERIFY(both_open(preview));
        studio.find<QAction>("compare.flip")->trigger();
        QVERIFY(preview.canvas().shows_b());
        studio.window().viewer().show_run(c);
        QTRY_COMPARE_WITH_TIMEOUT(preview.info(app::Side::a)->run, c, 30000);
        QVERIFY(!preview.canvas().shows_b());
    }

    /// A run dropped as A is opened as from the list of runs, which offers its request already. The request of a
    /// dropped video is offered in a banner.
    void a_run_dropped_on_the_picture_is_shown() {
        const app::Home home;
        const QString a = listed_run(home, "a", 2, 1), b = listed_run(home, "b", 2, 2);
        const QString stopped = listed_run(home, "stopped", 2, 3);
        QVERIFY(QFile::remove(stopped + "/video.mp4"));
        StudioFixture studio(Layout::compare);
        auto& preview = studio.window().preview();
        auto& viewer = studio.window().viewer();
        const QPoint left(20, 80), right(preview.width() - 20, 80);
        drop(preview, {a}, left);
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a), 30000);
        drop(preview, {b}, right);
        QVERIFY(both_open(preview));
        QVERIFY(looked_at(studio.window()));
        QCOMPARE(viewer.run(app::Side::a), a);
        QCOMPARE(viewer.run(app::Side::b), b);
        drop(preview, {stopped}, left);
        QCOMPARE(viewer.run(app::Side::a), stopped);
        QVERIFY2(!said(studio).contains("carries its request"), qPrintable(said(studio)));
        drop(preview, {a + "/video.mp4"}, left);
        QTRY_VERIFY2_WITH_TIMEOUT(said(studio).contains("carries its request"), qPrintable(said(studio)), 30000);
    }
};

int main(int argc, char** argv) { return run_window_test<ComparingTest>(argc, argv); }

#include "comparing_test.moc"
