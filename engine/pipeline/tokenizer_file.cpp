// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/tokenizer_file.h"

#include "engine/core/error.h"
#include "engine/weights/container.h"

namespace denoir {
namespace {

constexpr std::string_view tensor_name = "spiece_model";

/// All-in-one files put a prefix in front.
bool is_tokenizer(std::string_view name) {
    return name == tensor_name || (name.ends_with(tensor_name) && name[name.size() - tensor_name.size() - 1] == '.');
}

/// A safetensors header begins after its eight bytes of length; neither kind of tokenizer file has a brace there and
/// none in front.
bool is_safetensors(const MappedFile& file) {
    const auto bytes = file.span();
    return bytes.size() > 8 && bytes[8] == std::byte{'{'} && bytes[0] != std::byte{'{'};
}

} // namespace

umt5::Tokenizer load_tokenizer(const std::filesystem::path& path) {
    if (std::filesystem::is_directory(path) || !is_safetensors(*MappedFile::open(path)))
        return umt5::Tokenizer::load(path);
    const Container container = open_container(path);
    for (const FileTensor& entry : container.tensors)
        if (is_tokenizer(entry.name) && entry.dtype && element_bytes(*entry.dtype) == 1) {
            const Tensor bytes = container.tensor(entry);
            return umt5::Tokenizer::from_model_bytes({bytes.raw(), bytes.bytes()}, path.string());
        }
    throw Error(path.string(), std::string(tensor_name), "the file holds no tokenizer",
                "put google/umt5-xxl/ beside the transformer");
}

std::vector<std::filesystem::path> tokenizer_files(const std::filesystem::path& path) {
    if (path.empty()) return {};
    std::vector<std::filesystem::path> files{path};
    for (const char* name : {"tokenizer.json", "spiece.model", "tokenizer_config.json", "special_tokens_map.json"})
        files.push_back(path / name);
    std::error_code ignored;
    std::erase_if(files, [&](const auto& file) { return !std::filesystem::is_regular_file(file, ignored); });
    return files;
}

} // namespace denoir
