// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "engine/core/error.h"

namespace denoir {

/// JSON's words (RFC 8259) one after another, for readers that know what they expect and keep only that: a header of
/// 100 MB from a stranger must be refused within 2 s and 1 GiB, which nlohmann's lexer does not reach (it takes 2 to 4
/// s there, stops at a NUL, and its messages are not for users). The text is valid UTF-8. Every function stands at the
/// first byte of what it reads, and leaves the position behind it.
class JsonScanner {
protected:
    explicit JsonScanner(std::string_view text) : text_(text) {}
    ~JsonScanner() = default;

    /// What the reader makes of a problem at byte `offset`.
    virtual Error problem(std::size_t offset, std::string_view what, std::string hint) const = 0;
    [[noreturn]] void fail(std::size_t offset, std::string_view what, std::string hint) const {
        throw problem(offset, what, std::move(hint));
    }
    /// fail() here: something else than `wanted`, or the end of the text.
    [[noreturn]] void unexpected(std::string_view wanted) const;

    std::size_t at() const { return at_; }
    /// NUL at the end.
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool take(char c) {
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    void skip_space() {
        while (at_ < text_.size() &&
               (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
            ++at_;
    }
    /// Behind the document: only space may follow.
    void finish() {
        skip_space();
        if (at_ < text_.size()) unexpected("the end");
    }

    /// A text in quotes without NUL.
    std::string string();
    /// The digits, at most 1000 characters.
    std::string_view number();
    /// `word` and no letter behind it.
    void literal(std::string_view word);
    /// Any value, forgotten.
    void skip_value();

    /// Calls body(key, offset of the key) for each member of an object, body(index) for each element of a list; body
    /// reads the value. At most 64 levels. fail() where another kind of value stands.
    template <class Body> void each_member(Body body) {
        open('{', "an object");
        for (bool first = true; !take('}'); first = false) {
            if (!first && !take(',')) unexpected("a comma or }");
            skip_space();
            const std::size_t offset = at_;
            if (peek() != '"') unexpected("a key in quotes");
            std::string key = string();
            skip_space();
            if (!take(':')) unexpected("a colon");
            skip_space();
            body(std::move(key), offset);
            skip_space();
        }
        --depth_;
    }
    template <class Body> void each_element(Body body) {
        open('[', "a list");
        for (std::size_t i = 0; !take(']'); ++i) {
            if (i > 0 && !take(',')) unexpected("a comma or ]");
            skip_space();
            body(i);
            skip_space();
        }
        --depth_;
    }

private:
    void open(char bracket, std::string_view kind);
    void escape(std::string& out);
    char32_t code_point();
    char32_t four_digits();
    bool skip_digits();

    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

} // namespace denoir
