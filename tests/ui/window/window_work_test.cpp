// SPDX-License-Identifier: Apache-2.0
// What the window shows of runs at work, and of those that were stopped or failed.
#include <QLineEdit>

#include "app/runs/engine_worker.h"
#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"
#include "tests/app/arrivals.h"
#include "tests/app/full_disk.h"
#include "tests/ui/window/window_main.h"
#include "tests/ui/window/window_tools.h"
#include "ui/preview/preview_view.h"
#include "ui/steps/step_strip.h"
#include "ui/steps/steps_panel.h"
#include "ui/window/status_line.h"

using namespace denoir;
using namespace denoir::ui;

class WindowWorkTest : public QObject {
    Q_OBJECT

    /// The run at work, after it has made some steps.
    static QString at_work(StudioFixture& studio) {
        const auto& queue = studio.core().queue;
        app::Arrivals steps(&studio.core().worker, &app::EngineWorker::step_done);
        (void)QTest::qWaitFor([&] { return steps.count() > 3 && !queue.running_run().isEmpty(); }, 60000);
        return queue.running_run();
    }
    static Request long_request(std::uint64_t seed) {
        Request request = app::tiny_request();
        request.steps = 400;
        request.seed = seed;
        return request;
    }

private slots:
    /// The line shows the measured seconds of a step and the time left. While the run waits for the engine it says only
    /// that.
    void the_status_line_tells_the_pace_of_a_run() {
        const app::Home home;
        app::Studio core;
        app::FrameCache frames(1 << 20);
        Theme theme(*qApp);
        Studio studio(core, frames, theme);
        StatusLine status(studio);
        auto& worker = core.worker;
        auto& queue = core.queue;
        queue.start();
        Request before = app::tiny_request();
        before.steps = 1000, before.frames = 81;
        worker.render(before, home.file("before")); // a run that is not in the queue
        queue.add({app::tiny_request(), {}});
        QTRY_VERIFY_WITH_TIMEOUT(queue.running_job() != 0, 30000);
        const app::JobId job = queue.running_job();
        const auto text = [&] { return status.findChild<ElidedLabel*>("status-stage")->whole(); };
        QCOMPARE(text(), QString("waits for the engine"));
        // As the engine reports it.
        emit worker.started(job);
        emit worker.progressed(job, {Stage::load_transformer, 1, 4, 3, 1});
        QCOMPARE(text(), QString("loading the transformer"));
        for (const int step : {1, 2}) emit worker.step_done(job, {step, 20, {}, {}, step == 1 ? 0.4 : 0.44});
        emit worker.progressed(job, {Stage::denoise, 2, 20, 7.56, 0.84});
        QCOMPARE(text(), QString::fromUtf8("denoising · step 2/20 · 0.42 s a step · 7.6 s left, then decoding"));
        queue.set_expected(queue.running(), {1, 8, 90});
        emit worker.progressed(job, {Stage::denoise, 2, 20, 7.56, 0.84});
        QCOMPARE(text(), QString::fromUtf8("denoising · step 2/20 · 0.42 s a step · 1 min 38 s left"));
        for (int step = 3; step <= 20; ++step) emit worker.step_done(job, {step, 20, {}, {}, 0.42});
        emit worker.progressed(job, {Stage::decode, 1, 4, 68, 22});
        QCOMPARE(text(), QString::fromUtf8("decoding · step 20/20 · 1 min 08 s left"));
        worker.cancel_all();
        QTRY_VERIFY_WITH_TIMEOUT(!worker.busy() && queue.running() == 0, 60000);
        QCOMPARE(text(), QString("ready"));
    }

    /// The pace counts from where the export began. Nothing is shown within the first second, which tells too little.
    void the_status_line_tells_what_is_left_of_an_export() {
        const app::Home home;
        app::Studio core;
        app::FrameCache frames(1 << 20);
        Theme theme(*qApp);
        Studio studio(core, frames, theme);
        StatusLine status(studio);
        constexpr int from = 1'000'000;
        const auto text = [&](int done) {
            status.show_task(StatusLine::Task::cut, "exporting", from + done, from + 7201);
            return status.findChild<ElidedLabel*>("status-stage")->whole();
        };
        QCOMPARE(text(0), QString("exporting"));
        // It has 7200 times as much to do as in the first part, which took at least a second: hours, on any machine.
        QTRY_VERIFY2_WITH_TIMEOUT(text(1).endsWith(" left"), qPrintable(text(1)), 30000);
        QVERIFY2(text(1).startsWith(QString::fromUtf8("exporting · ")), qPrintable(text(1)));
        QVERIFY2(text(1).contains(" h ") || text(1).contains(" days"), qPrintable(text(1)));
        QCOMPARE(text(0), QString("exporting")); // begins anew
        status.end_task(StatusLine::Task::cut);
        QCOMPARE(status.findChild<ElidedLabel*>("status-stage")->whole(), QString("ready"));
    }

