// SPDX-License-Identifier: Apache-2.0
// How quickly the window stands, and whether it keeps answering while the engine works.
// Usage: denoir-window-bench [--model FOLDER] [--size WxH] [--frames N] [--steps N]
#include <QApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "app/frame_cache.h"
#include "app/studio.h"
#include "ui/actions/shortcut_guard.h"
#include "ui/docks/sizes.h"
#include "ui/preview/preview_view.h"
#include "ui/studio.h"
#include "ui/theme/theme.h"
#include "ui/window/main_window.h"

using namespace denoir;

namespace {

/// Times between the turns of a timer that wants every millisecond: what a person would wait for an answer.
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
    void report(const char* what) {
        timer_.stop();
        std::sort(gaps_.begin(), gaps_.end());
        if (gaps_.empty()) return;
        const auto at = [this](double share) {
            return gaps_[std::min(gaps_.size() - 1, std::size_t(share * double(gaps_.size())))];
        };
        std::printf("| heartbeat during %s | %.1f | %.1f | %.1f | %zu |\n", what, at(0.5), at(0.99), gaps_.back(),
                    gaps_.size());
        std::fflush(stdout);
    }

private:
    QTimer timer_;
    QElapsedTimer clock_;
    std::vector<double> gaps_;
};

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
    ui::Studio studio{core,         core.settings, core.project,   core.document, core.worker,  core.queue,
                      core.history, core.models,   core.estimator, core.tokens,   core.prompts, core.thumbnails,
                      core.drafts,  frames,        core.exporter,  core.notifier, theme};
    ui::MainWindow window(studio);
    window.show();
    window.begin(ui::Layout::create);
    QCoreApplication::processEvents();
    std::printf(
        "| what | ms | p99 ms | max ms | samples |\n|---|---|---|---|---|\n| start to usable window | %lld | | | 1 |\n",
        static_cast<long long>(start.elapsed()));

    Heartbeat heart;
    core.document.load(request);
    if (!wait(60000, [&] { return core.document.valid(); })) {
        std::fprintf(stderr, "denoir-window-bench: this request cannot start\n");
        return 1;
    }
    QString run;
    QObject::connect(&core.worker, &app::EngineWorker::finished, &window,
                     [&run](app::JobId, const app::RunResult& result) { run = result.run; });
    heart.begin();
    window.generate();
    if (!wait(600000, [&] { return !run.isEmpty(); })) return 1;
    heart.report("a run");
    bool decoded = false;
    QObject::connect(&core.drafts, &app::DraftDecoder::finished, &window, [&decoded] { decoded = true; });
    heart.begin();
    core.drafts.decode_step(run, *request.steps / 2);
    wait(600000, [&] { return decoded; });
    heart.report("the decoding of a draft");
    heart.begin();
    window.preview().clear(app::Side::a);
    window.open_path(run + QStringLiteral("/video.mp4"));
    QElapsedTimer seen;
    seen.start();
    wait(10000, [&] { return window.preview().info(app::Side::a) != nullptr && seen.elapsed() > 2000; });
    heart.report("import and play");
    window.close();
    return 0;
}
