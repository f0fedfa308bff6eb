// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/safetensors_stream.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>

#include "engine/core/error.h"
#include "engine/core/json_fields.h"
#include "engine/weights/safetensors_header.h"

namespace denoir {
namespace {

std::size_t up_to_eight(std::size_t n) { return (n + 7) / 8 * 8; }

} // namespace

SafetensorsStream::SafetensorsStream(std::filesystem::path path, std::size_t header_room)
    : file_(std::move(path)), room_(up_to_eight(sizeof(std::uint64_t) + header_room)) {
    // Not a hole: a full disk shall say so now.
    const std::string blank(std::min<std::size_t>(room_, std::size_t{1} << 16), ' ');
    for (std::size_t left = room_; left > 0;) {
        const std::size_t n = std::min(left, blank.size());
        file_.write(blank.data(), n);
        left -= n;
    }
}

void SafetensorsStream::append(const std::string& name, const Tensor& dense) {
    assert(dense.is_contiguous() && !dense.backend());
    if (info(dense.dtype()).safetensors.empty())
        throw Error("", name, fmt::format("safetensors files have no type for {}", info(dense.dtype()).name),
                    "leave this tensor out");
    if (!names_.insert(name).second)
        throw Error("", name, "the tensor is there twice", "give each tensor its own name");
    file_.write(dense.raw(), dense.bytes());
    table_.push_back({name, dense.shape(), dense.dtype(), bytes_, bytes_ + dense.bytes()});
    bytes_ += dense.bytes();
}

/// Moves all data behind a longer header, from the end on.
void SafetensorsStream::make_room(std::size_t header) {
    const std::size_t needed = up_to_eight(sizeof(std::uint64_t) + header);
    if (needed <= room_) return;
    std::vector<char> buffer(std::min<std::uint64_t>(bytes_, std::uint64_t{8} << 20));
    for (std::uint64_t left = bytes_; left > 0;) {
        const std::size_t n = std::min<std::uint64_t>(left, buffer.size());
        left -= n;
        for (std::size_t done = 0; done < n;) {
            const ssize_t got =
                ::pread(file_.descriptor(), buffer.data() + done, n - done, static_cast<off_t>(room_ + left + done));
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) throw Error("", "", "the file cannot be read back while it is written", "check the disk");
            done += static_cast<std::size_t>(got);
        }
        file_.write_at(needed + left, buffer.data(), n);
    }
    room_ = needed;
}

void SafetensorsStream::commit(const std::map<std::string, std::string>& metadata) {
    std::string text = "{";
    const auto member = [&](const std::string& name, const Json& value) {
        if (text.size() > 1) text += ',';
        text += one_line(name) + ':' + one_line(value);
    };
    if (!metadata.empty()) member("__metadata__", metadata);
    for (const Entry& e : table_) member(e.name, header_entry(e.dtype, e.shape, e.begin, e.end));
    text += '}';
    make_room(text.size());
    text.append(room_ - sizeof(std::uint64_t) - text.size(), ' ');
    const std::uint64_t length = text.size();
    file_.write_at(0, &length, sizeof length);
    file_.write_at(sizeof length, text.data(), text.size());
    file_.commit();
}

} // namespace denoir
