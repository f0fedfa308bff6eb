// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "engine/weights/container.h"

namespace denoir {

/// The first eight bytes, little endian. `bytes` holds at least eight.
std::uint64_t safetensors_header_length(std::span<const std::byte> bytes);

/// The table of contents of a safetensors file, checked by all rules of spec/checkpoints.md 3. An unknown dtype is an
/// error only when the tensor is asked for.
Container read_safetensors_table(std::shared_ptr<MappedFile> file);

/// All tensors of a safetensors file by name, as views on its mapped pages; copies of those that are not aligned, of
/// which there may be 512 MiB. `metadata`, where given, receives `__metadata__`. The other direction is
/// write_safetensors (safetensors_writer.h).
std::map<std::string, Tensor> read_safetensors(const std::filesystem::path& path,
                                               std::map<std::string, std::string>* metadata = nullptr);

} // namespace denoir
