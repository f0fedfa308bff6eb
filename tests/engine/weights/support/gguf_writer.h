// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "support/files.h"

namespace denoir::test {

struct GgufTensor {
    std::string name;
    std::vector<std::uint64_t> dims; ///< in the file's order, the fastest axis first
    std::uint32_t type = 0;
    std::string data;
    std::int64_t offset = -1; ///< as claimed; -1 for the true one
};

std::string gguf_string(std::string_view text);
/// A pair of the header: its key, the number of its type, and the bytes of its value.
std::string gguf_pair(std::string_view key, std::uint32_t type, std::string_view value);
std::string gguf(const std::vector<GgufTensor>& tensors, const std::vector<std::string>& pairs = {},
                 std::uint32_t version = 3, std::uint64_t alignment = 32);
/// F32 tensors whose shapes are reversed, as converters write them.
std::vector<GgufTensor> gguf_tensors(const std::vector<Raw>& tensors);

} // namespace denoir::test
