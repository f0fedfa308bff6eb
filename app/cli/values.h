// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/options.h"
#include "engine/session/request_json.h"

namespace denoir::cli {

/// Values of options, refused by the option's name.
std::int64_t whole_number(const Arguments&, std::string_view option, std::int64_t low, std::int64_t high,
                          std::int64_t otherwise);
/// Nothing where the option was not given.
std::optional<double> number(const Arguments&, std::string_view option, double low, double high);
std::optional<Device> device_of(const Arguments&);
std::optional<PrecisionPolicy> precision_of(const Arguments&);
/// The file that an option or a word names for a result, empty where there is none: behind a link of that name.
std::filesystem::path output_file(const std::string& given);
inline std::filesystem::path output_file(const Arguments& args, std::string_view option) {
    return output_file(args.get(option));
}
/// A run as people name it: its folder or, where nothing of that name lies there, as find_run() knows it.
std::string named_run(const std::string& given);
/// Such a file's whole path, through the name that was given.
std::filesystem::path as_given(const std::filesystem::path& whole);
/// An Error about such a file, or about a path below one of the command line's words, names it by these. The engine has
/// made most paths absolute.
Error as_given(const Error&);
/// What the command line holds behind the command; once, before anything is refused.
void remember_words(const std::vector<std::string>& words);
/// `run`, whose refusals of the field name the option that gave it instead.
template <class Run> auto naming_option(std::string_view field, std::string_view option, Run&& run) {
    try {
        return run();
    } catch (const UsageError& e) {
        if (e.field() != field) throw;
        throw UsageError(e.file(), std::string(option), e.message(), e.hint());
    } catch (const Error& e) {
        if (e.field() != field) throw;
        throw Error(e.file(), std::string(option), e.message(), e.hint());
    }
}
/// The JSON value of a number as typed; text that is no number stays text, and the field refuses it.
Json number_value(const std::string& text);

} // namespace denoir::cli
