// SPDX-License-Identifier: Apache-2.0
// Every checkpoint reader behind one libFuzzer entry; not part of the default build. From the root of the tree:
//   cmake -B build/fuzz -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_COMPILER=clang++
//   -DDENOIR_SANITIZE=fuzzer-no-link,address,undefined ninja -C build/fuzz denoir_weights
//   clang++ -std=c++20 -g -fsanitize=fuzzer,address,undefined -I. tests/fuzz/weights_fuzz.cpp
//   build/fuzz/engine/weights/libdenoir_weights.a \
//       build/fuzz/engine/core/libdenoir_core.a -lfmt -o build/fuzz/weights_fuzz
//   build/fuzz/weights_fuzz -max_total_time=600 -rss_limit_mb=1024 -timeout=2 CORPUS
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/core/error.h"
#include "engine/weights/inspect.h"
#include "engine/weights/weights.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const int fd = ::memfd_create("case", MFD_CLOEXEC);
    if (fd < 0 || ::write(fd, data, size) != static_cast<ssize_t>(size)) return 0;
    const std::filesystem::path path = "/proc/self/fd/" + std::to_string(fd);
    try {
        denoir::to_json(denoir::inspect(path), true);
    } catch (const denoir::Error&) { // the one answer that a bad file may get
    }
    try {
        denoir::Weights::load(std::span(&path, 1), denoir::Component::unknown);
    } catch (const denoir::Error&) {
    }
    ::close(fd);
    return 0;
}
