// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/gguf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <unordered_set>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/text.h"
#include "engine/weights/bytes.h"
#include "engine/weights/gguf_format.h"
#include "engine/weights/limits.h"

namespace denoir {
namespace {

constexpr std::uint64_t max_pairs = 100'000;
constexpr std::uint32_t max_axes = 8;
constexpr int max_nesting = 4;
/// Bytes of all names and texts together, with their lengths, so that a large file cannot keep its reader busy with
/// them. A vocabulary has some ten megabytes.
constexpr std::uint64_t max_text = 64u << 20;
/// Bytes of the f32 copies of is_widened() tensors: far more than a whole VAE of Wan 2.1 needs, far less than would
/// fill the memory.
constexpr std::uint64_t max_widened = 512u << 20;
constexpr std::string_view shape_key = "comfy.gguf.orig_shape.";

using namespace gguf; // the format's numbers

/// Names, for messages, of types that are not read but common.
constexpr std::array<std::pair<std::uint32_t, std::string_view>, 12> unread_types{{{9, "Q8_1"},
                                                                                   {15, "Q8_K"},
                                                                                   {16, "IQ2_XXS"},
                                                                                   {17, "IQ2_XS"},
                                                                                   {18, "IQ3_XXS"},
                                                                                   {19, "IQ1_S"},
                                                                                   {21, "IQ3_S"},
                                                                                   {22, "IQ2_S"},
                                                                                   {29, "IQ1_M"},
                                                                                   {34, "TQ1_0"},
                                                                                   {35, "TQ2_0"},
                                                                                   {39, "MXFP4"}}};

/// Bytes of a value of fixed size; 0 for strings and arrays.
constexpr std::array<std::uint64_t, value_types> value_bytes{1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

class Reader {
public:
    explicit Reader(std::shared_ptr<MappedFile> file) : file_(std::move(file)), in_(file_->span(), magic.size()) {}

    Container read() {
        std::uint32_t version = 0;
        std::uint64_t tensors = 0, pairs = 0;
        take(version, "header");
        if (version == 0x03000000u || version == 0x02000000u)
            throw Error(path(), "version", "a big-endian GGUF file", "convert it to little-endian");
        if (version != 2 && version != 3)
            throw Error(path(), "version", fmt::format("GGUF version {}, 2 and 3 are read", version),
                        "convert the file with a current tool");
        take(tensors, "header"), take(pairs, "header");
        if (pairs > max_pairs) fail("header", fmt::format("{} metadata keys, at most {} are read", pairs, max_pairs));
        if (tensors > max_tensors) fail("header", fmt::format("{} tensors, at most {} are read", tensors, max_tensors));
        for (std::uint64_t i = 0; i < pairs; ++i) read_pair();
        // An entry has at least a name's length, a count, a type and an offset.
        if (tensors > in_.left() / 24) fail("header", fmt::format("{} tensors do not fit in the file", tensors));
        result_.tensors.reserve(tensors);
        for (std::uint64_t i = 0; i < tensors; ++i) read_tensor();
        place_tensors();
        result_.format = Container::Format::gguf;
        result_.file = std::move(file_);
        return std::move(result_);
    }

private:
    const std::string& path() const { return file_->name(); }
    [[noreturn]] void fail(std::string_view field, std::string what) const {
        throw Error(path(), std::string(field), std::move(what), "the file is damaged: download it again");
    }

    template <class T> void take(T& value, std::string_view field) {
        if (!in_.read(value)) fail(field, "the file ends too early");
    }
    void charge(std::uint64_t bytes, std::string_view field) {
        if (bytes > text_left_) fail(field, fmt::format("more than {} MiB of texts and lists", max_text >> 20));
        text_left_ -= bytes;
    }
    std::string_view text(std::string_view field) {
        std::uint64_t n = 0;
        take(n, field);
        const auto view = in_.text(n);
        if (!view) fail(field, fmt::format("a string of {} bytes is longer than the rest of the file", n));
        charge(sizeof n, field), charge(n, field);
        return *view;
    }
    std::string short_text(std::string_view field) {
        const std::string_view view = text(field);
        if (view.size() > max_tensor_name || view.find('\0') != std::string_view::npos)
            fail(field, "a name that is too long or holds NUL");
        return std::string(view);
    }

    // Metadata

    void read_pair() {
        const std::string key = short_text("metadata");
        std::uint32_t type = 0;
        take(type, key);
        if (key == "general.alignment" && type != u32) fail(key, "not a 32-bit number");
        if (key.starts_with(shape_key) && type == array) return original_shape(key);
        if (type == array) return note_array(key);
        std::string value = scalar(key, type);
        if (key == "general.alignment") {
            alignment_ = std::stoul(value);
            if (alignment_ < 8 || alignment_ > 1u << 20 || (alignment_ & (alignment_ - 1)) != 0)
                fail(key, fmt::format("{} is not a power of two from 8 to 2^20", alignment_));
        }
        if (result_.arrays.contains(key) || !result_.metadata.emplace(key, std::move(value)).second)
            fail(key, "the key is there twice");
    }

    template <class T> std::string number(std::string_view key) {
        T value{};
        take(value, key);
        return fmt::format("{}", value);
    }
    std::string scalar(std::string_view key, std::uint32_t type) {
        switch (type) {
        case u8:
            return number<std::uint8_t>(key);
        case i8:
            return number<std::int8_t>(key);
        case u16:
            return number<std::uint16_t>(key);
        case i16:
            return number<std::int16_t>(key);
        case u32:
            return number<std::uint32_t>(key);
        case i32:
            return number<std::int32_t>(key);
        case u64:
            return number<std::uint64_t>(key);
        case i64:
            return number<std::int64_t>(key);
        case f32:
            return number<float>(key);
        case f64:
            return number<double>(key);
        case boolean: {
            std::uint8_t value = 0;
            take(value, key);
            return value ? "true" : "false";
        }
        case string:
            return std::string(text(key));
        default:
            fail(key, fmt::format("value type {} is not defined", type));
        }
    }

    void note_array(const std::string& key) {
        const MetadataArray noted = skip_array(key, 0);
        if (result_.metadata.contains(key) || !result_.arrays.emplace(key, noted).second)
            fail(key, "the key is there twice");
    }

    MetadataArray skip_array(std::string_view key, int depth) {
        if (depth == max_nesting) fail(key, "arrays nested too deep");
        std::uint32_t type = 0;
        std::uint64_t count = 0;
        take(type, key), take(count, key);
        charge(sizeof type + sizeof count, key);
        const MetadataArray found{type, count, in_.position()};
        if (type >= value_types) fail(key, fmt::format("value type {} is not defined", type));
        if (type == string) {
            for (std::uint64_t i = 0; i < count; ++i) text(key);
        } else if (type == array) {
            for (std::uint64_t i = 0; i < count; ++i) skip_array(key, depth + 1);
        } else if (count > in_.left() / value_bytes[type] || !in_.skip(count * value_bytes[type])) {
            fail(key, fmt::format("an array of {} values is longer than the rest of the file", count));
        }
        return found;
    }

    void original_shape(const std::string& key) {
        std::uint32_t type = 0;
        std::uint64_t count = 0;
        take(type, key), take(count, key);
        const bool whole = type == i32 || type == u32 || type == i64 || type == u64;
        if (!whole || count > max_axes) fail(key, "not a short list of whole numbers");
        std::vector<std::int64_t> shape;
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto size = read_whole<std::int64_t>(scalar(key, type));
            if (!size || *size < 0) fail(key, "not a short list of whole numbers");
            shape.push_back(*size);
        }
        shapes_.emplace(key.substr(shape_key.size()), std::move(shape));
    }

    // Tensors

    void read_tensor() {
        FileTensor t;
        t.name = short_text("tensors");
        std::uint32_t axes = 0, type = 0;
        take(axes, t.name);
        if (axes > max_axes) fail(t.name, fmt::format("{} axes, at most {} are read", axes, max_axes));
        for (std::uint32_t i = 0; i < axes; ++i) {
            std::uint64_t n = 0;
            take(n, t.name);
            if (n > static_cast<std::uint64_t>(INT64_MAX)) fail(t.name, "its shape does not fit in 64 bits");
            t.shape.insert(t.shape.begin(), static_cast<std::int64_t>(n)); // the fastest axis comes first in the file
        }
        take(type, t.name), take(t.offset, t.name);
        const auto known = std::ranges::find(tensor_types, type, &TensorType::id);
        if (known == tensor_types.end()) {
            const auto named =
                std::ranges::find_if(unread_types, [&](const auto& unread) { return unread.first == type; });
            t.dtype_name = named == unread_types.end() ? fmt::format("GGML type {}", type) : std::string(named->second);
        } else {
            t.dtype = known->dtype;
            for (const char c : info(known->dtype).name)
                t.dtype_name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        }
        set_size(t);
        result_.tensors.push_back(std::move(t));
    }

    /// Bytes as they are stored, then the original shape where one is recorded.
    void set_size(FileTensor& t) {
        const auto elements = checked_elements(t.shape);
        if (!elements) fail(t.name, "the product of its shape does not fit in 64 bits");
        if (t.dtype) {
            const DTypeInfo& type = info(*t.dtype);
            const std::int64_t row = t.shape.empty() ? 1 : t.shape.back();
            if (row % type.block_elements != 0)
                fail(t.name, fmt::format("rows of {} elements are not whole blocks of {}", row, type.block_elements));
            std::int64_t bytes = 0;
            if (__builtin_mul_overflow(*elements / type.block_elements, static_cast<std::int64_t>(type.block_bytes),
                                       &bytes))
                fail(t.name, "its size in bytes does not fit in 64 bits");
            t.bytes = static_cast<std::uint64_t>(bytes);
        }
        if (const auto original = shapes_.find(t.name); original != shapes_.end()) {
            if (checked_elements(original->second) != elements)
                fail(t.name, "the original shape in the metadata has another number of elements");
            t.shape = original->second;
        }
        if (!is_widened(t)) return;
        if (static_cast<std::uint64_t>(*elements) > (max_widened - widened_) / sizeof(float))
            throw Error(path(), t.name,
                        fmt::format("quantised tensors whose rows are not whole blocks ask for more than {} MiB as F32",
                                    max_widened >> 20),
                        "use a file that keeps them in F16, BF16 or F32");
        widened_ += static_cast<std::uint64_t>(*elements) * sizeof(float);
    }

    /// Makes offsets count from the start of the file; in the table they count from its end, aligned. Throws Error if a
    /// tensor leaves the file, or if two overlap.
    void place_tensors() {
        const std::uint64_t table = in_.position(), total = file_->span().size();
        const std::uint64_t base = (table + alignment_ - 1) / alignment_ * alignment_;
        std::unordered_set<std::string_view> names;
        std::vector<const FileTensor*> order;
        for (FileTensor& t : result_.tensors) {
            if (!names.insert(t.name).second) fail(t.name, "the tensor is there twice");
            if (t.offset % alignment_ != 0)
                fail(t.name, fmt::format("its offset {} is not a multiple of {}", t.offset, alignment_));
            if (base > total || t.offset > total - base || t.bytes > total - base - t.offset)
                fail(t.name, "its data lie outside the file: it is cut short");
            t.offset += base;
            order.push_back(&t);
        }
        std::ranges::sort(order, {}, [](const FileTensor* t) { return std::pair(t->offset, t->bytes); });
        for (std::size_t i = 1; i < order.size(); ++i)
            if (order[i]->offset < order[i - 1]->offset + order[i - 1]->bytes)
                fail(order[i]->name, "its data overlap another tensor's");
    }

    std::shared_ptr<MappedFile> file_;
    ByteReader in_;
    Container result_;
    std::map<std::string, std::vector<std::int64_t>, std::less<>> shapes_;
    std::uint64_t alignment_ = default_alignment;
    std::uint64_t text_left_ = max_text;
    std::uint64_t widened_ = 0; ///< bytes of the f32 copies that the file asks for
};

[[noreturn]] void refuse(const Container& c, const std::string& key, std::string what) {
    throw Error(c.file->name(), key, std::move(what), "the file is damaged: download it again");
}

/// The array of this key; null if there is no such key. Throws Error unless its elements are of one of these types.
const MetadataArray* find_array(const Container& c, const std::string& key, std::initializer_list<ValueType> types,
                                std::uint64_t most, std::string_view what) {
    if (c.metadata.contains(key)) refuse(c, key, "is not an array");
    const auto found = c.arrays.find(key);
    if (found == c.arrays.end()) return nullptr;
    const MetadataArray& a = found->second;
    if (std::ranges::find(types, a.type) == types.end()) refuse(c, key, fmt::format("does not hold {}", what));
    if (a.count > most) refuse(c, key, fmt::format("{} elements, at most {} are read", a.count, most));
    return &a;
}

template <class T> std::vector<T> numbers(const Container& c, const MetadataArray* a) {
    std::vector<T> values(a ? a->count : 0);
    if (!values.empty()) std::memcpy(values.data(), c.file->span().data() + a->offset, values.size() * sizeof(T));
    return values;
}

} // namespace

std::vector<std::string_view> gguf_strings(const Container& c, const std::string& key, std::uint64_t most) {
    std::vector<std::string_view> texts;
    const MetadataArray* a = find_array(c, key, {string}, most, "strings");
    if (!a) return texts;
    ByteReader in(c.file->span(), a->offset);
    texts.reserve(a->count);
    for (std::uint64_t i = 0, n = 0; i < a->count; ++i) {
        in.read(n);
        const auto text = in.text(n); // the table's reader went over them
        if (!text) refuse(c, key, "changed while it was read");
        texts.push_back(*text);
    }
    return texts;
}

std::vector<float> gguf_floats(const Container& c, const std::string& key, std::uint64_t most) {
    return numbers<float>(c, find_array(c, key, {f32}, most, "32-bit floating point numbers"));
}

std::vector<std::int32_t> gguf_ints(const Container& c, const std::string& key, std::uint64_t most) {
    return numbers<std::int32_t>(c, find_array(c, key, {i32, u32}, most, "32-bit whole numbers"));
}

std::span<const std::byte> gguf_bytes(const Container& c, const std::string& key, std::uint64_t most) {
    const MetadataArray* a = find_array(c, key, {u8, i8}, most, "bytes");
    return a ? c.file->span().subspan(a->offset, a->count) : std::span<const std::byte>{};
}

std::optional<std::int64_t> gguf_count(const Container& c, const std::string& key) {
    if (c.arrays.contains(key)) refuse(c, key, "is not a number");
    const auto found = c.metadata.find(key);
    if (found == c.metadata.end()) return std::nullopt;
    const auto value = read_whole<std::int64_t>(found->second);
    if (!value || *value < 0) refuse(c, key, "is not a number of 0 or more");
    return value;
}

Container read_gguf(std::shared_ptr<MappedFile> file) { return Reader(std::move(file)).read(); }

} // namespace denoir
