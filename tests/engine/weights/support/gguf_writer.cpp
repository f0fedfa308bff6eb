// SPDX-License-Identifier: Apache-2.0
#include "support/gguf_writer.h"

namespace denoir::test {

std::string gguf_string(std::string_view text) {
    return le(static_cast<std::uint64_t>(text.size())) + std::string(text);
}

std::string gguf_pair(std::string_view key, std::uint32_t type, std::string_view value) {
    return gguf_string(key) + le(type) + std::string(value);
}

std::string gguf(const std::vector<GgufTensor>& tensors, const std::vector<std::string>& pairs, std::uint32_t version,
                 std::uint64_t alignment) {
    std::string file = "GGUF" + le(version) + le(static_cast<std::uint64_t>(tensors.size())) +
                       le(static_cast<std::uint64_t>(pairs.size()));
    for (const std::string& pair : pairs) file += pair;
    std::string data;
    for (const GgufTensor& t : tensors) {
        file += gguf_string(t.name) + le(static_cast<std::uint32_t>(t.dims.size()));
        for (const std::uint64_t n : t.dims) file += le(n);
        file += le(t.type) +
                le(t.offset < 0 ? static_cast<std::uint64_t>(data.size()) : static_cast<std::uint64_t>(t.offset));
        data += t.data;
        data.append((alignment - data.size() % alignment) % alignment, '\0');
    }
    file.append((alignment - file.size() % alignment) % alignment, '\0');
    return file + data;
}

std::vector<GgufTensor> gguf_tensors(const std::vector<Raw>& tensors) {
    std::vector<GgufTensor> result;
    for (const Raw& t : tensors) {
        GgufTensor g{t.name, {}, t.dtype == "F16" ? 1u : 0u, t.data};
        for (const std::int64_t n : t.shape) g.dims.insert(g.dims.begin(), static_cast<std::uint64_t>(n));
        result.push_back(std::move(g));
    }
    return result;
}

} // namespace denoir::test
