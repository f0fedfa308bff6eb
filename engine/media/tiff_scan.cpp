// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "engine/media/still.h"

namespace denoir::media {
namespace {

// TIFF 6.0. A directory is a count of 16 bits and its entries: each has tag, type, count, and the value or its offset.
enum Tag : std::uint32_t {
    width_tag = 256,
    height_tag = 257,
    bits_tag = 258,
    compression_tag = 259,
    photometric_tag = 262,
    fill_order_tag = 266,
    strip_offsets_tag = 273,
    orientation_tag = 274,
    samples_tag = 277,
    rows_per_strip_tag = 278,
    strip_bytes_tag = 279,
    planes_tag = 284,
    predictor_tag = 317,
    palette_tag = 320,
    tile_width_tag = 322,
    sample_format_tag = 339
};
enum Type : std::uint32_t { byte_type = 1, short_type = 3, long_type = 4 };
enum Compression : std::uint32_t { none = 1, lzw = 5, deflate = 8, pack_bits = 32773, old_deflate = 32946 };

constexpr std::uint64_t entry_bytes = 12;
constexpr std::uint32_t most_entries = 512; ///< real files have some twenty
/// Offset of entry i of the directory at `directory`. Behind the last entry lies the offset of the next directory.
std::uint64_t entry_at(std::uint64_t directory, std::uint32_t i) { return directory + 2 + entry_bytes * i; }

/// One entry of the first directory: `count` numbers of 1, 2 or 4 bytes, which lie at offset `at`.
struct Entry {
    std::uint32_t type = 0, count = 0;
    std::uint64_t at = 0;

    std::uint32_t value(const Bytes& bytes, std::uint32_t i) const {
        return type == byte_type    ? bytes.u8(at + i)
               : type == short_type ? bytes.u16(at + 2 * std::uint64_t{i})
                                    : bytes.u32(at + 4 * std::uint64_t{i});
    }
    bool all(const Bytes& bytes, std::uint32_t least, std::uint32_t most) const {
        for (std::uint32_t i = 0; i < count && i < 16; ++i)
            if (value(bytes, i) < least || value(bytes, i) > most) return false;
        return true;
    }
};

class Directory {
public:
    explicit Directory(const Bytes& bytes) : bytes_(bytes) {
        const std::uint64_t begin = bytes.u32(4);
        const std::uint32_t count = bytes.u16(begin);
        if (!bytes.has(begin, entry_at(0, count))) refuse_cut();
        if (count == 0 || count > most_entries) refuse_damaged("its directory is not valid");
        std::uint32_t last = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint64_t at = entry_at(begin, i);
            const std::uint32_t tag = bytes.u16(at);
            // No tag may occur twice: a decoder that takes the last entry would see another picture than we do.
            if (tag <= last && i > 0) refuse_damaged("its directory is not sorted");
            last = tag;
            add(tag, at);
        }
    }

    const Entry* find(Tag tag) const {
        for (std::size_t i = 0; i < wanted.size(); ++i)
            if (wanted[i] == tag) return entries_[i].count ? &entries_[i] : nullptr;
        return nullptr;
    }
    std::uint32_t number(Tag tag, std::uint32_t otherwise) const {
        const Entry* entry = find(tag);
        return entry ? entry->value(bytes_, 0) : otherwise;
    }

    /// Whether there is a further directory: another page, or the picture in another size.
    bool has_next() const {
        const std::uint64_t at = bytes_.u32(4);
        const std::uint64_t next = entry_at(at, bytes_.u16(at));
        return bytes_.has(next, 4) && bytes_.u32(next) != 0;
    }

    /// The file with a new directory at its end that holds only the tags describing pixels: a decoder that is set to be
    /// strict about broken strips would be strict about unknown tags as well.
    std::vector<std::uint8_t> reduced() const {
        std::vector<std::uint8_t> file;
        constexpr std::size_t directory = 4096; // more than the new directory takes
        file.reserve(bytes_.data.size() + directory + AV_INPUT_BUFFER_PADDING_SIZE);
        append(file, bytes_.data);
        file.resize((file.size() + 1) & ~std::size_t{1});
        const auto put = [&](std::size_t at, std::uint32_t v, int n) {
            for (int i = 0; i < n; ++i)
                file[at + static_cast<std::size_t>(i)] =
                    static_cast<std::uint8_t>(v >> 8 * (bytes_.big_endian ? n - 1 - i : i));
        };
        const std::size_t begin = file.size();
        put(4, static_cast<std::uint32_t>(begin), 4);
        file.resize(begin + 2);
        std::uint32_t count = 0;
        const std::uint64_t old = bytes_.u32(4);
        for (std::uint32_t i = 0; i < bytes_.u16(old); ++i) {
            const Data entry = bytes_.part(entry_at(old, i), entry_bytes);
            if (!describes_pixels(Bytes{entry, bytes_.big_endian}.u16(0))) continue;
            append(file, entry);
            ++count;
        }
        put(begin, count, 2);
        file.resize(file.size() + 4); // no further directory
        return file;
    }

private:
    static bool describes_pixels(std::uint32_t tag) {
        constexpr std::array tags{width_tag,      height_tag,        bits_tag,    compression_tag,    photometric_tag,
                                  fill_order_tag, strip_offsets_tag, samples_tag, rows_per_strip_tag, strip_bytes_tag,
                                  planes_tag,     predictor_tag,     palette_tag, sample_format_tag};
        return std::ranges::find(tags, tag) != tags.end();
    }

