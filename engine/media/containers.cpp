// SPDX-License-Identifier: Apache-2.0
#include "engine/media/containers.h"

#include "engine/media/still.h"

namespace denoir::media {
namespace {

constexpr Container mp4{"mp4", "mov"}, matroska{"mkv", "matroska"}, avi{"avi", "avi"}, gif{"gif", "gif"};

/// An EBML number: its length is told by the leading zeros of the first byte.
std::uint64_t ebml_number(const Bytes& bytes, std::uint64_t& at, bool keep_marker) {
    const std::uint32_t first = bytes.u8(at);
    unsigned length = 1;
    while (length <= 8 && !(first & (0x100u >> length))) ++length;
    if (length > 8) refuse_damaged("one of its parts has an invalid size");
    if (!bytes.has(at, length)) refuse_cut();
    std::uint64_t value = keep_marker ? first : first & ((0x100u >> length) - 1);
    bool unknown = !keep_marker && value == (0x100u >> length) - 1;
    for (unsigned i = 1; i < length; ++i) {
        value = value << 8 | bytes.u8(at + i);
        unknown &= bytes.u8(at + i) == 0xFF;
    }
    at += length;
    return unknown ? UINT64_MAX : value;
}

void check_matroska(Data data) {
    const Bytes bytes{data};
    bool segment = false;
    for (std::uint64_t at = 0; at < data.size();) {
        const std::uint64_t id = ebml_number(bytes, at, true), size = ebml_number(bytes, at, false);
        segment |= id == 0x18538067;
        if (size == UINT64_MAX) break; // written live: reaches to the end, whatever that is
        if (!bytes.has(at, size)) refuse_cut();
        at += size;
    }
    if (!segment) refuse_cut();
}

void check_avi(Data data) {
    const Bytes bytes{data, false};
    if (!bytes.has(0, std::uint64_t{8} + bytes.u32(4))) refuse_cut();
}

} // namespace

const Container* find_container(Data data) {
    const Bytes bytes{data};
    for (const char* type : {"ftyp", "moov", "mdat", "wide", "free", "skip"})
        if (bytes.matches(4, type)) return &mp4;
    if (bytes.matches(0, "\x1A\x45\xDF\xA3")) return &matroska;
    if (bytes.matches(0, "RIFF") && bytes.matches(8, "AVI ")) return &avi;
    return is_gif(data) ? &gif : nullptr;
}

void check_container(Data data, const Container& container) {
    if (&container == &mp4) scan_mp4(data);
    if (&container == &matroska) check_matroska(data);
    if (&container == &avi) check_avi(data);
    if (&container == &gif) scan_gif(data, Depth::headers);
}

} // namespace denoir::media
