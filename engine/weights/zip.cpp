// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/zip.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/error.h"
#include "engine/weights/bytes.h"

namespace denoir {
namespace {

constexpr std::uint32_t end_magic = 0x06054B50, end64_magic = 0x06064B50, locator64_magic = 0x07064B50,
                        central_magic = 0x02014B50, local_magic = 0x04034B50;
constexpr std::uint64_t end_bytes = 22, locator64_bytes = 20, local_bytes = 30, central_bytes = 46;
constexpr std::uint64_t max_entries = 200'000;

struct Directory {
    std::uint64_t entries = 0, bytes = 0, offset = 0;
};

class Archive {
public:
    Archive(std::span<const std::byte> bytes, const std::string& file) : bytes_(bytes), file_(file) {}

    std::vector<ZipEntry> read() {
        const Directory directory = find_directory();
        ByteReader in(bytes_.first(directory.offset + directory.bytes), directory.offset);
        std::vector<ZipEntry> entries;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> taken; // [local header, end of data) of each entry
        for (std::uint64_t i = 0; i < directory.entries; ++i) {
            std::uint64_t begin = 0;
            entries.push_back(entry(in, directory, begin));
            taken.emplace_back(begin, entries.back().offset + entries.back().bytes);
        }
        check_apart(taken);
        check_names(entries);
        return entries;
    }

private:
    [[noreturn]] void fail(std::string what) const {
        throw Error(file_, "zip archive", std::move(what), "the file is damaged: download or write it again");
    }
    [[noreturn]] void fail_in(std::string_view entry, std::string what) const {
        throw Error(file_, std::string(entry), std::move(what), "give a file as torch.save wrote it");
    }

    Directory find_directory() const {
        if (bytes_.size() < end_bytes) fail("too short for a zip archive");
        const std::uint64_t last = bytes_.size() - end_bytes, first = last > 65'535 ? last - 65'535 : 0;
        for (std::uint64_t at = last + 1; at-- > first;) {
            ByteReader in(bytes_, at);
            std::uint32_t magic = 0;
            in.read(magic);
            if (magic == end_magic && comment_fits(at)) return read_end(at);
        }
        fail("it has no end record: the file is cut short");
    }
    bool comment_fits(std::uint64_t at) const {
        ByteReader in(bytes_, at + 20);
        std::uint16_t comment = 0;
        return in.read(comment) && in.left() == comment;
    }

    Directory read_end(std::uint64_t at) const {
        ByteReader in(bytes_, at + 4);
        std::uint16_t disk = 0, directory_disk = 0, here = 0, total = 0;
        std::uint32_t bytes = 0, offset = 0;
        in.read(disk), in.read(directory_disk), in.read(here), in.read(total), in.read(bytes), in.read(offset);
        Directory d{total, bytes, offset};
        std::uint64_t limit = at;
        if (total == 0xFFFF || bytes == 0xFFFFFFFF || offset == 0xFFFFFFFF || has_locator64(at)) {
            d = read_end64(at, limit);
        } else if (disk != 0 || directory_disk != 0 || here != total) {
            fail("it spans several disks");
        }
        if (d.offset > limit || d.bytes > limit - d.offset) fail("its directory lies outside the file");
        if (d.entries > max_entries) fail(fmt::format("{} entries, at most {} are read", d.entries, max_entries));
        if (d.entries > d.bytes / central_bytes) fail("its directory is too small for its number of entries");
        return d;
    }
    bool has_locator64(std::uint64_t end) const {
        std::uint32_t magic = 0;
        return end >= locator64_bytes && ByteReader(bytes_, end - locator64_bytes).read(magic) &&
               magic == locator64_magic;
    }
    Directory read_end64(std::uint64_t end, std::uint64_t& limit) const {
        if (!has_locator64(end)) fail("its ZIP64 locator is missing");
        ByteReader in(bytes_, end - locator64_bytes + 4);
        std::uint32_t disk = 0, disks = 0, magic = 0;
        std::uint64_t at = 0, size = 0;
        in.read(disk), in.read(at), in.read(disks);
        if (disk != 0 || disks > 1) fail("it spans several disks");
        if (at > end - locator64_bytes || end - locator64_bytes - at < 56)
            fail("its ZIP64 record lies outside the file");
        ByteReader record(bytes_, at);
        std::uint16_t version = 0;
        std::uint32_t this_disk = 0, directory_disk = 0;
        std::uint64_t here = 0;
        Directory d;
        record.read(magic), record.read(size), record.read(version), record.read(version), record.read(this_disk),
            record.read(directory_disk);
        record.read(here), record.read(d.entries), record.read(d.bytes), record.read(d.offset);
        if (magic != end64_magic) fail("its ZIP64 record is not where it should be");
        if (this_disk != 0 || directory_disk != 0 || here != d.entries) fail("it spans several disks");
        limit = at;
        return d;
    }

