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

// Values of options. A wrong one is a UsageError naming the option.

/// `otherwise` if the option was not given.
std::int64_t whole_number(const Arguments&, std::string_view option, std::int64_t low, std::int64_t high,
                          std::int64_t otherwise);
/// Of --threads; 0: every core.
int threads_of(const Arguments&, int otherwise = 0);
/// Empty if the option was not given.
std::optional<double> number(const Arguments&, std::string_view option, double low, double high);
std::optional<Device> device_of(const Arguments&);
/// The output file that an option or argument names, empty if it is not given. A link is followed to its target.
std::filesystem::path output_file(const std::string& given);
inline std::filesystem::path output_file(const Arguments& args, std::string_view option) {
    return output_file(args.get(option));
}
/// The run that a person names: a folder or, if there is none of that name, a run that find_run() knows.
std::string named_run(const std::string& given);
/// An output's absolute path turned back into the name that output_file() was given.
std::filesystem::path as_given(const std::filesystem::path& whole);
/// An Error whose file is such an output, or lies below an argument of the command line, made to name it as the user
/// did: the engine works with absolute paths.
Error as_given(const Error&);
/// Tells as_given() the words behind the command; to be called once, at the start.
void remember_words(const std::vector<std::string>& words);
/// run(), with errors about `field` made to name `option` instead.
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
/// The JSON value of a number as it was typed. Text that is not a number stays text, which the field then refuses.
Json number_value(const std::string& text);

} // namespace denoir::cli
