// SPDX-License-Identifier: Apache-2.0
// Files for the tests of the weight readers, made byte by byte: nothing here uses the code under test.
#pragma once
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/tensor.h"
#include "tests/engine/temp_folder.h"

namespace denoir::test {

/// Writes a file and makes the folders above it.
void write_bytes(const std::filesystem::path& path, std::string_view bytes);
std::string read_bytes(const std::filesystem::path& path);

inline bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// A number as bytes, the lowest first.
template <class T> std::string le(T value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

/// A tensor of a test file; the dtype is written as in a safetensors header.
struct Raw {
    std::string name, dtype;
    std::vector<std::int64_t> shape;
    std::string data;
};

/// An F32 tensor that counts from `first`.
Raw f32(std::string name, std::vector<std::int64_t> shape, float first = 0);
/// A tensor of zeros, of any type of 1 to 8 bytes.
Raw zeros(std::string name, std::vector<std::int64_t> shape, std::string dtype = "F32");

/// A safetensors file of this header and data, with the header's length in front.
std::string safetensors(std::string_view header, std::string_view data = {});
/// A proper file of these tensors, in this order.
std::string safetensors(const std::vector<Raw>& tensors, std::string_view metadata_json = {});
/// The same file with a space behind its header, so that no tensor is aligned.
std::string misaligned(std::string safetensors);

std::int64_t product(const std::vector<std::int64_t>& shape);
std::vector<std::int64_t> sizes(const Shape& shape);

} // namespace denoir::test
