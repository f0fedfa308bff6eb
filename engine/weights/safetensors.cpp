// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "engine/core/error.h"
#include "engine/core/named.h"
#include "engine/weights/limits.h"
#include "engine/weights/safetensors_header.h"

namespace denoir {
namespace {

constexpr const char* damaged = "the file is damaged: download or write it again";

/// Bits of an element for the types of the format, those that we cannot compute with included; 0: a name that nobody
/// defined.
int bits_of(std::string_view dtype) {
    static constexpr std::array table{
        Named<int>{"BOOL", 8},    Named<int>{"U8", 8},      Named<int>{"I8", 8},          Named<int>{"F8_E4M3", 8},
        Named<int>{"F8_E5M2", 8}, Named<int>{"F8_E8M0", 8}, Named<int>{"F8_E4M3FNUZ", 8}, Named<int>{"F8_E5M2FNUZ", 8},
        Named<int>{"I16", 16},    Named<int>{"U16", 16},    Named<int>{"F16", 16},        Named<int>{"BF16", 16},
        Named<int>{"I32", 32},    Named<int>{"U32", 32},    Named<int>{"F32", 32},        Named<int>{"C64", 64},
        Named<int>{"I64", 64},    Named<int>{"U64", 64},    Named<int>{"F64", 64},        Named<int>{"F4", 4},
        Named<int>{"F6_E2M3", 6}, Named<int>{"F6_E3M2", 6}};
    return value_named(table, dtype).value_or(0);
}

void check_size(const HeaderTensor& t, const std::string& file) {
    const auto elements = checked_elements(t.shape);
    if (!elements) throw Error(file, t.name, "the product of its shape does not fit in 64 bits", damaged);
    const int bits = bits_of(t.dtype);
    if (bits == 0) return; // unknown type: refused when somebody asks for the tensor
    std::int64_t total = 0;
    if (__builtin_mul_overflow(*elements, static_cast<std::int64_t>(bits), &total))
        throw Error(file, t.name, "its size in bytes does not fit in 64 bits", damaged);
    if (total % 8 != 0)
        throw Error(file, t.name, fmt::format("its {} elements of {} do not fill whole bytes", *elements, t.dtype),
                    damaged);
    if (static_cast<std::uint64_t>(total / 8) != t.end - t.begin)
        throw Error(file, t.name,
                    fmt::format("its shape and type {} ask for {} bytes, data_offsets give {}", t.dtype, total / 8,
                                t.end - t.begin),
                    damaged);
}

/// Rules 5 to 7: without gaps or overlaps from 0 to the end of the file.
void check_offsets(const SafetensorsHeader& header, std::uint64_t data_bytes, const std::string& file) {
    std::vector<std::uint32_t> order(header.tensors.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, {},
                      [&](std::uint32_t i) { return std::pair(header.tensors[i].begin, header.tensors[i].end); });
    std::uint64_t next = 0;
    for (const std::uint32_t i : order) {
        const HeaderTensor& t = header.tensors[i];
        if (t.begin > t.end) throw Error(file, t.name, "data_offsets end before they begin", damaged);
        if (t.end > data_bytes)
            throw Error(file, t.name,
                        fmt::format("its data end at byte {}, the file has {} bytes of data: it is cut short", t.end,
                                    data_bytes),
                        "download or write it again");
        if (t.begin != next)
            throw Error(file, t.name,
                        t.begin > next ? "there is a gap before its data" : "its data overlap another tensor's",
                        damaged);
        check_size(t, file);
        next = t.end;
    }
    if (next != data_bytes)
        throw Error(file, "", fmt::format("{} bytes follow the last tensor", data_bytes - next), damaged);
}

void check_names(const SafetensorsHeader& header, const std::string& file) {
    std::vector<std::string_view> names;
    names.reserve(header.tensors.size());
    for (const auto& t : header.tensors) names.push_back(t.name);
    std::ranges::sort(names);
    const auto twice = std::ranges::adjacent_find(names);
    if (twice != names.end()) throw Error(file, std::string(*twice), "the tensor is there twice", damaged);
}

} // namespace

std::uint64_t safetensors_header_length(std::span<const std::byte> bytes) {
    std::uint64_t n = 0;
    for (int i = 7; i >= 0; --i) n = n << 8 | std::to_integer<std::uint64_t>(bytes[static_cast<std::size_t>(i)]);
    return n;
}

Container read_safetensors_table(std::shared_ptr<MappedFile> file) {
    const std::string& path = file->name();
    const auto bytes = file->span();
    if (bytes.size() < 8) throw Error(path, "header", "the file is too short for a safetensors file", damaged);
    const std::uint64_t n = safetensors_header_length(bytes);
    if (n > max_safetensors_header)
        throw Error(path, "header",
                    fmt::format("its length {} is above the limit of {} bytes: not a safetensors file, or damaged", n,
                                max_safetensors_header),
                    "download it again");
    if (n > bytes.size() - 8)
        throw Error(path, "header", fmt::format("it has {} bytes, the file only {}: it is cut short", n, bytes.size()),
                    "download it again");
    const std::string_view json(reinterpret_cast<const char*>(bytes.data()) + 8, n);
    if (json.empty() || json[0] != '{')
        throw Error(path, "header", "it does not begin with '{': not a safetensors file",
                    "give a safetensors, .pth or GGUF checkpoint");

    SafetensorsHeader header = parse_safetensors_header(json, path);
    check_names(header, path);
    check_offsets(header, bytes.size() - 8 - n, path);

    Container container;
    container.format = Container::Format::safetensors;
    container.metadata = std::move(header.metadata);
    container.tensors.reserve(header.tensors.size());
    for (HeaderTensor& t : header.tensors) {
        FileTensor entry;
        entry.name = std::move(t.name);
        if (!t.dtype.empty()) entry.dtype = dtype_from_safetensors(t.dtype);
        entry.dtype_name = std::move(t.dtype);
        entry.shape = std::move(t.shape);
        entry.offset = 8 + n + t.begin;
        entry.bytes = t.end - t.begin;
        container.tensors.push_back(std::move(entry));
    }
    container.file = std::move(file);
    return container;
}

std::map<std::string, Tensor> read_safetensors(const std::filesystem::path& path,
                                               std::map<std::string, std::string>* metadata) {
    Container container = read_safetensors_table(MappedFile::open(path));
    constexpr std::uint64_t most_copied = std::uint64_t{512} << 20;
    std::uint64_t copied = 0; // the tensors lie inside the file
    for (const FileTensor& t : container.tensors) copied += is_copied(t) ? t.bytes : 0;
    if (copied > most_copied)
        throw Error(container.file->name(), "",
                    fmt::format("{} MiB of its tensors are not aligned to their elements", copied >> 20),
                    "save it again with the safetensors library, which aligns them");
    std::map<std::string, Tensor> tensors;
    for (const FileTensor& t : container.tensors) tensors.emplace(t.name, container.tensor(t));
    if (metadata) *metadata = std::move(container.metadata);
    return tensors;
}

} // namespace denoir
