// SPDX-License-Identifier: Apache-2.0
// Pictures: what they say of themselves, and their pixels.
#include "engine/core/error.h"
#include "engine/media/image.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const denoir::fuzz::MemoryFile file(data, size);
    try {
        denoir::image_info(file.path());
        denoir::read_image(file.path());
    } catch (const denoir::Error&) { // the only error that a bad file may give
    }
    return 0;
}
