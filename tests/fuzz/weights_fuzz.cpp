// SPDX-License-Identifier: Apache-2.0
// Every reader of checkpoints.
#include <span>

#include "engine/core/error.h"
#include "engine/weights/inspect.h"
#include "engine/weights/weights.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const denoir::fuzz::MemoryFile file(data, size);
    const std::filesystem::path path = file.path();
    try {
        denoir::to_json(denoir::inspect(path), true);
    } catch (const denoir::Error&) { // the only error that a bad file may give
    }
    try {
        denoir::Weights::load(std::span(&path, 1), denoir::Component::unknown);
    } catch (const denoir::Error&) {
    }
    return 0;
}
