// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/atomic_file.h"
#include "engine/core/tensor.h"

namespace denoir {

/// Writes a GGUF file of version 3 (spec/checkpoints.md 5) with little memory, as SafetensorsWriter does: declare,
/// begin, the data in that order, commit. Tensors keep their axes (patch_embedding has five). Without commit nothing
/// stays behind.
class GgufWriter {
public:
    /// `architecture`: "wan", "t5encoder". `metadata`: more keys with texts.
    GgufWriter(std::filesystem::path path, std::string_view architecture,
               std::map<std::string, std::string> metadata = {});

    /// f32, f16, bf16 or q8_0. Throws Error for another dtype or a name that is there already.
    void declare(std::string name, const Shape& shape, DType dtype);
    /// Writes the header. Returns the names in the order in which their data must follow.
    std::vector<std::string> begin();
    /// The next tensor's data, as SafetensorsWriter::write.
    void write(const void* data, std::size_t bytes);
    void commit();

private:
    struct Entry {
        std::string name;
        Shape shape;
        DType dtype;
        std::size_t offset, bytes; ///< from the start of the data
    };
    AtomicFile file_;
    std::map<std::string, std::string> metadata_;
    std::vector<Entry> entries_;
    std::size_t end_ = 0, at_ = 0; ///< of the data declared and written
};

} // namespace denoir
