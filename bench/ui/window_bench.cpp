// SPDX-License-Identifier: Apache-2.0
// How quickly the window opens, whether it keeps answering while the engine works, and how soon a run stops.
// Usage: denoir_bench_window [--model FOLDER] [--size WxH] [--frames N] [--steps N] [--cancels N]
#include <QAction>
#include <QApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "app/clips/frame_cache.h"
#include "app/studio.h"
#include "ui/actions/shortcut_guard.h"
#include "ui/docks/sizes.h"
#include "ui/preview/preview_view.h"
#include "ui/studio.h"
#include "ui/theme/theme.h"
#include "ui/window/main_window.h"

using namespace denoir;

namespace {

/// Times between the turns of a timer of one millisecond: how long a person would wait for an answer.
class Heartbeat {
public:
    Heartbeat() {
        timer_.setTimerType(Qt::PreciseTimer);
        QObject::connect(&timer_, &QTimer::timeout, &timer_, [this] {
            gaps_.push_back(double(clock_.nsecsElapsed()) / 1e6);
            clock_.restart();
        });
    }
    void begin() {
        gaps_.clear();
        clock_.restart();
        timer_.start(1);
    }
    std::vector<double> end() {
        timer_.stop();
        return gaps_;
    }

private:
    QTimer timer_;
    QElapsedTimer clock_;
    std::vector<double> gaps_;
};

/// One line of the table: the median, the 99th percentile and the largest of some times in milliseconds.
void report_times(const char* what, std::vector<double> times) {
    std::sort(times.begin(), times.end());
    if (times.empty()) return;
    const auto at = [&](double share) {
        return times[std::min(times.size() - 1, std::size_t(share * double(times.size())))];
    };
    std::printf("| %s | %.1f | %.1f | %.1f | %zu |\n", what, at(0.5), at(0.99), times.back(), times.size());
    std::fflush(stdout);
}

template <class Done> bool wait(int milliseconds, Done done) {
    QElapsedTimer clock;
    clock.start();
    while (!done() && clock.elapsed() < milliseconds)
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
    return done();
}

} // namespace

int main(int argc, char** argv) {
    QElapsedTimer start;
    start.start();
    QTemporaryDir home;
    if (qEnvironmentVariableIsEmpty("DENOIR_HOME")) qputenv("DENOIR_HOME", home.path().toUtf8());
    QApplication program(argc, argv);
    const QStringList words = program.arguments();
    const auto value = [&words](const char* name, const QString& otherwise) {
        const auto at = words.indexOf(QLatin1String(name));
        return at > 0 && at + 1 < words.size() ? words[at + 1] : otherwise;
    };
    Request request;
    request.model = value("--model", {}).toStdString();
    request.prompt = "A red balloon rises over the sea at sunset.";
    const auto size = ui::parse_size(value("--size", QStringLiteral("256x144"))).value_or(QSize(256, 144));
    request.width = size.width(), request.height = size.height();
    request.frames = value("--frames", QStringLiteral("33")).toInt();
    request.steps = value("--steps", QStringLiteral("8")).toInt();
    request.seed = 7;

    app::Studio core;
    app::FrameCache frames(256 << 20);
    ui::Theme theme(program);
    ui::ShortcutGuard guard;
    program.installEventFilter(&guard);
    ui::Studio studio(core, frames, theme);
    ui::MainWindow window(studio);
    QAction* generate = window.actions().at(QStringLiteral("run.generate"));
    window.show();
    window.begin(ui::Layout::create);
    QCoreApplication::processEvents();
    std::printf(
        "| what | ms | p99 ms | max ms | samples |\n|---|---|---|---|---|\n| start to usable window | %lld | | | 1 |\n",
        static_cast<long long>(start.elapsed()));

    Heartbeat heart;
    core.document.load(request);
    if (!wait(60000, [&] { return core.document.valid(); })) {
        std::fprintf(stderr, "denoir_bench_window: this request cannot start\n");
        return 1;
    }
    QString run;
    QObject::connect(&core.worker, &app::EngineWorker::finished, &window,
                     [&run](app::JobId, const app::RunResult& result) { run = result.run; });
    heart.begin();
    QElapsedTimer run_clock;
    run_clock.start();
    generate->trigger();
    if (!wait(3600000, [&] { return !run.isEmpty(); })) return 1;
    report_times("heartbeat during a run", heart.end());
    const double whole = run_clock.nsecsElapsed() / 1e9;
    bool decoded = false;
    QObject::connect(&core.drafts, &app::DraftDecoder::finished, &window, [&decoded] { decoded = true; });
    heart.begin();
    core.drafts.decode_step(run, *request.steps / 2);
    wait(600000, [&] { return decoded; });
    report_times("heartbeat during the decoding of a draft", heart.end());
    heart.begin();
    window.preview().clear(app::Side::a);
    window.open_path(run + QStringLiteral("/video.mp4"));
    QElapsedTimer seen;
    seen.start();
    wait(10000, [&] { return window.preview().info(app::Side::a) != nullptr && seen.elapsed() > 2000; });
    report_times("heartbeat during import and play", heart.end());

    // Runs are cancelled at moments spread over a whole run. Measured is the time from the press until the engine
    // stops.
    const int cancels = value("--cancels", QStringLiteral("12")).toInt();
    std::vector<double> answers,
        work; // work: processor time of all threads meanwhile, which other programs do not change
    std::clock_t work_before = 0;
    std::map<std::string, double> worst; // by stage
    Stage stage = Stage::load_text;
    QElapsedTimer pressed;
    bool ended = false, cancelled = false;
    QObject::connect(&core.worker, &app::EngineWorker::progressed, &window,
                     [&stage](app::JobId, const app::JobProgress& progress) { stage = progress.stage; });
    QObject::connect(&core.worker, &app::EngineWorker::cancelled, &window, [&](app::JobId, const QString&) {
        cancelled = true;
        answers.push_back(double(pressed.nsecsElapsed()) / 1e6);
        work.push_back(1000.0 * double(std::clock() - work_before) / CLOCKS_PER_SEC);
    });
    QObject::connect(&core.worker, &app::EngineWorker::ended, &window, [&ended] { ended = true; });
    for (int i = 0; i < cancels; ++i) {
        ended = cancelled = false;
        generate->trigger();
        if (!wait(60000, [&] { return core.worker.busy(); })) return 1;
        wait(int(1000 * whole * (i + 0.5) / cancels), [&] { return ended; });
        if (ended) continue; // this run ended sooner than the first one
        const std::string where(name(stage));
        work_before = std::clock();
        pressed.start();
        core.queue.cancel_current();
        if (!wait(60000, [&] { return ended && !core.worker.busy(); })) return 1;
        if (cancelled) worst[where] = std::max(worst[where], answers.back());
    }
    report_times("cancel to stopped", answers);
    report_times("… processor time of it", work);
    for (const auto& [where, most] : worst) std::printf("| … in stage %s | | | %.1f | |\n", where.c_str(), most);
    window.close();
    return 0;
}
