// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "engine/core/atomic_file.h"
#include "engine/core/tensor.h"

namespace denoir {

/// Writes a safetensors file whose tensors are not known beforehand: data follow each other as they come, so the order
/// of the offsets is the order of `append`; the header is written last, into room kept for it at the front. Memory: the
/// table alone. Without commit nothing stays behind.
class SafetensorsStream {
public:
    /// `header_room`: bytes kept for the header. A longer one costs a move of all data at the end, nothing else.
    SafetensorsStream(std::filesystem::path path, std::size_t header_room);

    /// `dense` in host memory. Throws Error for a name that is there already, a dtype that the format does not have, or
    /// what the disk refuses.
    void append(const std::string& name, const Tensor& dense);
    std::size_t tensors() const { return table_.size(); }
    std::uint64_t bytes() const { return bytes_; } ///< of data so far
    void commit(const std::map<std::string, std::string>& metadata);

    /// What one entry takes in a header, at most.
    static std::size_t entry_room(std::size_t name_bytes) { return name_bytes + 160; }

private:
    struct Entry {
        std::string name;
        Shape shape;
        DType dtype;
        std::uint64_t begin, end;
    };
    void make_room(std::size_t header);
    AtomicFile file_;
    std::size_t room_; ///< of length field and header
    std::uint64_t bytes_ = 0;
    std::vector<Entry> table_;
    std::unordered_set<std::string> names_;
};

} // namespace denoir
