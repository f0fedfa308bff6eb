// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "engine/core/error.h"

namespace denoir {

/// A scanner of JSON (RFC 8259) for readers that know what they expect and keep only that. A hostile header of 100 MB
/// must be refused within 2 s and 1 GiB, but nlohmann's lexer takes 2 to 4 s, stops at a NUL, and has messages that are
/// not for users. The text must be valid UTF-8. Every function expects the position to be at the first byte of what it
/// reads, and leaves it behind the last.
class JsonScanner {
protected:
    explicit JsonScanner(std::string_view text) : text_(text) {}
    ~JsonScanner() = default;

    /// The reader's error for a problem at byte `offset`.
    virtual Error problem(std::size_t offset, std::string_view what, std::string hint) const = 0;
    [[noreturn]] void fail(std::size_t offset, std::string_view what, std::string hint) const {
        throw problem(offset, what, std::move(hint));
    }
    /// Fails at the position because something other than `wanted`, or the end of the text, is there.
    [[noreturn]] void unexpected(std::string_view wanted) const;

    std::size_t at() const { return at_; }
    /// The next byte, which stays unread; NUL at the end.
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
    /// To be called after the document: fails if anything but space follows.
    void finish() {
        skip_space();
        if (at_ < text_.size()) unexpected("the end");
    }

    /// Reads a string, with escapes resolved. Fails if it holds NUL.
    std::string string();
    /// Reads a number and returns its text, at most 1000 characters.
    std::string_view number();
    /// Reads `word` (true, false or null), after which no letter or digit may follow.
    void literal(std::string_view word);
    /// Skips a value of any kind.
    void skip_value();

    /// Calls body(key, offset of the key) for each member of an object, or body(index) for each element of a list; body
    /// must read the value. Fails on a value of another kind, and beyond 64 levels.
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
