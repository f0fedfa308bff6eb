// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/weights/container.h"

namespace denoir {

/// The table of contents of a GGUF file, version 2 or 3 (spec/checkpoints.md 5). Shapes come in PyTorch order; a shape
/// recorded under `comfy.gguf.orig_shape.<name>` wins over the stored one. Of the metadata, scalars become text, and of
/// arrays only their places are kept. Throws Error naming the file and the tensor or key.
Container read_gguf(std::shared_ptr<MappedFile> file);

// Arrays of the metadata, as views of the file or copies; empty if there is no such key. They throw Error naming file
// and key if it holds something else, or more than `most` elements.

std::vector<std::string_view> gguf_strings(const Container&, const std::string& key, std::uint64_t most);
std::vector<float> gguf_floats(const Container&, const std::string& key, std::uint64_t most);
std::vector<std::int32_t> gguf_ints(const Container&, const std::string& key, std::uint64_t most);
std::span<const std::byte> gguf_bytes(const Container&, const std::string& key, std::uint64_t most);
/// An integer that is not negative; nothing if there is no such key.
std::optional<std::int64_t> gguf_count(const Container&, const std::string& key);

} // namespace denoir
