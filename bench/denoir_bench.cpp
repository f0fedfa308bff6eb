// SPDX-License-Identifier: Apache-2.0
// denoir_bench [--list] [--only GLOB] [--threads N]: the speed of each kernel, and its share of the processor's peak.
#include <fmt/format.h>
#include <fnmatch.h>

#include <cstdlib>
#include <cstring>

#include "engine/core/error.h"
#include "kernels.h"

namespace {

int run(const char* only, bool list, int threads) {
    const std::shared_ptr<denoir::Backend> backend = denoir::open_backend({}, threads);
    const double peak = list ? 0 : denoir::bench::measured_peak_flops(*backend);
    if (!list)
        fmt::print("{} threads, peak {:.1f} GFLOP/s\n{:44} {:>10} {:>9} {:>6} {:>7}\n", backend->threads(), peak * 1e-9,
                   "kernel", "ms", "GFLOP/s", "share", "GB/s");
    for (const denoir::bench::Case& c : denoir::bench::kernel_cases()) {
        if (fnmatch(only, c.name.c_str(), 0) != 0) continue;
        if (list) {
            fmt::print("{}\n", c.name);
            continue;
        }
        const denoir::bench::Measurement m = c.run(*backend);
        const double flops = m.flop / m.seconds;
        fmt::print("{:44} {:10.3f} {:9.1f} {:5.1f}% {:7.2f}\n", c.name, m.seconds * 1e3, flops * 1e-9,
                   100 * flops / peak, m.bytes / m.seconds * 1e-9);
        std::fflush(stdout);
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    const char* only = "*";
    bool list = false;
    int threads = 0;
    for (int i = 1; i < argc; ++i) {
        const bool more = i + 1 < argc;
        if (std::strcmp(argv[i], "--list") == 0)
            list = true;
        else if (more && std::strcmp(argv[i], "--only") == 0)
            only = argv[++i];
        else if (more && std::strcmp(argv[i], "--threads") == 0)
            threads = std::atoi(argv[++i]);
        else {
            fmt::print(stderr, "denoir_bench [--list] [--only GLOB] [--threads N]\n");
            return 2;
        }
    }
    try {
        return run(only, list, threads);
    } catch (const denoir::Error& error) {
        fmt::print(stderr, "denoir_bench: {}\n", error.what());
        return 1;
    }
}
