// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>

#include "engine/media/containers.h"
#include "engine/media/still.h"

namespace denoir::media {
namespace {

/// Limit of all tracks and fragments together; no real video has more (15 hours at 24 fps with its sound). libav keeps
/// some 30 bytes for each.
constexpr std::uint64_t most_samples = 4'000'000;
/// Per byte of the file. One that claims more is incomplete or lies.
constexpr std::uint64_t most_samples_a_byte = 8;
/// Limit of the samples of a track times its edits after the first: libav may go through all samples, and copy them,
/// for each edit.
constexpr std::uint64_t most_edited_samples = 8'000'000;
/// libav stores few of them, but reads them all.
constexpr std::uint64_t most_atoms = 4'000'000;
/// libav's own limit of nesting.
constexpr int deepest = 10;

/// Atoms that hold others. The first ones must be filled exactly; the others may end in a few stray bytes, as programs
/// write them.
constexpr std::array<std::string_view, 7> exact_holders{"moov", "trak", "mdia", "minf", "stbl", "moof", "traf"};
constexpr std::array<std::string_view, 10> loose_holders{"hoov", "mvex", "edts", "dinf", "udta",
                                                         "tref", "ilst", "sinf", "schi", "wave"};
/// Atoms whose inner ones begin at unknown offsets. They hold no text of the user, in which an atom's name could occur.
constexpr std::array<std::string_view, 3> opaque_holders{"stsd", "iref", "iprp"};
constexpr std::uint64_t largest_opaque = 1 << 20;

struct Atom {
    std::uint64_t body = 0, end = 0;
};

enum class Ends { exact, loose };

/// The MP4 atom at `at` inside [at, limit); one of size 0 reaches to the limit. With loose ends, one that claims more
/// is cut there, as libav does, and the result is empty if there is no atom. With exact ends, both throw Error.
std::optional<Atom> read_atom(const Bytes& bytes, std::uint64_t at, std::uint64_t limit, Ends ends) {
    std::uint64_t size = bytes.u32(at), head = 8;
    if (size == 1) {
        size = bytes.u64(at + 8);
        head = 16;
    } else if (size == 0) {
        size = limit - at;
    }
    if (limit - at < head) {
        if (ends == Ends::loose) return {};
        refuse_cut();
    }
    if (size < head) {
        if (ends == Ends::loose) return {};
        refuse_damaged("a part of it has no valid size");
    }
    if (size > limit - at) {
        if (ends == Ends::exact) refuse_cut();
        size = limit - at;
    }
    return Atom{at + head, at + size};
}

/// Calls visit(offset of the type, atom) for each atom in [at, end).
template <class Visit>
void for_atoms(const Bytes& bytes, std::uint64_t at, std::uint64_t end, Ends ends, Visit&& visit) {
    while (at < end) {
        const std::optional<Atom> atom = read_atom(bytes, at, end, ends);
        if (!atom) return;
        visit(at + 4, *atom);
        at = atom->end;
    }
}

/// Counts the samples for which libav would allocate memory, from tables that may state one size for any number of
/// them. libav reads such tables wherever they are, so that this class looks everywhere.
class SampleClaims {
public:
    explicit SampleClaims(const Bytes& bytes) : bytes_(bytes) {}

    void add(std::uint64_t type, const Atom& atom) { add(type, atom, stray_, 0); }

    /// Throws Error if there are more than a real video has, or than the file can hold.
    void check() const {
        const std::uint64_t entries = sum(entries_, stray_.samples), samples = sum(samples_, stray_.samples);
        if (entries > most_samples || samples / most_samples_a_byte > bytes_.data.size())
            refuse_damaged("it claims " + std::to_string(std::max(entries, samples)) + " samples");
        if (edited_ > most_edited_samples || product(stray_.edits, samples) > most_edited_samples)
            refuse_damaged("its edits repeat it too often");
    }

private:
    struct Track {
        std::uint64_t samples = 0, bytes = 0; ///< `bytes` is the size of all samples
        std::uint64_t edits = 0;              ///< edits other than pauses
        bool sound = false, other = false;    ///< kinds of handlers that it has
        bool doubled = false;                 ///< has one of the following atoms twice
        std::optional<Atom> times, chunks, offsets, kind;
    };

    static std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
        return a + std::min(b, std::numeric_limits<std::uint64_t>::max() - a);
    }

    static std::uint64_t product(std::uint64_t a, std::uint64_t b) {
        std::uint64_t result = 0;
        return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<std::uint64_t>::max() : result;
    }

    bool is_one_of(std::uint64_t type, auto& names) const {
        return std::ranges::any_of(names, [&](std::string_view name) { return bytes_.matches(type, name); });
    }

