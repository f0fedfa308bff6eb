// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/options.h"
#include "engine/core/error.h"
#include "engine/session/request_json.h"

namespace denoir::cli {

/// Applies the request that the command line gives: its first argument, a request file or anything that carries a
/// request (carried_request.h), and then the options, which mean the same in every command. The start of a branch is
/// kept. `steps_option`: the name of the option for solver steps in commands where --steps means something else.
void apply_request_arguments(Request&, const Arguments&, std::string_view steps_option = "--steps");
/// The first argument as a path: a request file, or a run by its name. Throws UsageError naming `what` if it is empty,
/// Error if it does not exist.
std::filesystem::path request_path(const Arguments&, const char* what);
/// Throws UsageError if neither a request file nor any option of a request is given to `command` ("render").
void refuse_no_request(const Arguments&, std::string_view command);
/// Warns if options alone make the request and none says what is to be seen: every field may be left out, but the
/// prompt may have been forgotten. To be called when all else is found right.
void warn_without_prompt(const Arguments&);
/// Applies only the options.
void apply_request_options(Request&, const Arguments&, std::string_view steps_option = "--steps");
/// An Error made to name what the user wrote; for naming_arguments().
Error as_written(const Error&, const Arguments&, std::string_view steps_option);
/// run(), with errors that name a field of the request or an absolute path made to name what the user wrote: the
/// option, or the request file.
template <class Run>
auto naming_arguments(const Arguments& args, Run&& run, std::string_view steps_option = "--steps") {
    try {
        return run();
    } catch (const UsageError& e) {
        const Error named = as_written(e, args, steps_option);
        throw UsageError(named.file(), named.field(), named.message(), named.hint());
    } catch (const Error& e) {
        throw as_written(e, args, steps_option);
    }
}
/// The options of a request, then a command's own.
std::vector<Option> with_request_options(std::initializer_list<Option> own, std::string_view steps_option = "--steps");
/// A field of the request that an option sets.
struct GivenField {
    std::string_view option; ///< "--size"
    std::string field;       ///< "width": a key of the request, or a member of one ("parts.vae", "loras.0.strength")
};
/// All fields that the options set, grouped by option. `loras`: how many LoRAs the request then has.
std::vector<GivenField> given_fields(const Arguments&, std::size_t loras);
/// Sets a field of the request from its option. Throws UsageError naming the option.
void set_field(Request&, std::string_view key, const Json& value, std::string_view steps_option = "--steps");
/// Sets width and height of the request from a text like "960x544". Throws UsageError naming --size.
void set_size_fields(Request&, const std::string& text);

} // namespace denoir::cli
