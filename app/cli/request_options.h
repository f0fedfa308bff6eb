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

/// The request's own options, in one wording and one meaning for every command that takes a request: a file as first
/// word, or what carries one (carried_request.h), then the options over it. `start` of a branch stays. `steps_option`:
/// where --steps means something else.
void apply_request_arguments(Request&, const Arguments&, std::string_view steps_option = "--steps");
/// The first word as the path of a request: a file, or a run by its name. Throws UsageError where it is empty, calling
/// it `what`, Error where nothing is there.
std::filesystem::path request_word(const Arguments&, const char* what);
/// The options alone.
void apply_request_options(Request&, const Arguments&, std::string_view steps_option = "--steps");
/// An error that names what the user wrote instead of a field or a path made absolute, see naming_arguments.
Error as_written(const Error&, const Arguments&, std::string_view steps_option);
/// `run`, whose refusals name a field of the request, or a path made absolute: they name what the user wrote instead,
/// the option or the request file.
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
/// A field of the request from its option, which a refusal names.
void set_field(Request&, std::string_view key, const Json& value, std::string_view steps_option = "--steps");
/// "960x544" as the two fields of the request.
void set_size_fields(Request&, const std::string& text);

} // namespace denoir::cli