    bool contains(const Atom& atom, std::string_view word) const {
        const Data part = bytes_.part(atom.body, atom.end - atom.body);
        return std::search(part.begin(), part.end(), word.begin(), word.end(),
                           [](std::uint8_t a, char b) { return a == std::uint8_t(b); }) != part.end();
    }

    void add(std::uint64_t type, const Atom& atom, Track& track, int depth) {
        if (depth > deepest) refuse_damaged("its parts are nested too deep");
        if (++atoms_ > most_atoms) refuse_damaged("it has too many parts");
        const auto inside = [&](std::uint64_t from, Ends ends, Track& owner) {
            for_atoms(bytes_, from, atom.end, ends,
                      [&](std::uint64_t t, const Atom& a) { add(t, a, owner, depth + 1); });
        };
        if (bytes_.matches(type, "trak")) {
            Track own;
            inside(atom.body, Ends::exact, own);
            samples_ = sum(samples_, own.samples);
            entries_ = sum(entries_, entries_of(own));
            if (own.edits > 1) edited_ = sum(edited_, product(own.edits - 1, entries_of(own)));
            if (!own.sound && own.bytes > bytes_.data.size() + most_bytes_beyond)
                refuse_damaged("it claims more data than it holds");
        } else if (is_one_of(type, exact_holders)) {
            inside(atom.body, Ends::exact, track);
        } else if (is_one_of(type, loose_holders)) {
            inside(atom.body, Ends::loose, track);
        } else if (bytes_.matches(type, "meta")) {
            // Its first atom is the handler, which in newer files begins four bytes later.
            for (std::uint64_t at = atom.body + 4; at + 4 < atom.end; at += 4)
                if (bytes_.matches(at, "hdlr")) return inside(at - 4, Ends::loose, track);
        } else {
            add_table(type, atom, track);
        }
    }

    void add_table(std::uint64_t type, const Atom& atom, Track& track) {
        const auto keep = [&](std::optional<Atom>& table) {
            track.doubled |= table.has_value();
            table = atom;
        };
        if (bytes_.matches(type, "cmov"))
            throw Error("", "", "its index is compressed, which cannot be read", "convert it to MP4 (H.264)");
        if (is_one_of(type, opaque_holders) && atom.end - atom.body > largest_opaque)
            refuse_damaged("a part of it is too large");
        if (is_one_of(type, opaque_holders))
            for (const char* table : {"stsz", "stz2", "trun", "cmov"})
                if (contains(atom, table)) refuse_damaged("it has tables where none belong");
        if (bytes_.matches(type, "stsz") || bytes_.matches(type, "stz2"))
            track.samples = sum(track.samples, bytes_.u32(atom.body + 8));
        if (bytes_.matches(type, "stsz")) track.bytes = sum(track.bytes, bytes_of_samples(atom));
        if (bytes_.matches(type, "elst")) track.edits = sum(track.edits, edits_of(atom));
        if (bytes_.matches(type, "trun")) stray_.samples = sum(stray_.samples, bytes_.u32(atom.body + 4));
        if (bytes_.matches(type, "stts")) keep(track.times);
        if (bytes_.matches(type, "stsc")) keep(track.chunks);
        if (bytes_.matches(type, "stco") || bytes_.matches(type, "co64")) keep(track.offsets);
        if (bytes_.matches(type, "stsd")) keep(track.kind);
        if (bytes_.matches(type, "hdlr")) {
            track.sound |= bytes_.matches(atom.body + 8, "soun");
            for (const char* other : {"vide", "subp", "clcp"}) track.other |= bytes_.matches(atom.body + 8, other);
        }
    }

    std::uint64_t bytes_of_samples(const Atom& sizes) const {
        const std::uint64_t one = bytes_.u32(sizes.body + 4), count = bytes_.u32(sizes.body + 8);
        if (one > 0) return one * count;
        std::uint64_t all = 0;
        const std::uint64_t last = std::min(sizes.body + 12 + 4 * count, sizes.end);
        for (std::uint64_t at = sizes.body + 12; at < last; at += 4) all += bytes_.u32(at);
        return all;
    }

    /// The number of edits that are not pauses (those have the media time -1).
    std::uint64_t edits_of(const Atom& list) const {
        const bool wide = bytes_.u8(list.body) == 1;
        const std::uint64_t bytes = wide ? 20 : 12, first = list.body + 8;
        const std::uint64_t count =
            std::min<std::uint64_t>(bytes_.u32(list.body + 4), first < list.end ? (list.end - first) / bytes : 0);
        std::uint64_t edits = 0;
        for (std::uint64_t at = first; at < first + count * bytes; at += bytes)
            edits += wide ? bytes_.u64(at + 8) != UINT64_MAX : bytes_.u32(at + 4) != UINT32_MAX;
        return edits;
    }

