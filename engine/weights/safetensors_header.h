// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/json.h"
#include "engine/core/tensor.h"

namespace denoir {

/// One entry of a safetensors header, as written there.
struct HeaderTensor {
    std::string name, dtype;
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0, end = 0;
};

struct SafetensorsHeader {
    std::vector<HeaderTensor> tensors;
    std::map<std::string, std::string> metadata;
};

/// The JSON of an entry to be written; its data are bytes [begin, end) behind the header.
Json header_entry(DType dtype, const Shape& shape, std::uint64_t begin, std::uint64_t end);

/// Parses the JSON object of a safetensors header in one pass without a document tree: a header may have 100 MB, and a
/// stranger's file is refused within 2 s and 1 GiB. Integers are exact to 64 bits. Errors name `file` and the byte of
/// the header where it went wrong. Repeated names are found by the caller, who sorts the table anyway.
SafetensorsHeader parse_safetensors_header(std::string_view json, const std::string& file);

} // namespace denoir
