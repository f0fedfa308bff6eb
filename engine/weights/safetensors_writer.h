// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/atomic_file.h"
#include "engine/core/tensor.h"

namespace denoir {

/// Writes a safetensors file of any size with little memory: first the table (declare), then the data of each tensor in
/// that order (write), then commit. Wider types come first, as the format's own writers do it, so every tensor is
/// aligned to its element; the header is padded to 8 bytes. Without commit nothing stays behind.
class SafetensorsWriter {
public:
    /// Takes the bytes of a file, piece by piece.
    using Sink = std::function<void(const void* data, std::size_t bytes)>;
    SafetensorsWriter(std::filesystem::path path, std::map<std::string, std::string> metadata = {});
    explicit SafetensorsWriter(Sink sink, std::map<std::string, std::string> metadata = {});

    /// All tensors are declared before the first write. Throws Error for a dtype that the format does not have and a
    /// name with NUL. begin() throws for a name that is there twice, as written: U+FFFD stands for what is not UTF-8.
    void declare(std::string name, const Shape& shape, DType dtype);
    /// Writes the header. Returns the names in the order in which their data must follow.
    std::vector<std::string> begin();
    /// The data of the next tensor: dense, of the declared size. It may come in pieces.
    void write(const void* data, std::size_t bytes);
    void write(const Tensor& dense) { write(dense.raw(), dense.bytes()); }
    /// All data were written: syncs and renames, where it is a file.
    void commit();

private:
    struct Entry {
        std::string name;
        Shape shape;
        DType dtype;
        std::size_t bytes;
    };
    std::optional<AtomicFile> file_;
    Sink sink_;
    std::map<std::string, std::string> metadata_;
    std::vector<Entry> entries_;
    std::size_t expected_ = 0, written_ = 0;
};

/// A whole file at once; tensors on the host, any strides. Read again with read_safetensors (safetensors.h).
void write_safetensors(const std::filesystem::path& path, const std::map<std::string, Tensor>& tensors,
                       const std::map<std::string, std::string>& metadata = {});
/// The bytes of that file.
void write_safetensors(const SafetensorsWriter::Sink& sink, const std::map<std::string, Tensor>& tensors,
                       const std::map<std::string, std::string>& metadata = {});

} // namespace denoir
