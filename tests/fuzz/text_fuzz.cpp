// SPDX-License-Identifier: Apache-2.0
// A prompt's way to its ids.
#include <cstdlib>
#include <string_view>

#include "engine/models/umt5/tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const auto tokenizer = denoir::umt5::Tokenizer::load(DENOIR_VOCABULARY);
    const std::string cleaned = denoir::umt5::clean({reinterpret_cast<const char*>(data), size});
    for (const std::int64_t id : tokenizer.encode(cleaned, 64))
        if (id < 0 || id >= tokenizer.vocabulary()) std::abort();
    return 0;
}