    ZipEntry entry(ByteReader& in, const Directory& directory, std::uint64_t& begin) const {
        std::uint32_t magic = 0, time = 0, crc = 0, packed32 = 0, size32 = 0, external = 0, offset32 = 0;
        std::uint16_t made = 0, needed = 0, flags = 0, method = 0, name_length = 0, extra_length = 0,
                      comment_length = 0, disk = 0, internal = 0;
        const bool whole = in.read(magic) && in.read(made) && in.read(needed) && in.read(flags) && in.read(method) &&
                           in.read(time) && in.read(crc) && in.read(packed32) && in.read(size32) &&
                           in.read(name_length) && in.read(extra_length) && in.read(comment_length) && in.read(disk) &&
                           in.read(internal) && in.read(external) && in.read(offset32);
        if (!whole || magic != central_magic) fail("its directory is damaged");
        const auto entry_name = in.text(name_length), extra = in.text(extra_length);
        if (!entry_name || !extra || !in.skip(comment_length)) fail("its directory is damaged");

        if (method != 0)
            fail_in(*entry_name, fmt::format("compressed (method {}), only stored entries are read", method));
        if (flags & 0x2041u) fail_in(*entry_name, "encrypted"); // traditional, strong, or masked headers
        std::uint64_t size = size32, packed = packed32, offset = offset32;
        std::uint32_t disk32 = disk;
        read_extra64(*entry_name, *extra, size, packed, offset, disk32);
        if (disk32 != 0) fail_in(*entry_name, "the archive spans several disks");
        if (size != packed) fail_in(*entry_name, fmt::format("stored, but {} bytes became {}", size, packed));
        begin = offset;
        return {std::string(*entry_name), data_offset(*entry_name, offset, size, directory.offset), size};
    }

    /// The ZIP64 extra field holds, in this order, only what is all ones in the entry.
    void read_extra64(std::string_view entry_name, std::string_view extra, std::uint64_t& size, std::uint64_t& packed,
                      std::uint64_t& offset, std::uint32_t& disk) const {
        ByteReader in({reinterpret_cast<const std::byte*>(extra.data()), extra.size()});
        std::uint16_t id = 0, length = 0;
        while (in.read(id) && in.read(length)) {
            const auto field = in.text(length);
            if (!field) fail_in(entry_name, "its extra field is damaged");
            if (id != 0x0001) continue;
            ByteReader values({reinterpret_cast<const std::byte*>(field->data()), field->size()});
            const auto take = [&](auto& value, std::uint64_t marker) {
                if (value == marker && !values.read(value)) fail_in(entry_name, "its ZIP64 field is too short");
            };
            take(size, 0xFFFFFFFF), take(packed, 0xFFFFFFFF), take(offset, 0xFFFFFFFF), take(disk, 0xFFFF);
            return;
        }
    }

    /// Name and extra field of the local header have their own lengths: torch pads the data to 64 bytes with them.
    std::uint64_t data_offset(std::string_view entry_name, std::uint64_t local, std::uint64_t size,
                              std::uint64_t limit) const {
        if (local > limit || limit - local < local_bytes) fail_in(entry_name, "it lies outside the file");
        ByteReader in(bytes_, local);
        std::uint32_t magic = 0;
        std::uint16_t name_length = 0, extra_length = 0;
        in.read(magic);
        if (magic != local_magic) fail_in(entry_name, "its local header is damaged");
        in.skip(22), in.read(name_length), in.read(extra_length);
        const auto local_name = in.text(name_length);
        if (!local_name || *local_name != entry_name) fail_in(entry_name, "its two headers disagree about the name");
        const std::uint64_t data = local + local_bytes + name_length + extra_length;
        if (data > limit || size > limit - data) fail_in(entry_name, "its data lie outside the file");
        return data;
    }

    void check_apart(std::vector<std::pair<std::uint64_t, std::uint64_t>>& taken) const {
        std::ranges::sort(taken);
        for (std::size_t i = 1; i < taken.size(); ++i)
            if (taken[i].first < taken[i - 1].second) fail("two of its entries overlap");
    }
    void check_names(const std::vector<ZipEntry>& entries) const {
        std::vector<std::string_view> names;
        for (const auto& e : entries) names.push_back(e.name);
        std::ranges::sort(names);
        const auto twice = std::ranges::adjacent_find(names);
        if (twice != names.end()) fail_in(*twice, "the entry is there twice");
    }

    std::span<const std::byte> bytes_;
    const std::string& file_;
};

} // namespace

std::vector<ZipEntry> read_zip_directory(std::span<const std::byte> archive, const std::string& file) {
    return Archive(archive, file).read();
}

} // namespace denoir
