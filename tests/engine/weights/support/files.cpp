// SPDX-License-Identifier: Apache-2.0
#include "support/files.h"

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace denoir::test {

void write_bytes(const std::filesystem::path& path, std::string_view bytes) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!out.flush()) throw std::runtime_error("cannot write " + path.string());
}

std::string read_bytes(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::int64_t product(const std::vector<std::int64_t>& shape) {
    std::int64_t n = 1;
    for (const auto s : shape) n *= s;
    return n;
}

std::vector<std::int64_t> sizes(const Shape& shape) { return {shape.begin(), shape.end()}; }

Raw f32(std::string name, std::vector<std::int64_t> shape, float first) {
    Raw raw{std::move(name), "F32", std::move(shape), {}};
    for (std::int64_t i = 0; i < product(raw.shape); ++i) raw.data += le(first + static_cast<float>(i));
    return raw;
}

Raw zeros(std::string name, std::vector<std::int64_t> shape, std::string dtype) {
    const char last = dtype.empty() ? '8' : dtype.back();
    std::size_t width = dtype.starts_with("F8") || last == '8' || dtype == "BOOL" ? 1
                        : last == '6'                                             ? 2
                        : last == '2'                                             ? 4
                                                                                  : 8;
    Raw raw{std::move(name), std::move(dtype), std::move(shape), {}};
    raw.data.assign(static_cast<std::size_t>(product(raw.shape)) * width, '\0');
    return raw;
}

std::string safetensors(std::string_view header, std::string_view data) {
    return le(static_cast<std::uint64_t>(header.size())) + std::string(header) + std::string(data);
}

std::string safetensors(const std::vector<Raw>& tensors, std::string_view metadata_json) {
    std::string header = "{", data;
    if (!metadata_json.empty()) header += "\"__metadata__\":" + std::string(metadata_json);
    for (const Raw& t : tensors) {
        if (header.size() > 1) header += ',';
        header.append("\"").append(t.name).append("\":{\"dtype\":\"").append(t.dtype).append("\",\"shape\":[");
        for (std::size_t i = 0; i < t.shape.size(); ++i) header.append(i ? "," : "").append(std::to_string(t.shape[i]));
        header.append("],\"data_offsets\":[")
            .append(std::to_string(data.size()))
            .append(",")
            .append(std::to_string(data.size() + t.data.size()))
            .append("]}");
        data += t.data;
    }
    header += '}';
    header.append((8 - header.size() % 8) % 8, ' ');
    return safetensors(header, data);
}

std::string misaligned(std::string safetensors) {
    std::uint64_t header = 0;
    std::memcpy(&header, safetensors.data(), 8);
    safetensors.insert(8 + header, 1, ' ');
    ++header;
    std::memcpy(safetensors.data(), &header, 8);
    return safetensors;
}

} // namespace denoir::test
