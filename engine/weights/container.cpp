// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/container.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/core/error.h"
#include "engine/core/text.h"
#include "engine/weights/gguf.h"
#include "engine/weights/pth.h"
#include "engine/weights/safetensors.h"

namespace denoir {
namespace {

bool begins_with(std::span<const std::byte> bytes, std::string_view magic) {
    return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

bool is_web_page(std::span<const std::byte> bytes) {
    constexpr std::size_t most = 256;
    std::string start;
    for (const std::byte b : bytes.first(std::min(bytes.size(), most))) start += lower_ascii(static_cast<char>(b));
    start.erase(0, start.find_first_not_of(" \t\r\n"));
    return start.starts_with("<!doctype html") || start.starts_with("<html");
}

/// Throws Error for files that people often have in place of a checkpoint.
void refuse_known_strangers(const MappedFile& file) {
    const auto bytes = file.span();
    if (bytes.empty()) throw Error(file.name(), "", "the file is empty", "download it again");
    if (begins_with(bytes, "version https://git-lfs"))
        throw Error(file.name(), "", "a Git LFS pointer, not the checkpoint itself",
                    "fetch the file with `git lfs pull`");
    if (is_web_page(bytes))
        throw Error(file.name(), "", "a web page, not the checkpoint itself",
                    "download the file itself; at Hugging Face its address says /resolve/, not /blob/");
    if (begins_with(bytes, "FUGG"))
        throw Error(file.name(), "", "a big-endian GGUF file", "convert it to little-endian");
    if (begins_with(bytes, "PK\x05\x06"))
        throw Error(file.name(), "", "an empty zip archive", "give a safetensors, .pth or GGUF checkpoint");
}

bool looks_like_safetensors(const MappedFile& file) {
    const auto bytes = file.span();
    if (file.name().ends_with(".safetensors")) return true; // if it is none, that reader says best what is wrong
    return bytes.size() > 8 && bytes[8] == std::byte{'{'} && safetensors_header_length(bytes) <= bytes.size() - 8;
}

} // namespace

std::string_view name(Container::Format format) {
    switch (format) {
    case Container::Format::safetensors:
        return "safetensors";
    case Container::Format::pth:
        return "pth";
    case Container::Format::gguf:
        return "gguf";
    }
    return "";
}

bool is_widened(const FileTensor& t) {
    return t.dtype && is_block(*t.dtype) && (t.shape.size() < 2 || t.shape.back() % info(*t.dtype).block_elements != 0);
}

std::optional<std::int64_t> checked_elements(const std::vector<std::int64_t>& shape) {
    if (std::ranges::any_of(shape, [](std::int64_t n) { return n < 0; })) return std::nullopt;
    // An empty tensor may have other axes of any size.
    if (std::ranges::find(shape, 0) != shape.end()) return 0;
    std::int64_t product = 1;
    for (const std::int64_t n : shape)
        if (__builtin_mul_overflow(product, n, &product)) return std::nullopt;
    return product;
}

bool is_misaligned(const FileTensor& t) {
    if (!t.dtype || is_widened(t) || !t.strides.empty()) return false;
    // Pages are aligned, so the file's offset decides.
    return !is_block(*t.dtype) && t.offset % static_cast<unsigned>(element_bytes(*t.dtype)) != 0;
}

bool is_copied(const FileTensor& t) { return !t.dtype || is_widened(t) || !t.strides.empty() || is_misaligned(t); }

const FileTensor* Container::find(std::string_view wanted) const {
    const auto it = std::ranges::find(tensors, wanted, &FileTensor::name);
    return it == tensors.end() ? nullptr : &*it;
}

Tensor Container::in_place(const FileTensor& t) const {
    const bool fits = t.shape.size() <= static_cast<std::size_t>(Shape::max_rank); // else tensor() throws
    if (!is_misaligned(t) || !fits) return tensor(t);
    return {file, t.offset, Shape(std::span<const std::int64_t>(t.shape)), *t.dtype};
}

Tensor Container::tensor(const FileTensor& t) const {
    if (!t.dtype)
        throw Error(file->name(), t.name, fmt::format("its type {} cannot be read", t.dtype_name),
                    "use a file in F32, F16, BF16, F8_E4M3 or a common GGUF type");
    if (t.shape.size() > static_cast<std::size_t>(Shape::max_rank))
        throw Error(file->name(), t.name,
                    fmt::format("it has {} axes, at most {} are read", t.shape.size(), Shape::max_rank),
                    "use a file whose tensors have fewer");
    const Shape shape{std::span<const std::int64_t>(t.shape)};
    if (is_widened(t)) {
        Tensor wide = Tensor::host(shape);
        to_f32(*t.dtype, file->span().data() + t.offset, wide.data<float>(), wide.elements());
        file->drop_pages(t.offset, t.bytes); // the copy takes their place
        return wide;
    }
    if (!is_copied(t)) return Tensor(file, t.offset, shape, *t.dtype);

    Tensor copy = Tensor::host(shape, *t.dtype);
    if (t.strides.empty()) {
        std::memcpy(copy.raw(), file->span().data() + t.offset, t.bytes);
        file->drop_pages(t.offset, t.bytes);
    } else {
        copy_dense(t.shape, t.strides, element_bytes(*t.dtype), file->span().data() + t.offset, copy.raw());
    }
    return copy;
}

const FileTensor* tokenizer_tensor(const Container& container) {
    constexpr std::string_view name = "spiece_model";
    const auto is_tokenizer = [&](const FileTensor& t) {
        const std::string_view its = t.name;
        return its.ends_with(name) && (its.size() == name.size() || its[its.size() - name.size() - 1] == '.') &&
               t.dtype && element_bytes(*t.dtype) == 1;
    };
    const auto it = std::ranges::find_if(container.tensors, is_tokenizer);
    return it == container.tensors.end() ? nullptr : &*it;
}

bool carries_tokenizer(const Container& container) {
    if (container.format == Container::Format::safetensors) return tokenizer_tensor(container);
    const auto kind = container.metadata.find("tokenizer.ggml.model");
    return container.format == Container::Format::gguf && kind != container.metadata.end() && kind->second == "t5";
}

Error old_pth_refusal(const std::string& file) {
    return Error(file, "", "a PyTorch file from before 1.6", "load it and torch.save it with a newer PyTorch");
}

Container open_container(const std::filesystem::path& path, OldPth old) {
    auto file = MappedFile::open(path);
    refuse_known_strangers(*file);
    const auto bytes = file->span();
    if (begins_with(bytes, "GGUF")) return read_gguf(std::move(file));
    if (begins_with(bytes, "PK\x03\x04")) return read_pth(std::move(file));
    if (is_old_pth(bytes)) {
        if (old == OldPth::read) return read_old_pth(std::move(file));
        throw old_pth_refusal(file->name());
    }
    if (looks_like_safetensors(*file)) return read_safetensors_table(std::move(file));
    throw Error(file->name(), "", "not a checkpoint: neither safetensors nor a PyTorch .pth nor GGUF",
                "give a model file, or a model folder");
}

} // namespace denoir
