// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace denoir {
class MappedFile;
}

namespace denoir::media {

using Data = std::span<const std::uint8_t>;

/// Reads numbers at any offset of untrusted bytes. Outside the data everything reads as zero; callers to whom this
/// matters check has().
struct Bytes {
    Data data;
    bool big_endian = true;

    bool has(std::uint64_t at, std::uint64_t n) const { return at <= data.size() && n <= data.size() - at; }
    std::uint32_t u8(std::uint64_t at) const { return has(at, 1) ? data[at] : 0; }
    std::uint32_t u16(std::uint64_t at) const {
        return big_endian ? u8(at) << 8 | u8(at + 1) : u8(at + 1) << 8 | u8(at);
    }
    std::uint32_t u32(std::uint64_t at) const {
        return big_endian ? u16(at) << 16 | u16(at + 2) : u16(at + 2) << 16 | u16(at);
    }
    std::uint64_t u64(std::uint64_t at) const {
        return big_endian ? std::uint64_t{u32(at)} << 32 | u32(at + 4) : std::uint64_t{u32(at + 4)} << 32 | u32(at);
    }
    bool matches(std::uint64_t at, std::string_view text) const {
        return has(at, text.size()) && std::memcmp(data.data() + at, text.data(), text.size()) == 0;
    }
    /// The bytes [at, at + n), as far as they lie inside the data.
    Data part(std::uint64_t at, std::uint64_t n) const {
        if (at > data.size()) return {};
        return data.subspan(at, std::min<std::uint64_t>(n, data.size() - at));
    }
};

/// The bytes of the whole file, valid as long as `file` is.
Data data_of(const MappedFile& file);

void append(std::vector<std::uint8_t>& out, Data part);
void append(std::vector<std::uint8_t>& out, std::string_view text);
void append_u32_be(std::vector<std::uint8_t>& out, std::uint32_t v);
void append_u32_le(std::vector<std::uint8_t>& out, std::uint32_t v);

} // namespace denoir::media
