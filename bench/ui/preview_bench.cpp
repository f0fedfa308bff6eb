// SPDX-License-Identifier: Apache-2.0
// How quickly frames come to the screen: opening, seeking, scrubbing through cached frames, wiping between two clips.
// The view is painted by QPainter into pictures of the window's size.
//
// Usage: denoir_bench_preview [FOLDER]      (Markdown on stdout; clips are made in FOLDER, else in a temporary one)
#include <QApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <random>

#include "app/base/text.h"
#include "app/clips/frame_cache.h"
#include "engine/media/indexed_video.h"
#include "engine/media/video_writer.h"
#include "ui/preview/preview_view.h"

namespace {

using namespace denoir;
using namespace denoir::app;

constexpr int width = 960, height = 544, frames = 97;

/// Soft shapes that move, with a fine grain of one step.
Image picture(int n, int phase) {
    Image image(width, height);
    std::uint32_t grain = 99u + static_cast<std::uint32_t>(n);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            grain = grain * 1664525u + 1013904223u;
            const int wave =
                static_cast<int>(60 * std::sin((x + 4 * n + phase) * 0.013) * std::cos((y - 2 * n) * 0.017));
            std::uint8_t* p = image.row(y) + 3 * x;
            for (int c = 0; c < 3; ++c)
                p[c] =
                    static_cast<std::uint8_t>(std::clamp(128 + wave + 20 * c + static_cast<int>(grain >> 31), 0, 255));
        }
    return image;
}

QString clip(const QString& folder, const char* name, int phase) {
    const QString path = folder + QLatin1Char('/') + QString::fromLatin1(name);
    if (std::filesystem::exists(to_path(path))) return path;
    VideoOptions options; // as runs are written
    options.width = width;
    options.height = height;
    VideoWriter writer(to_path(path), options);
    for (int n = 0; n < frames; ++n) writer.write(picture(n, phase));
    writer.finish();
    return path;
}

struct Measured {
    double clock, thread; ///< ms
};

struct Times {
    std::vector<double> clock, thread;

    void add(const Measured& m) {
        clock.push_back(m.clock);
        thread.push_back(m.thread);
    }
    static double at(std::vector<double> ms, double share) {
        std::sort(ms.begin(), ms.end());
        return ms[std::min(ms.size() - 1, static_cast<std::size_t>(share * static_cast<double>(ms.size())))];
    }
    void print(const char* what, const char* wanted) const {
        std::printf("| %s | %.1f | %.1f | %.1f | %.1f | %s |\n", what, at(clock, 0.5), at(clock, 0.95), at(thread, 0.5),
                    at(thread, 0.95), wanted);
        std::fflush(stdout);
    }
};

/// This thread's own time: what the clock would show for work of one thread on a machine without other work.
double thread_ms() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

template <class F> Measured measure(F&& f) {
    QElapsedTimer clock;
    const double before = thread_ms();
    clock.start();
    f();
    return {static_cast<double>(clock.nsecsElapsed()) * 1e-6, thread_ms() - before};
}

/// Shows every frame, in random order, when all of them are cached.
Times scrub(ui::PreviewView& view) {
    Times times;
    std::mt19937 random(2);
    for (int i = 0; i < 120; ++i) {
        const auto n = static_cast<int>(random() % frames);
        times.add(measure([&] {
            view.player().go_to(n);
            view.canvas().repaint();
        }));
    }
    return times;
}

} // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", qEnvironmentVariable("QT_QPA_PLATFORM", "offscreen").toUtf8());
    QApplication program(argc, argv);
    QTemporaryDir temporary;
    const QString folder = argc > 1 ? QString::fromLocal8Bit(argv[1]) : temporary.path();
    const QString a = clip(folder, "a.mp4", 0), b = clip(folder, "b.mp4", 30);
    std::printf("A clip of %d frames of %d x %d, H.264 as runs are written, %.1f MB; window 1280 x 800.\n\n", frames,
                width, height, static_cast<double>(std::filesystem::file_size(to_path(a))) / 1e6);
    std::printf(
        "| what | clock ms, median | 95 %% | own thread ms, median | 95 %% | wanted |\n|---|---|---|---|---|---|\n");

    Times open, seek;
    for (int i = 0; i < 7; ++i) {
        open.add(measure([&] { IndexedVideo video(to_path(a)); }));
    }
    open.print("open: index of all packets, first frame", "");
    IndexedVideo video(to_path(a));
    std::mt19937 random(1);
    Image image;
    for (int i = 0; i < 60; ++i) {
        const auto n = static_cast<int>(random() % frames);
        seek.add(measure([&] { video.read(n, image); }));
    }
    seek.print("first seek: a frame that was never decoded", "<= 50");

    FrameCache cache;
    ui::PreviewView view(cache);
    view.resize(1280, 800);
    view.show();
    view.comparison().set_prefers_exact(false);
    view.show_clip(Side::a, a);
    const auto filled = [&](Side side) {
        const Clip* c = view.player().clip(side);
        return c && c->state() == Clip::State::ready &&
               c->cached_ranges() == std::vector<std::pair<int, int>>{{0, frames - 1}};
    };
    const Measured fill = measure([&] { (void)QTest::qWaitFor([&] { return filled(Side::a); }, 300000); });
    std::printf("| all frames into the cache, each (another thread) | %.1f | | | | |\n", fill.clock / frames);
    scrub(view).print("scrub, cached", "<= 16.7");
    view.canvas().zoom_to(1);
    scrub(view).print("scrub at true size, cached", "<= 16.7");
    view.canvas().zoom_to_fit();
    view.show_clip(Side::b, b);
    (void)QTest::qWaitFor([&] { return filled(Side::b); }, 300000);
    (void)QTest::qWaitFor([&] { return view.comparison().done() == frames; }, 300000);
    Times wipe;
    for (int i = 0; i < 120; ++i)
        wipe.add(measure([&] {
            view.canvas().set_wipe((i % 60) / 60.0);
            view.canvas().repaint();
        }));
    wipe.print("wipe, dragged", "<= 16.7");
    scrub(view).print("scrub with a wipe", "<= 16.7");
    view.set_mode(ui::CompareMode::difference);
    scrub(view).print("scrub of the difference", "");
    return 0;
}
