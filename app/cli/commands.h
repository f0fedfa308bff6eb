// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "app/cli/console.h"
#include "app/cli/options.h"
#include "engine/session/request_json.h"
#include "engine/session/trace_selection.h"

namespace denoir::cli {

/// One per file of the same name.
Command bench_command();
Command compare_command();
Command compare_precision_command();
Command compare_traces_command();
Command completion_command();
Command convert_command();
Command decode_command();
Command inspect_command();
Command module_command();
Command render_command();
Command runs_command();
Command sweep_command();
Command tokenize_command();
Command trace_command();
Command verify_command();

/// All of them, in the order of the help.
std::span<const Command> commands();

/// Set by Ctrl+C; for the commands.
std::stop_token interrupt_token();

// Options that several commands share, in one wording.
inline constexpr Option json_option{"--json", "", "one JSON document on stdout (default: text)"};
inline constexpr Option threads_option{
    "--threads", "N", "worker threads, 0 to 1024; changes no byte of a result (default 0: every core)"};
inline constexpr Option device_option{"--device", "D", "cpu, cuda or cuda:N (default the first card, else cpu)"};
inline constexpr Option progress_option{"--progress", "HOW",
                                        "auto, plain or none, on stderr (default auto: on a terminal only)"};

/// Values of options, refused by the option's name.
std::int64_t whole_number(const Arguments&, std::string_view option, std::int64_t low, std::int64_t high,
                          std::int64_t otherwise);
/// Nothing where the option was not given.
std::optional<double> number(const Arguments&, std::string_view option, double low, double high);
std::optional<Device> device_of(const Arguments&);
std::optional<PrecisionPolicy> precision_of(const Arguments&);
/// The JSON value of a number as typed; text that is no number stays text, and the field refuses it.
Json number_value(std::string_view option, const std::string& text);
/// The request's own options, in one wording and one meaning for every command that takes a request: a file as first
/// word, then the options over it. `start` of a branch stays. `steps_option`: where --steps means something else.
void apply_request_arguments(Request&, const Arguments&, std::string_view steps_option = "--steps");
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
/// With --resume the stored `what` decides the result: neither a file nor an option but --resume, --progress, --json
/// and those in `also` may come along. `instead`: what changes one.
void check_resume(const Arguments&, const Command&, std::initializer_list<std::string_view> also, std::string_view what,
                  std::string_view instead);
/// The options of a request, then a command's own.
std::vector<Option> with_request_options(std::initializer_list<Option> own, std::string_view steps_option = "--steps");
/// Alternatives of --layers, and --steps as steps to trace; shared by the commands that trace.
TraceSelection trace_selection(const Arguments&);
inline constexpr Option layers_option{"--layers", "GLOB",
                                      "layers to keep, as trace --list names them, with * ? []; may be repeated, "
                                      "commas separate alternatives; with a slash held "
                                      "against COMPONENT/LAYER, else against LAYER (default: every layer)",
                                      Option::Count::repeated};
inline constexpr Option traced_steps_option{"--steps", "LIST",
                                            "solver steps to trace, like 1,4-6,last (default: every step)"};
inline constexpr std::string_view solver_steps = "--solver-steps";
/// --report and --csv: refused before anything is computed, as other outputs are.
void check_tables(const Arguments&, std::span<const std::filesystem::path> inputs);
/// Both are whole in temporary files before one of them is seen.
void write_tables(const Arguments&, const std::function<std::string()>& csv,
                  const std::function<std::string()>& report);
/// A field of the request from its option, which a refusal names.
void set_field(Request&, std::string_view key, const Json& value, std::string_view steps_option = "--steps");
/// "960x544" as the two fields of the request.
void set_size_fields(Request&, const std::string& text);

} // namespace denoir::cli
