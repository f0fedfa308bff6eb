// SPDX-License-Identifier: Apache-2.0
#include "engine/media/bytes.h"

#include "engine/core/mapped_file.h"

namespace denoir::media {

Data data_of(const MappedFile& file) {
    return {reinterpret_cast<const std::uint8_t*>(file.span().data()), file.span().size()};
}

void append(std::vector<std::uint8_t>& out, Data part) { out.insert(out.end(), part.begin(), part.end()); }

void append(std::vector<std::uint8_t>& out, std::string_view text) {
    append(out, Data{reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

void append_u32_be(std::vector<std::uint8_t>& out, std::uint32_t v) {
    for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<std::uint8_t>(v >> shift));
}

void append_u32_le(std::vector<std::uint8_t>& out, std::uint32_t v) {
    for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<std::uint8_t>(v >> shift));
}

} // namespace denoir::media
