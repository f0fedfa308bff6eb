// SPDX-License-Identifier: Apache-2.0
#include "engine/media/containers.h"

#include <algorithm>
#include <array>
#include <span>

#include "engine/media/still.h"

namespace denoir::media {
namespace {

constexpr Container mp4{"mp4", "mov"}, matroska{"mkv", "matroska"}, avi{"avi", "avi"}, gif{"gif", "gif"};

/// No real video has more samples than this (46 hours at 24 fps); a made-up number would fill memory with its index.
constexpr std::uint32_t most_samples = 4'000'000;

struct Atom {
    std::uint64_t body = 0, end = 0;
};

/// The MP4 atom at `at` inside [at, limit); size 0 reaches to the limit.
Atom read_atom(const Bytes& bytes, std::uint64_t at, std::uint64_t limit) {
    if (limit - at < 8) refuse_cut();
    std::uint64_t size = bytes.u32(at), head = 8;
    if (size == 1) {
        if (limit - at < 16) refuse_cut();
        size = bytes.u64(at + 8);
        head = 16;
    } else if (size == 0) {
        size = limit - at;
    }
    if (size < head) refuse_damaged("one of its parts has an invalid size");
    if (size > limit - at) refuse_cut();
    return {at + head, at + size};
}

/// Calls visit(type offset, atom) for the atoms of [at, end).
template <class Visit> void for_atoms(const Bytes& bytes, std::uint64_t at, std::uint64_t end, Visit&& visit) {
    while (at < end) {
        const Atom atom = read_atom(bytes, at, end);
        visit(at + 4, atom);
        at = atom.end;
    }
}

/// A sample table may state one size for any number of samples: that number is checked, but for raw sound, which is
/// read in chunks.
void check_sample_table(const Bytes& bytes, const Atom& table) {
    std::uint32_t samples = 0;
    bool chunks = false;
    for_atoms(bytes, table.body, table.end, [&](std::uint64_t type, const Atom& atom) {
        if (bytes.matches(type, "stsz") && bytes.u32(atom.body + 4) != 0)
            samples = std::max(samples, bytes.u32(atom.body + 8));
        if (bytes.matches(type, "stts")) chunks = bytes.u32(atom.body + 4) == 1 && bytes.u32(atom.body + 12) == 1;
    });
    if (samples > most_samples && !chunks) refuse_damaged("it claims " + std::to_string(samples) + " samples");
}

/// Descends to the sample tables, along their one way: a file may nest atoms as deep as it likes.
void check_tracks(const Bytes& bytes, const Atom& parent, std::span<const char* const> way) {
    for_atoms(bytes, parent.body, parent.end, [&](std::uint64_t type, const Atom& atom) {
        if (!bytes.matches(type, way.front())) return;
        if (way.size() == 1)
            check_sample_table(bytes, atom);
        else
            check_tracks(bytes, atom, way.subspan(1));
    });
}

/// Whether a whole header with a type of letters is there.
bool begins_atom(const Bytes& bytes, std::uint64_t at) {
    const Data type = bytes.part(at + 4, 4);
    return type.size() == 4 && std::ranges::all_of(type, [](std::uint8_t c) { return c >= 0x20 && c < 0x7F; });
}

void check_mp4(Data data) {
    constexpr std::array<const char*, 4> way{"trak", "mdia", "minf", "stbl"};
    const Bytes bytes{data};
    bool index = false, samples = false, pieces = false;
    for (std::uint64_t at = 0; at < data.size();) {
        // Cameras and copies leave bytes behind the last atom. Of a film in pieces (moof) they may be the next one.
        if (index && samples && !pieces && !begins_atom(bytes, at)) break;
        const Atom atom = read_atom(bytes, at, data.size());
        const std::uint64_t type = at + 4;
        if (bytes.matches(type, "ftyp"))
            for (const char* picture : {"heic", "heix", "mif1", "avif", "avis"})
                if (bytes.matches(atom.body, picture)) refuse_kind("a HEIF or AVIF picture");
        if (bytes.matches(type, "moov")) {
            index = true;
            check_tracks(bytes, atom, way);
        }
        samples |= bytes.matches(type, "mdat");
        pieces |= bytes.matches(type, "moof");
        at = atom.end;
    }
    if (!index)
        throw Error("", "", "the index of the file (moov) is missing: it is cut short", "copy or download it again");
}

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
    if (&container == &mp4) check_mp4(data);
    if (&container == &matroska) check_matroska(data);
    if (&container == &avi) check_avi(data);
    if (&container == &gif) scan_gif(data, Depth::headers);
}

} // namespace denoir::media
