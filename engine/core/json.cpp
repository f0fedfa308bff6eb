// SPDX-License-Identifier: Apache-2.0
#include "engine/core/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "engine/core/text.h"

namespace denoir {
namespace {

constexpr std::size_t max_depth = 64;
/// A header of 100 MB full of one-digit numbers would otherwise become gigabytes of nodes.
constexpr std::size_t max_values = 5'000'000;

/// Feeds the parser from memory and tells how far it has read.
class Cursor {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    Cursor(const char* at, const char** seen) : at_(at), seen_(seen) {}
    reference operator*() const { return *at_; }
    Cursor& operator++() {
        *seen_ = ++at_;
        return *this;
    }
    Cursor operator++(int) {
        const Cursor old = *this;
        ++*this;
        return old;
    }
    friend bool operator==(const Cursor& a, const Cursor& b) { return a.at_ == b.at_; }
    friend bool operator!=(const Cursor& a, const Cursor& b) { return a.at_ != b.at_; }

private:
    const char* at_;
    const char** seen_;
};

/// "line 3, column 17" of a byte; columns count characters.
std::string place(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    const std::size_t line_start = before.rfind('\n') + 1; // npos + 1 = 0
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto column = 1 + std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line_start), before.end(),
                                          [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
    return fmt::format("line {}, column {}", line, column);
}

using Members = Json::object_t::Container;

/// The vector below an object: appending there skips the search for the key that would make large objects quadratic.
Members& members(Json& object) { return object.get_ref<Json::object_t&>(); }

/// Builds the document from the parser's events (nlohmann's SAX interface) and refuses what the header promises to refuse.
class Builder {
public:
    Builder(std::string_view text, std::string_view file) : text_(text), file_(file), seen_(text.data()) {}

    Json result;
    Cursor begin() { return {text_.data(), &seen_}; }
    Cursor end() { return {text_.data() + text_.size(), &seen_}; }

    bool null() { return add(nullptr); }
    bool boolean(bool value) { return add(value); }
    bool number_integer(Json::number_integer_t value) { return add(value); }
    bool number_unsigned(Json::number_unsigned_t value) { return add(value); }
    bool number_float(Json::number_float_t value, const std::string&) {
        if (!std::isfinite(value)) fail(offset(), "is too large for a number", "write a smaller one");
        return add(value);
    }
    bool string(std::string& value) {
        refuse_nul(value);
        return add(std::move(value));
    }
    bool binary(Json::binary_t&) { return false; } // never sent for text
    bool start_object(std::size_t) { return open(Json::value_t::object); }
    bool start_array(std::size_t) { return open(Json::value_t::array); }
    bool key(std::string& name) {
        refuse_nul(name);
        Frame& frame = open_.back();
        frame.key = std::move(name);
        frame.has_key = true;
        frame.key_ends.push_back(offset());
        return true;
    }
    bool end_object() {
        refuse_repeated_keys(open_.back());
        open_.pop_back();
        return true;
    }
    bool end_array() {
        open_.pop_back();
        return true;
    }
    bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception& problem) {
        constexpr int number_overflow = 406;
        if (problem.id == number_overflow)
            fail(offset() - std::min(offset(), token.size()), fmt::format("{} is too large for a number", printable(token, 40)),
                 "write a finite number");
        if (position > text_.size()) fail(text_.size(), "the text ends too early", "close what is open, or copy the file again");
        const std::size_t start = position >= token.size() ? position - token.size() : position;
        if (const std::string_view word = special_number(start); !word.empty())
            fail(start, fmt::format("{} is not a number of JSON", word), "write a finite number");
        fail(start, fmt::format("not JSON: unexpected {}", token.empty() ? "character" : printable(token, 40)),
             "correct the text there");
    }

private:
    struct Frame {
        Json* value;
        std::string key = {}; ///< of the member whose value comes next, or came last
        bool has_key = false;
        std::vector<std::size_t> key_ends = {}; ///< offset after each key, to tell where a repeated one stands
    };

    std::size_t offset() const { return static_cast<std::size_t>(seen_ - text_.data()); }

    /// "noise.kind" or "weights[3]": the value that is being read.
    std::string path() const {
        std::string out;
        for (const Frame& frame : open_) {
            if (frame.value->is_array())
                out += fmt::format("[{}]", frame.value->size() - (&frame == &open_.back() ? 0 : 1));
            else if (frame.has_key)
                out += (out.empty() ? "" : ".") + frame.key;
        }
        return out;
    }

    [[noreturn]] void fail(std::size_t offset, std::string_view what, std::string hint) const {
        throw Error(std::string(file_), path(), fmt::format("{} ({})", what, place(text_, offset)), std::move(hint));
    }

    void refuse_nul(const std::string& text) const {
        if (text.find('\0') != std::string::npos) fail(offset(), "holds a NUL character", "remove it");
    }

    /// Whether a word that other tools write for infinities and NaN stands at `start`; empty if not.
    std::string_view special_number(std::size_t start) const {
        for (const std::string_view word : {"NaN", "nan", "Infinity", "-Infinity", "inf", "-inf", "-nan", "-NaN"})
            if (text_.substr(start, word.size()) == word) return word;
        return {};
    }

    Json& append(Json&& value) {
        if (++values_ > max_values)
            fail(offset(), fmt::format("more than {} values", max_values), "nothing that is read here is so large");
        if (open_.empty()) return result = std::move(value);
        Frame& frame = open_.back();
        if (frame.value->is_array()) return frame.value->get_ref<Json::array_t&>().emplace_back(std::move(value));
        return members(*frame.value).emplace_back(frame.key, std::move(value)).second;
    }

    template <class T>
    bool add(T&& value) {
        append(Json(std::forward<T>(value)));
        return true;
    }

    bool open(Json::value_t kind) {
        if (open_.size() == max_depth) fail(offset(), fmt::format("nested deeper than {} levels", max_depth), "make it flatter");
        Json& value = append(Json(kind));
        open_.push_back({&value});
        return true;
    }

    void refuse_repeated_keys(const Frame& frame) {
        const Members& all = members(*frame.value);
        if (all.size() < 2) return;
        std::vector<std::uint32_t> order(all.size());
        for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            const int difference = all[a].first.compare(all[b].first);
            return difference != 0 ? difference < 0 : a < b;
        });
        std::size_t repeated = all.size();
        for (std::size_t i = 1; i < order.size(); ++i)
            if (all[order[i - 1]].first == all[order[i]].first) repeated = std::min<std::size_t>(repeated, order[i]);
        if (repeated == all.size()) return;
        open_.back().key = all[repeated].first;
        fail(frame.key_ends[repeated] - 1, "stands here for the second time", "keep one of them");
    }

    std::string_view text_, file_;
    const char* seen_;
    std::vector<Frame> open_;
    std::size_t values_ = 0;
};

} // namespace

Json parse_json(std::string_view text, std::string_view file) {
    if (const auto bad = find_invalid_utf8(text))
        throw Error(std::string(file), "", fmt::format("not UTF-8 ({})", place(text, *bad)), "save the text as UTF-8");
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        throw Error(std::string(file), "", "is empty", "it should hold JSON");
    Builder builder(text, file);
    Json::sax_parse(builder.begin(), builder.end(), &builder);
    return std::move(builder.result);
}

} // namespace denoir
