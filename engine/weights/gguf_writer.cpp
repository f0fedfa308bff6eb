// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/gguf_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>

#include "engine/core/error.h"
#include "engine/weights/gguf_format.h"

namespace denoir {
namespace {

constexpr std::uint32_t version = 3;
// Values of `general.file_type` and `general.quantization_version`, as llama.cpp has them.
constexpr std::uint32_t mostly_q8_0 = 7, quantisation_version = 2;
constexpr std::array written_types{DType::f32, DType::f16, DType::bf16, DType::q8_0};

std::size_t padding(std::size_t bytes) {
    constexpr std::size_t alignment = gguf::default_alignment;
    return (alignment - bytes % alignment) % alignment;
}

std::uint32_t type_of(DType dtype) {
    return std::ranges::find(gguf::tensor_types, dtype, &gguf::TensorType::dtype)->id;
}

template <class T> void put(std::string& out, T value) {
    for (std::size_t i = 0; i < sizeof value; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}
void put_text(std::string& out, std::string_view text) {
    put<std::uint64_t>(out, text.size());
    out += text;
}
void put_number(std::string& out, std::string_view key, std::uint32_t value) {
    put_text(out, key);
    put<std::uint32_t>(out, gguf::u32);
    put(out, value);
}

} // namespace

GgufWriter::GgufWriter(std::filesystem::path path, std::string_view architecture,
                       std::map<std::string, std::string> metadata)
    : file_(std::move(path)), metadata_(std::move(metadata)) {
    metadata_["general.architecture"] = architecture;
}

void GgufWriter::declare(std::string name, const Shape& shape, DType dtype) {
    if (std::ranges::find(written_types, dtype) == written_types.end())
        throw Error("", name, fmt::format("{} is not written to GGUF files", info(dtype).name), "use --dtype bf16");
    for (const Entry& e : entries_)
        if (e.name == name) throw Error("", name, "the tensor is there twice", "give each tensor its own name");
    const std::size_t bytes = checked_bytes(shape, dtype);
    entries_.push_back({std::move(name), shape, dtype, end_, bytes});
    end_ += bytes + padding(bytes);
}

std::vector<std::string> GgufWriter::begin() {
    std::string out(gguf::magic);
    put(out, version);
    put<std::uint64_t>(out, entries_.size());
    put<std::uint64_t>(out, metadata_.size() + 2);
    const auto put_pair = [&](const std::string& key) {
        put_text(out, key);
        put<std::uint32_t>(out, gguf::string);
        put_text(out, metadata_.extract(key).mapped());
    };
    put_pair("general.architecture"); // as everybody expects, first
    while (!metadata_.empty()) put_pair(metadata_.begin()->first);
    put_number(out, "general.file_type", mostly_q8_0);
    put_number(out, "general.quantization_version", quantisation_version);
    std::vector<std::string> order;
    for (const Entry& e : entries_) {
        put_text(out, e.name);
        put(out, static_cast<std::uint32_t>(e.shape.rank()));
        for (int i = e.shape.rank() - 1; i >= 0; --i) put(out, static_cast<std::uint64_t>(e.shape[i])); // fastest first
        put(out, type_of(e.dtype));
        put<std::uint64_t>(out, e.offset);
        order.push_back(e.name);
    }
    out.append(padding(out.size()), '\0');
    file_.write(out);
    return order;
}

void GgufWriter::write(const void* data, std::size_t bytes) {
    // Also without asserts: such a file would be written to the end and be wrong.
    if (bytes > end_ - at_) throw std::logic_error("GgufWriter: more data than were declared");
    file_.write(data, bytes);
    at_ += bytes;
    const auto whole = std::ranges::find_if(entries_, [&](const Entry& e) { return e.offset + e.bytes == at_; });
    if (whole == entries_.end()) return;
    file_.write(std::string(padding(whole->bytes), '\0'));
    at_ += padding(whole->bytes);
}

void GgufWriter::commit() {
    if (at_ != end_) throw std::logic_error("GgufWriter: less data than were declared");
    file_.commit();
}

} // namespace denoir
