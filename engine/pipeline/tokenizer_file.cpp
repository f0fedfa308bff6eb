// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/tokenizer_file.h"

#include <cstring>

#include "engine/core/error.h"
#include "engine/models/umt5/charsmap.h"
#include "engine/models/umt5/unigram.h"
#include "engine/weights/container.h"
#include "engine/weights/gguf.h"
#include "engine/weights/tokenizer_places.h"

namespace denoir {
namespace {

/// Told by the brace with which a safetensors header begins, after its eight bytes of length. No tokenizer file has a
/// brace there without beginning with one.
bool is_safetensors(const MappedFile& file) {
    const auto bytes = file.span();
    return bytes.size() > 8 && bytes[8] == std::byte{'{'} && bytes[0] != std::byte{'{'};
}

bool is_gguf(const MappedFile& file) {
    constexpr std::string_view magic = "GGUF";
    return file.span().size() >= magic.size() && std::memcmp(file.span().data(), magic.data(), magic.size()) == 0;
}

/// Whether a file holds weights and carries its tokenizer along: files beside it say nothing about that tokenizer.
bool is_of_weights(const std::filesystem::path& path) {
    try {
        const auto file = MappedFile::open(path);
        return is_gguf(*file) || is_safetensors(*file);
    } catch (const Error&) { // reading it will report the error
        return true;
    }
}

/// The fourth source of spec/umt5.md 4.1. `add_space_prefix` and `remove_extra_whitespaces` are ignored, like the
/// switches of a spiece.model from which they were copied: the reference's tokenizer does both in any case.
umt5::Tokenizer from_gguf(const Container& container) {
    const std::string& file = container.file->name();
    const std::string model_key = "tokenizer.ggml.model", tokens_key = "tokenizer.ggml.tokens";
    const auto kind = container.metadata.find(model_key);
    if (kind == container.metadata.end() && !container.arrays.contains(tokens_key))
        throw Error(file, model_key, "the file holds no tokenizer", tokenizer_hint);
    if (kind == container.metadata.end() || kind->second != "t5")
        throw Error(file, model_key, "is not \"t5\", which is the tokenizer of UMT5", tokenizer_hint);
    constexpr std::size_t most = umt5::Unigram::max_pieces;
    umt5::PieceLists lists;
    lists.texts = gguf_strings(container, tokens_key, most);
    lists.scores = gguf_floats(container, "tokenizer.ggml.scores", most);
    lists.types = gguf_ints(container, "tokenizer.ggml.token_type", most);
    lists.charsmap = gguf_bytes(container, "tokenizer.ggml.precompiled_charsmap", umt5::Charsmap::max_bytes);
    lists.unknown = gguf_count(container, "tokenizer.ggml.unknown_token_id");
    lists.end = gguf_count(container, "tokenizer.ggml.eos_token_id");
    return umt5::Tokenizer::from_lists(lists, file);
}

} // namespace

umt5::Tokenizer load_tokenizer(const std::filesystem::path& path) {
    if (std::filesystem::is_directory(path)) return umt5::Tokenizer::load(path);
    const auto file = MappedFile::open(path);
    if (is_gguf(*file)) return from_gguf(read_gguf(file));
    if (!is_safetensors(*file)) return umt5::Tokenizer::load(path);
    const Container container = open_container(path);
    if (const FileTensor* entry = tokenizer_tensor(container)) {
        const Tensor bytes = container.tensor(*entry);
        return umt5::Tokenizer::from_model_bytes({bytes.raw(), bytes.bytes()}, path.string());
    }
    throw Error(path.string(), "spiece_model", "the file holds no tokenizer", tokenizer_hint);
}

std::vector<std::filesystem::path> tokenizer_files(const std::filesystem::path& path) {
    if (path.empty()) return {};
    std::error_code ignored;
    const auto there = [&](const auto& file) { return std::filesystem::is_regular_file(file, ignored); };
    const bool folder = std::filesystem::is_directory(path, ignored);
    std::vector<std::filesystem::path> files;
    if (there(path)) files.push_back(path);
    for (const char* name : tokenizer_names)
        if (there(path / name)) files.push_back(path / name);
    if (!folder && is_of_weights(path)) return files;
    for (const char* name : {"tokenizer_config.json", "special_tokens_map.json"})
        files.push_back((folder ? path : path.parent_path()) / name);
    std::erase_if(files, [&](const auto& file) { return !there(file); });
    return files;
}

} // namespace denoir