    /// Whether the track is uncompressed sound: it has one description, of a format without packets, and the same
    /// duration for all samples.
    bool is_raw_sound(const Track& track) const {
        constexpr std::array<std::string_view, 13> formats{"raw ", "twos", "sowt", "NONE", "in24", "in32", "fl32",
                                                           "fl64", "lpcm", "alaw", "ulaw", "ipcm", "fpcm"};
        if (!track.sound || track.other || track.doubled || !track.kind || !track.times) return false;
        if (bytes_.u32(track.times->body + 4) != 1 || bytes_.u32(track.times->body + 12) != 1) return false;
        const std::uint64_t entry = track.kind->body + 8;
        if (bytes_.u32(entry - 4) != 1 || !is_one_of(entry + 4, formats) || contains(*track.kind, "esds")) return false;
        const std::uint32_t version = bytes_.u16(entry + 16), one = 1,
                            in_packet = version == 1   ? bytes_.u32(entry + 36)
                                        : version == 2 ? bytes_.u32(entry + 68)
                                                       : one;
        return version <= 2 && in_packet <= one;
    }

    /// The number of entries in libav's index of the track. It reads raw sound in pieces of 1024 samples; other tracks
    /// sample by sample or, some of them, chunk by chunk in pieces of at least 160 samples.
    std::uint64_t entries_of(const Track& track) const {
        return is_raw_sound(track) ? pieces(track, 1024) : std::max(track.samples, pieces(track, 160));
    }

    std::uint64_t pieces(const Track& track, std::uint64_t samples_a_piece) const {
        if (!track.chunks || !track.offsets) return 0;
        const auto pieces_of = [&](std::uint64_t samples) { return (samples + samples_a_piece - 1) / samples_a_piece; };
        const std::uint64_t runs = bytes_.u32(track.chunks->body + 4),
                            chunks =
                                std::min<std::uint64_t>(bytes_.u32(track.offsets->body + 4), bytes_.data.size() / 4);
        if (track.chunks->end - track.chunks->body < runs * 12 + 8) refuse_damaged("a table of it is cut short");
        std::uint64_t all = 0, largest = 0, from = 1;
        bool in_order = !track.doubled;
        for (std::uint64_t run = 0; run < runs; ++run) {
            const std::uint64_t at = track.chunks->body + 8 + 12 * run, first = bytes_.u32(at);
            const std::uint64_t next = run + 1 < runs ? bytes_.u32(at + 12) : chunks + 1;
            in_order &= first >= from && (next > first || run + 1 == runs);
            from = first + 1;
            const std::uint64_t each = pieces_of(bytes_.u32(at + 4)), to = std::min(next, chunks + 1);
            largest = std::max(largest, each);
            if (to > first) all = sum(all, (to - first) * each);
        }
        return in_order ? all : chunks * largest; // unordered runs: the worst case of what libav makes of them
    }

    const Bytes& bytes_;
    Track stray_;               ///< tables outside of tracks, and the samples of all fragments
    std::uint64_t samples_ = 0; ///< samples of all tracks
    std::uint64_t entries_ = 0; ///< entries of libav's index of all tracks
    std::uint64_t edited_ = 0;  ///< entries of each track times its edits after the first
    std::uint64_t atoms_ = 0;
};

/// Whether an atom's header begins at `at`: eight bytes whose type consists of printable characters.
bool begins_atom(const Bytes& bytes, std::uint64_t at) {
    const Data type = bytes.part(at + 4, 4);
    return type.size() == 4 && std::ranges::all_of(type, [](std::uint8_t c) { return c >= 0x20 && c < 0x7F; });
}

} // namespace

void scan_mp4(Data data) {
    const Bytes bytes{data};
    SampleClaims claims(bytes);
    const auto add = [&](std::uint64_t type, const Atom& atom) { claims.add(type, atom); };
    bool index = false, samples = false, pieces = false;
    for (std::uint64_t at = 0; at < data.size();) {
        // Cameras and copying leave stray bytes behind the last atom. In a fragmented file (moof) they may instead be
        // part of the next one.
        if (index && samples && !pieces && !begins_atom(bytes, at)) {
            for_atoms(bytes, at, data.size(), Ends::loose, add); // libav reads them as atoms all the same
            break;
        }
        const Atom atom = read_atom(bytes, at, data.size(), Ends::exact).value();
        const std::uint64_t type = at + 4;
        if (bytes.matches(type, "ftyp"))
            for (const char* picture : {"heic", "heix", "mif1", "avif", "avis"})
                if (bytes.matches(atom.body, picture)) refuse_kind("a HEIF or AVIF picture");
        add(type, atom);
        index |= bytes.matches(type, "moov");
        samples |= bytes.matches(type, "mdat");
        pieces |= bytes.matches(type, "moof");
        at = atom.end;
    }
    if (!index)
        throw Error("", "", "the index of the file (moov) is missing: it is cut short", "copy or download it again");
    claims.check();
}

} // namespace denoir::media