    static constexpr std::array wanted{width_tag,       height_tag,        bits_tag,         compression_tag,
                                       photometric_tag, strip_offsets_tag, orientation_tag,  samples_tag,
                                       strip_bytes_tag, tile_width_tag,    sample_format_tag};

    void add(std::uint32_t tag, std::uint64_t at) {
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            if (wanted[i] != tag) continue;
            Entry entry{bytes_.u16(at + 2), bytes_.u32(at + 4), at + 8};
            const std::uint64_t size = entry.type == byte_type ? 1 : entry.type == short_type ? 2 : 4;
            const std::uint64_t bytes = entry.count * size;
            if (entry.type != byte_type && entry.type != short_type && entry.type != long_type)
                refuse_damaged("an entry of its directory is not valid");
            if (bytes > 4) entry.at = bytes_.u32(at + 8);
            if (!bytes_.has(entry.at, bytes)) refuse_cut();
            entries_[i] = entry;
        }
    }

    Bytes bytes_;
    std::array<Entry, wanted.size()> entries_{};
};

void check_strips(const Bytes& bytes, const Directory& directory) {
    const Entry* offsets = directory.find(strip_offsets_tag);
    const Entry* sizes = directory.find(strip_bytes_tag);
    if (directory.find(tile_width_tag)) refuse_kind("a tiled TIFF");
    if (!offsets || !sizes || offsets->count != sizes->count) refuse_damaged("its strips are not listed");
    for (std::uint32_t i = 0; i < offsets->count; ++i)
        if (!bytes.has(offsets->value(bytes, i), sizes->value(bytes, i))) refuse_cut();
}

} // namespace

bool is_tiff(Data data) {
    const Bytes bytes{data};
    return bytes.matches(0, std::string_view("II*\0", 4)) || bytes.matches(0, std::string_view("MM\0*", 4));
}

Still scan_tiff(Data data, Depth depth) {
    const Bytes bytes{data, Bytes{data}.matches(0, "MM")};
    const Directory directory(bytes);
    const std::uint32_t w = directory.number(width_tag, 0), h = directory.number(height_tag, 0);
    Still still = make_still("TIFF", AV_CODEC_ID_TIFF, w, h);
    const std::uint32_t compression = directory.number(compression_tag, none),
                        samples = directory.number(samples_tag, 1);
    constexpr std::array<std::uint32_t, 5> known{none, lzw, deflate, pack_bits, old_deflate};
    if (std::ranges::find(known, compression) == known.end())
        refuse_kind("a TIFF with compression " + std::to_string(compression));
    constexpr std::uint32_t black_is_zero = 1, palette = 3; // photometric interpretations: 0 and 1 grey, 2 RGB
    if (directory.number(photometric_tag, black_is_zero) > palette)
        refuse_kind("a TIFF that is neither grey, RGB nor a palette");
    const Entry* bits = directory.find(bits_tag);
    const Entry* format = directory.find(sample_format_tag);
    if ((bits && !bits->all(bytes, 1, 16)) || (format && !format->all(bytes, 1, 1)))
        refuse_kind("a TIFF of other than 1 to 16 bit integers");
    if (samples == 0 || samples > 4) refuse_kind("a TIFF with " + std::to_string(samples) + " samples");
    // LZW takes up to twelve bits for a byte.
    check_weight(data.size(), std::uint64_t{w} * h * samples * (bits ? bits->value(bytes, 0) + 7 : 8) / 8 * 3 / 2);
    check_strips(bytes, directory);
    if (compression == none && std::uint64_t{w} * h * samples * (bits ? bits->value(bytes, 0) : 1) / 8 > data.size())
        refuse_cut();

    const std::uint32_t orientation = directory.number(orientation_tag, 1);
    if (orientation <= 8) still.orientation = static_cast<int>(orientation);
    still.kind = {bits ? std::max(8, static_cast<int>(bits->value(bytes, 0))) : 8, samples == 2 || samples == 4, false,
                  directory.has_next()};
    if (depth == Depth::whole) still.packet = directory.reduced();
    return still;
}

} // namespace denoir::media