    /// If nothing waited behind it, the user looks at the next run as well.
    void what_is_made_after_a_stop_takes_the_picture() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto& queue = studio.core().queue;
        const auto& preview = studio.window().preview();
        const auto& steps = *studio.window().findChild<StepsPanel*>();
        queue.add({long_request(1), {}});
        const QString first = at_work(studio);
        QTRY_COMPARE_WITH_TIMEOUT(steps.pictures().run(), first, 30000);
        studio.key(Qt::Key_Escape);
        QVERIFY(studio.idle());
        QVERIFY2(said(studio).contains("Stopped at step"), qPrintable(said(studio)));
        QCOMPARE(studio.window().viewer().run(app::Side::a), first);
        QVERIFY(studio.find<StepStrip>("live-steps")->isVisible());
        queue.add({long_request(2), {}});
        const QString second = at_work(studio);
        QVERIFY(!second.isEmpty() && second != first);
        QTRY_COMPARE_WITH_TIMEOUT(steps.pictures().run(), second, 30000);
        QTRY_VERIFY_WITH_TIMEOUT(steps.shows_live() && preview.covered(), 30000);
        // A run that waited behind it is not shown until the user asks.
        queue.add({long_request(3), {}});
        studio.key(Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(!queue.running_run().isEmpty() && queue.running_run() != second, 30000);
        const QString third = at_work(studio);
        QVERIFY(third != second);
        QCOMPARE(steps.pictures().run(), second);
        QCOMPARE(studio.window().viewer().run(app::Side::a), second);
        studio.find<QAction>("run.watch")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(steps.pictures().run(), third, 30000);
        QVERIFY(steps.shows_live());
        studio.key(Qt::Key_Escape);
        QVERIFY(studio.idle());
    }

    /// A run that failed for another reason, or on another disk, would not profit.
    void steps_are_offered_only_for_the_disk_that_is_full() {
        const app::Home home;
        for (const int seed : {1, 2}) listed_run(home, QStringLiteral("run-%1").arg(seed), 3, quint64(seed));
        StudioFixture studio;
        auto& core = studio.core();
        QTRY_COMPARE_WITH_TIMEOUT(core.history.plan_drop(0).runs.size(), 2, 30000);
        const auto fail = [&](const app::Issue& issue) {
            core.queue.add({long_request(3), {}});
            QVERIFY(!at_work(studio).isEmpty());
            const app::JobId job = core.queue.running_job();
            emit core.worker.failed(job, issue); // as the engine reports it
            core.worker.cancel(job);
            QVERIFY(studio.idle());
        };
        const auto offers = [&] { return said(studio).contains("no room for the run"); };
        fail({home.data("runs/x"), {}, "is broken", "mend it"});
        QVERIFY2(!offers(), qPrintable(said(studio)));
        fail({"/proc/full/x", {}, "cannot be written", "free some space", true});
        QVERIFY2(!offers(), qPrintable(said(studio)));
        fail({home.data("not there/x"), {}, "has no room", "free some space", true});
        QVERIFY2(said(studio).contains("The steps of 2 unstarred runs could go"), qPrintable(said(studio)));
        // Runs that were starred meanwhile keep their steps.
        const QString starred = home.data("runs/run-1"), other = home.data("runs/run-2");
        core.history.set_starred(starred, true);
        QVERIFY(studio.press("Free them"));
        QTRY_VERIFY_WITH_TIMEOUT(core.history.plan_drop(0).runs.isEmpty(), 30000);
        const auto left = [](const QString& run) { return RunFolder::open(app::to_path(run)).latents_file(1); };
        QVERIFY(std::filesystem::exists(left(starred)));
        QTRY_VERIFY_WITH_TIMEOUT(!std::filesystem::exists(left(other)), 30000);
        QVERIFY(!offers());
    }
};

int main(int argc, char** argv) { return run_window_test<WindowWorkTest>(argc, argv); }

#include "window_work_test.moc"
