// SPDX-License-Identifier: Apache-2.0
// How long a history of many runs takes to open and to answer a search. Prints a table and writes it to
// bench/results/history.md.
//
// Usage: denoir_bench_history [RUNS]        (10000)
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QThread>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "app/runs/run_history.h"
#include "engine/core/atomic_file.h"
#include "engine/core/own_folders.h"
#include "tests/app/fake_runs.h"

using namespace denoir;
using namespace denoir::app;

namespace {

double milliseconds(const QElapsedTimer& timer) { return double(timer.nsecsElapsed()) * 1e-6; }
double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

} // namespace

int main(int argc, char** argv) {
    QCoreApplication program(argc, argv);
    const int count = argc > 1 ? std::atoi(argv[1]) : 10000;
    if (count < 1 || count > 1000000) {
        std::fprintf(stderr, "denoir_bench_history: RUNS: must be 1 to 1000000\n");
        return 2;
    }
    QTemporaryDir home;
    qputenv("DENOIR_HOME", home.path().toUtf8());
    std::filesystem::create_directories(data_folder() / "runs");
    for (int i = 1; i <= count; ++i) fake_run_quickly(data_folder() / "runs", i);

    std::string table = "| what | time |\n|---|---|\n";
    const auto row = [&](const char* what, double ms) {
        table += fmt::format("| {} | {:.1f} ms |\n", what, ms);
        std::printf("%-58s %9.1f ms\n", what, ms);
    };
    QElapsedTimer timer;
    timer.start();
    {
        RunHistory history;
        history.wait_scanned(600000);
        row("index made from the folders, in the background", milliseconds(timer));
    }
    std::vector<double> open, look;
    for (int i = 0; i < 5; ++i) {
        timer.restart();
        RunHistory history;
        open.push_back(milliseconds(timer));
        history.wait_scanned(600000);
        look.push_back(milliseconds(timer));
        if (history.rowCount() != count) return std::fprintf(stderr, "denoir_bench_history: rows are missing\n"), 1;
    }
    row("open, every row listed (median of 5)", median(open));
    row("... and every folder looked at again, in the background", median(look));

    RunHistory history;
    history.wait_scanned(600000);
    std::vector<double> search;
    for (const char* text : {"f", "fo", "fox", "fox hills", "fox hills slowly", "seed:77", "steps:12 red",
                             "state:done blue", "nothing like that", ""}) {
        timer.restart();
        history.set_search(QString::fromLatin1(text));
        search.push_back(milliseconds(timer));
    }
    row("search (median of 10)", median(search));
    row("search (slowest of 10)", *std::max_element(search.begin(), search.end()));
    std::vector<double> star;
    for (int i = 0; i < 21; ++i) {
        timer.restart();
        history.setData(history.index(i * 3), true, RunHistory::StarredRole);
        star.push_back(milliseconds(timer));
    }
    row("star (median of 21)", median(star));
    double load[1] = {0};
    ::getloadavg(load, 1); // the machine may have had other work
    write_file(
        std::filesystem::path(DENOIR_RESULTS) / "history.md",
        fmt::format(
            "# History of {} runs\n\n`denoir_bench_history {}`; {} cores, load average {:.0f}. Targets: open 1000 "
            "ms, search 50 ms.\n\n{}",
            count, count, QThread::idealThreadCount(), load[0], table));
    return 0;
}
