// SPDX-License-Identifier: Apache-2.0
// Vocabularies: tokenizer.json and spiece.model, and what a text becomes with one that is taken.
#include <cstdlib>

#include "engine/core/error.h"
#include "engine/models/umt5/tokenizer.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const denoir::fuzz::MemoryFile file(data, size);
    try {
        const auto tokenizer = denoir::umt5::Tokenizer::load(file.path());
        for (const char* text : {"", "a red ball", "  <extra_id_0> x\xCC\x81 \xF0\x9F\x8E\x88\xFF", "</s></s>"})
            for (const std::int64_t id : tokenizer.encode(text, 32))
                if (id < 0 || id >= tokenizer.vocabulary()) std::abort();
    } catch (const denoir::Error&) { // the only error that a bad file may give
    }
    return 0;
}
