// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/safetensors_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <unordered_set>

#include "engine/core/error.h"
#include "engine/core/json_fields.h"
#include "engine/weights/safetensors_header.h"

namespace denoir {
namespace {

void write_all(SafetensorsWriter& writer, const std::map<std::string, Tensor>& tensors) {
    for (const auto& [name, tensor] : tensors) writer.declare(name, tensor.shape(), tensor.dtype());
    for (const std::string& name : writer.begin()) {
        const Tensor& t = tensors.at(name);
        writer.write(t.is_contiguous() ? t : clone(t));
    }
    writer.commit();
}

} // namespace

SafetensorsWriter::SafetensorsWriter(std::filesystem::path path, std::map<std::string, std::string> metadata)
    : file_(std::move(path)),
      sink_([this](const void* data, std::size_t bytes) { file_->write(data, bytes); }),
      metadata_(std::move(metadata)) {}

SafetensorsWriter::SafetensorsWriter(Sink sink, std::map<std::string, std::string> metadata)
    : sink_(std::move(sink)), metadata_(std::move(metadata)) {}

void SafetensorsWriter::declare(std::string name, const Shape& shape, DType dtype) {
    if (info(dtype).safetensors.empty())
        throw Error("", name, fmt::format("safetensors files have no type for {}", info(dtype).name),
                    "choose --dtype f32, bf16 or f16");
    if (name.find('\0') != std::string::npos) // readers refuse it
        throw Error("", name, "the name holds a NUL character", "remove it");
    const std::size_t bytes = checked_bytes(shape, dtype);
    entries_.push_back({std::move(name), shape, dtype, bytes});
}

std::vector<std::string> SafetensorsWriter::begin() {
    std::ranges::sort(entries_, [](const Entry& a, const Entry& b) {
        const int x = element_bytes(a.dtype), y = element_bytes(b.dtype);
        return x != y ? x > y : a.name < b.name;
    });
    Json header = Json::object();
    if (!metadata_.empty()) header["__metadata__"] = metadata_;
    // Added to the object's vector, since header[name] compares all names: minutes for a hundred thousand tensors.
    auto& members = header.get_ref<Json::object_t&>();
    std::unordered_set<std::string> names; // as they are written: two names that are not UTF-8 may become equal
    if (!metadata_.empty()) names.insert(one_line("__metadata__"));
    std::vector<std::string> order;
    for (const Entry& e : entries_) {
        if (!names.insert(one_line(e.name)).second)
            throw Error("", e.name, "the tensor is there twice", "give each tensor its own name");
        members.push_back({e.name, header_entry(e.dtype, e.shape, expected_, expected_ + e.bytes)});
        expected_ += e.bytes;
        order.push_back(e.name);
    }
    std::string text = one_line(header);
    text.append((8 - text.size() % 8) % 8, ' ');
    const std::uint64_t length = text.size();
    sink_(&length, sizeof length);
    sink_(text.data(), text.size());
    return order;
}

void SafetensorsWriter::write(const void* data, std::size_t bytes) {
    // Not an assert: without it, a wrong file would be written to the end.
    if (bytes > expected_ - written_) throw std::logic_error("SafetensorsWriter: more data than were declared");
    sink_(data, bytes);
    written_ += bytes;
}

void SafetensorsWriter::commit() {
    if (written_ != expected_) throw std::logic_error("SafetensorsWriter: less data than were declared");
    if (file_) file_->commit();
}

void write_safetensors(const std::filesystem::path& path, const std::map<std::string, Tensor>& tensors,
                       const std::map<std::string, std::string>& metadata) {
    SafetensorsWriter writer(path, metadata);
    write_all(writer, tensors);
}

void write_safetensors(const SafetensorsWriter::Sink& sink, const std::map<std::string, Tensor>& tensors,
                       const std::map<std::string, std::string>& metadata) {
    SafetensorsWriter writer(sink, metadata);
    write_all(writer, tensors);
}

} // namespace denoir
