// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <exception>
#include <string>
#include <string_view>

namespace denoir {

/// An error that the user can repair, in a file, a field or a value. It is thrown anywhere and shown once, as one line
/// `FILE: field: what is wrong; what to do`. (Mistakes of the programmer assert.)
class Error : public std::exception {
public:
    /// `file` and `field` name the place as the user wrote it, `hint` says what to do. Each of the three may be
    /// empty.
    Error(std::string file, std::string field, std::string message, std::string hint = {});

    const std::string& file() const { return file_; }
    const std::string& field() const { return field_; }
    const std::string& message() const { return message_; }
    const std::string& hint() const { return hint_; }
    /// The whole line, at most 360 bytes of clean UTF-8 without control characters; long parts are shortened in the
    /// middle.
    const char* what() const noexcept override { return line_.c_str(); }

    /// A copy that names `file` if none was named yet (readers of nested formats do not know their file's name).
    Error in_file(std::string_view file) const;

private:
    std::string file_, field_, message_, hint_, line_;
};

/// The Error for a value out of range or an unknown option, for which the command line exits with 2 instead of 1.
class UsageError : public Error {
public:
    using Error::Error;
};

/// Thrown when the stop token was set. Not an error: the run can be resumed.
class Cancelled : public std::exception {
public:
    const char* what() const noexcept override { return "cancelled"; }
};

/// `text` with control characters and invalid UTF-8 replaced, cut in the middle to at most `limit` bytes.
std::string printable(std::string_view text, std::size_t limit = 160);

} // namespace denoir
