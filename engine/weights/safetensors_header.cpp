// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/safetensors_header.h"

#include <fmt/format.h>

#include <charconv>

#include "engine/core/error.h"
#include "engine/core/json_scanner.h"
#include "engine/core/text.h"
#include "engine/weights/limits.h"

namespace denoir {
namespace {

constexpr std::size_t max_metadata = 100'000;
constexpr std::size_t max_rank = 64;
constexpr std::size_t max_dtype = 32;
constexpr const char* damaged = "the file is damaged: download or write it again";

class Parser final : JsonScanner {
public:
    Parser(std::string_view text, const std::string& file) : JsonScanner(text), file_(file) {}

    SafetensorsHeader header() {
        SafetensorsHeader result;
        skip_space();
        each_member([&](std::string key, std::size_t) {
            if (key == "__metadata__")
                metadata(result);
            else
                result.tensors.push_back(tensor(std::move(key)));
            if (result.tensors.size() > max_tensors) fail(at(), fmt::format("more than {} tensors", max_tensors), {});
        });
        finish();
        return result;
    }

private:
    Error problem(std::size_t offset, std::string_view what, std::string) const override {
        return {file_, "header", fmt::format("{} (byte {} of the header)", what, offset), damaged};
    }
    [[noreturn]] void fail_in(std::string_view tensor, std::string_view what) const {
        throw Error(file_, std::string(tensor), std::string(what), damaged);
    }

    void metadata(SafetensorsHeader& header) {
        if (seen_metadata_) fail(at(), "__metadata__ is there twice", {});
        seen_metadata_ = true;
        if (peek() == 'n') return literal("null"); // some writers have nothing to say
        each_member([&](std::string key, std::size_t) {
            if (peek() != '"') fail_in("__metadata__", "its values must be strings");
            std::string value = string();
            if (header.metadata.size() == max_metadata)
                fail_in("__metadata__", fmt::format("more than {} keys", max_metadata));
            if (!header.metadata.emplace(std::move(key), std::move(value)).second)
                fail_in("__metadata__", "a key is there twice");
        });
    }

    HeaderTensor tensor(std::string name) {
        if (name.size() > max_tensor_name)
            fail(at(), fmt::format("a tensor's name is longer than {} bytes", max_tensor_name), {});
        HeaderTensor t;
        t.name = std::move(name);
        bool dtype = false, shape = false, offsets = false;
        if (peek() != '{') fail_in(t.name, "its entry in the header is not an object");
        each_member([&](const std::string& key, std::size_t) {
            const auto once = [&](bool& seen) {
                if (seen) fail_in(t.name, key + " is there twice");
                seen = true;
            };
            if (key == "dtype") {
                once(dtype);
                if (peek() != '"') fail_in(t.name, "dtype is not a string");
                t.dtype = string();
                if (t.dtype.size() > max_dtype) fail_in(t.name, "dtype is no name of a type");
            } else if (key == "shape") {
                once(shape);
                read_shape(t);
            } else if (key == "data_offsets") {
                once(offsets);
                read_offsets(t);
            } else {
                skip_value();
            }
        });
        if (!dtype || !shape || !offsets) fail_in(t.name, "dtype, shape or data_offsets is missing");
        return t;
    }

    void read_shape(HeaderTensor& t) {
        if (peek() != '[') fail_in(t.name, "shape is not a list");
        each_element([&](std::size_t) {
            const std::uint64_t n = integer(t.name, "shape");
            if (n > static_cast<std::uint64_t>(INT64_MAX)) fail_in(t.name, "shape does not fit in 64 bits");
            if (t.shape.size() == max_rank) fail_in(t.name, fmt::format("shape has more than {} axes", max_rank));
            t.shape.push_back(static_cast<std::int64_t>(n));
        });
    }
    void read_offsets(HeaderTensor& t) {
        if (peek() != '[') fail_in(t.name, "data_offsets is not a list");
        std::size_t count = 0;
        each_element([&](std::size_t i) {
            const std::uint64_t n = integer(t.name, "data_offsets");
            if (i == 0) t.begin = n;
            if (i == 1) t.end = n;
            count = i + 1;
        });
        if (count != 2) fail_in(t.name, "data_offsets must hold two numbers");
    }

    std::uint64_t integer(const std::string& tensor, std::string_view what) {
        const std::string_view digits = is_ascii_digit(peek()) ? number() : std::string_view();
        if (digits.empty() || digits.find_first_of(".eE") != std::string_view::npos)
            fail_in(tensor, fmt::format("{} holds something that is not a whole number >= 0", what));
        std::uint64_t value = 0;
        if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc())
            fail_in(tensor, fmt::format("{} does not fit in 64 bits", what));
        return value;
    }

    const std::string& file_;
    bool seen_metadata_ = false;
};

} // namespace

Json header_entry(DType dtype, const Shape& shape, std::uint64_t begin, std::uint64_t end) {
    return {{"dtype", info(dtype).safetensors},
            {"shape", std::vector<std::int64_t>(shape.begin(), shape.end())},
            {"data_offsets", {begin, end}}};
}

SafetensorsHeader parse_safetensors_header(std::string_view json, const std::string& file) {
    if (const auto bad = find_invalid_utf8(json))
        throw Error(file, "header", fmt::format("not UTF-8 (byte {} of the header)", *bad), damaged);
    return Parser(json, file).header();
}

} // namespace denoir
