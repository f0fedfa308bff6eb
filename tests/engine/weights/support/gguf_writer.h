// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "support/files.h"

namespace denoir::test {

struct GgufTensor {
    std::string name;
    std::vector<std::uint64_t> dims; ///< as in the file: fastest axis first
    std::uint32_t type = 0;
    std::string data;
    std::int64_t offset = -1; ///< as claimed; -1: the true one
};

std::string gguf_string(std::string_view text);
/// key, type number and value bytes
std::string gguf_pair(std::string_view key, std::uint32_t type, std::string_view value);
std::string gguf(const std::vector<GgufTensor>& tensors, const std::vector<std::string>& pairs = {},
                 std::uint32_t version = 3, std::uint64_t alignment = 32);
/// F32 tensors with the shapes reversed, as converters write them.
std::vector<GgufTensor> gguf_tensors(const std::vector<Raw>& tensors);

} // namespace denoir::test
