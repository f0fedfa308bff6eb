// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/safetensors_header.h"

#include <fmt/format.h>

#include "engine/core/error.h"
#include "engine/core/text.h"
#include "engine/weights/limits.h"

namespace denoir {
namespace {

constexpr std::size_t max_metadata = 100'000;
constexpr std::size_t max_rank = 64;
constexpr std::size_t max_dtype = 32;
constexpr int max_depth = 16;

/// A pull parser over one text. Every function stands at the first byte of what it reads and leaves the position behind
/// it.
class Parser {
public:
    Parser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    SafetensorsHeader header() {
        SafetensorsHeader result;
        each_member([&](std::string key) {
            if (key == "__metadata__")
                metadata(result);
            else
                result.tensors.push_back(tensor(std::move(key)));
            if (result.tensors.size() > max_tensors) fail(fmt::format("more than {} tensors", max_tensors));
        });
        skip_space();
        if (at_ != text_.size()) fail("there is something after the JSON object");
        return result;
    }

private:
    [[noreturn]] void fail(std::string_view what) const {
        throw Error(file_, "header", fmt::format("{} (byte {} of the header)", what, at_),
                    "the file is damaged: download or write it again");
    }
    [[noreturn]] void fail_in(std::string_view tensor, std::string_view what) const {
        throw Error(file_, std::string(tensor), std::string(what), "the file is damaged: download or write it again");
    }

    void skip_space() {
        while (at_ < text_.size() &&
               (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
            ++at_;
    }
    char peek() {
        skip_space();
        if (at_ == text_.size()) fail("the JSON ends too early");
        return text_[at_];
    }
    bool accept(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (!accept(c)) fail(fmt::format("expected '{}'", c));
    }

    /// Calls body(key) for each member of an object; body reads the value.
    template <class Body> void each_member(Body body) {
        expect('{');
        if (accept('}')) return;
        do {
            if (peek() != '"') fail("expected a name in quotes");
            std::string key = string();
            expect(':');
            skip_space();
            body(std::move(key));
        } while (accept(','));
        expect('}');
    }
    template <class Body> void each_element(Body body) {
        expect('[');
        if (accept(']')) return;
        do {
            skip_space();
            body();
        } while (accept(','));
        expect(']');
    }

    void metadata(SafetensorsHeader& header) {
        if (seen_metadata_) fail("__metadata__ is there twice");
        seen_metadata_ = true;
        if (peek() == 'n') return skip_value(0); // null: some writers have nothing to say
        each_member([&](std::string key) {
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
            fail(fmt::format("a tensor's name is longer than {} bytes", max_tensor_name));
        HeaderTensor t;
        t.name = std::move(name);
        bool dtype = false, shape = false, offsets = false;
        if (peek() != '{') fail_in(t.name, "its entry in the header is not an object");
        each_member([&](const std::string& key) {
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
                skip_value(0);
            }
        });
        if (!dtype || !shape || !offsets) fail_in(t.name, "dtype, shape or data_offsets is missing");
        return t;
    }

    void read_shape(HeaderTensor& t) {
        if (peek() != '[') fail_in(t.name, "shape is not a list");
        each_element([&] {
            const std::uint64_t n = integer(t.name, "shape");
            if (n > static_cast<std::uint64_t>(INT64_MAX)) fail_in(t.name, "shape does not fit in 64 bits");
            if (t.shape.size() == max_rank) fail_in(t.name, fmt::format("shape has more than {} axes", max_rank));
            t.shape.push_back(static_cast<std::int64_t>(n));
        });
    }
    void read_offsets(HeaderTensor& t) {
        if (peek() != '[') fail_in(t.name, "data_offsets is not a list");
        int count = 0;
        each_element([&] {
            const std::uint64_t n = integer(t.name, "data_offsets");
            if (count == 0) t.begin = n;
            if (count == 1) t.end = n;
            ++count;
        });
        if (count != 2) fail_in(t.name, "data_offsets must hold two numbers");
    }

    std::uint64_t integer(const std::string& tensor, std::string_view what) {
        const auto digit = [&] { return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; };
        const std::size_t start = at_;
        std::uint64_t value = 0;
        while (digit()) {
            const auto d = static_cast<std::uint64_t>(text_[at_] - '0');
            if (__builtin_mul_overflow(value, std::uint64_t{10}, &value) || __builtin_add_overflow(value, d, &value))
                fail_in(tensor, fmt::format("{} does not fit in 64 bits", what));
            ++at_;
        }
        const bool leading_zero = at_ - start > 1 && text_[start] == '0';
        const bool fraction = at_ < text_.size() && (text_[at_] == '.' || text_[at_] == 'e' || text_[at_] == 'E');
        if (at_ == start || leading_zero || fraction)
            fail_in(tensor, fmt::format("{} holds something that is not a whole number >= 0", what));
        return value;
    }

    unsigned hex4() {
        if (text_.size() - at_ < 4) fail("a \\u escape ends too early");
        unsigned value = 0;
        for (int i = 0; i < 4; ++i) {
            const char c = text_[at_++];
            value <<= 4;
            if (c >= '0' && c <= '9')
                value |= static_cast<unsigned>(c - '0');
            else if (c >= 'a' && c <= 'f')
                value |= static_cast<unsigned>(c - 'a' + 10);
            else if (c >= 'A' && c <= 'F')
                value |= static_cast<unsigned>(c - 'A' + 10);
            else
                fail("a \\u escape holds something that is not a hexadecimal digit");
        }
        return value;
    }

    void escape(std::string& out) {
        if (at_ == text_.size()) fail("a string ends too early");
        const char c = text_[at_++];
        switch (c) {
        case '"':
        case '\\':
        case '/':
            out += c;
            return;
        case 'b':
            out += '\b';
            return;
        case 'f':
            out += '\f';
            return;
        case 'n':
            out += '\n';
            return;
        case 'r':
            out += '\r';
            return;
        case 't':
            out += '\t';
            return;
        case 'u':
            break;
        default:
            fail("an unknown escape in a string");
        }
        unsigned code = hex4();
        if (code >= 0xD800 && code < 0xDC00) {
            if (text_.substr(at_, 2) != "\\u") fail("half of a surrogate pair");
            at_ += 2;
            const unsigned low = hex4();
            if (low < 0xDC00 || low > 0xDFFF) fail("half of a surrogate pair");
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        } else if (code >= 0xDC00 && code <= 0xDFFF) {
            fail("half of a surrogate pair");
        }
        if (code == 0) fail("a string holds NUL");
        append_utf8(out, code);
    }

    /// Copies one well-formed UTF-8 sequence of two to four bytes.
    void multibyte(std::string& out) {
        const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text_[at_ + i]); };
        const unsigned lead = byte(0);
        const std::size_t n = lead >= 0xC2 && lead <= 0xDF   ? 2
                              : lead >= 0xE0 && lead <= 0xEF ? 3
                              : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                             : 0;
        if (n == 0 || text_.size() - at_ < n) fail("a string is not valid UTF-8");
        for (std::size_t i = 1; i < n; ++i)
            if ((byte(i) & 0xC0) != 0x80) fail("a string is not valid UTF-8");
        const bool bad = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F) ||
                         (lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F);
        if (bad) fail("a string is not valid UTF-8");
        out.append(text_.substr(at_, n));
        at_ += n;
    }

