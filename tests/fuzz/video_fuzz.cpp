// SPDX-License-Identifier: Apache-2.0
// Videos: their containers, their first frames, and the request that they may carry.
#include "engine/core/error.h"
#include "engine/media/video_reader.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const denoir::fuzz::MemoryFile file(data, size);
    try {
        denoir::VideoReader reader(file.path());
        denoir::Image frame;
        for (int i = 0; i < 5 && reader.read(frame); ++i) {
        }
    } catch (const denoir::Error&) { // the only error that a bad file may give
    }
    try {
        denoir::read_request_metadata(file.path());
    } catch (const denoir::Error&) {
    }
    return 0;
}