    std::string string() {
        ++at_; // the quote
        std::string out;
        for (;;) {
            std::size_t run = at_;
            while (run < text_.size() && text_[run] != '"' && text_[run] != '\\' &&
                   static_cast<unsigned char>(text_[run]) >= 0x20 && static_cast<unsigned char>(text_[run]) < 0x80)
                ++run;
            out.append(text_.substr(at_, run - at_));
            at_ = run;
            if (at_ == text_.size()) fail("a string ends too early");
            const char c = text_[at_];
            if (c == '"') {
                ++at_;
                return out;
            }
            if (c == '\\') {
                ++at_;
                escape(out);
            } else if (static_cast<unsigned char>(c) < 0x20) {
                fail("a control character in a string");
            } else {
                multibyte(out);
            }
        }
    }

    void skip_literal(std::string_view word) {
        if (text_.substr(at_, word.size()) != word) fail("not valid JSON");
        at_ += word.size();
    }
    void skip_number() {
        const auto digits = [&] {
            const std::size_t start = at_;
            while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
            if (at_ == start) fail("not valid JSON");
        };
        if (text_[at_] == '-') ++at_;
        digits();
        if (at_ < text_.size() && text_[at_] == '.') ++at_, digits();
        if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
            ++at_;
            if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
            digits();
        }
    }
    void skip_value(int depth) {
        if (depth > max_depth) fail("nested too deep");
        switch (peek()) {
        case '{':
            return each_member([&](const std::string&) { skip_value(depth + 1); });
        case '[':
            return each_element([&] { skip_value(depth + 1); });
        case '"':
            string();
            return;
        case 't':
            return skip_literal("true");
        case 'f':
            return skip_literal("false");
        case 'n':
            return skip_literal("null");
        default:
            return skip_number();
        }
    }

    std::string_view text_;
    const std::string& file_;
    std::size_t at_ = 0;
    bool seen_metadata_ = false;
};

} // namespace

SafetensorsHeader parse_safetensors_header(std::string_view json, const std::string& file) {
    return Parser(json, file).header();
}

} // namespace denoir
