// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace denoir::cli {

/// One option of a command: what the parser, `--help` and the completion files know of it.
struct Option {
    std::string_view name;  ///< "--steps"
    std::string_view value; ///< what follows, as in the help: "N", "FILE", "f32|bf16"; empty: a flag
    std::string_view help;  ///< what it does, with unit and default
    enum class Count { once, repeated, list } count = Count::once; ///< list: several values after one name
};

class Arguments;
class Console;

struct Command {
    std::string_view name;
    std::string_view synopsis; ///< what follows the name in the usage line
    std::string_view summary;  ///< one sentence
    int least, most;           ///< arguments without a name
    std::vector<Option> options;
    int (*run)(const Arguments&, Console&);
    bool hidden = false;
};

/// A parsed command line: the values of each option, and the arguments without a name. Values are taken literally.
class Arguments {
public:
    bool has(std::string_view option) const { return options_.contains(option); }
    /// The option's (first) value, or `otherwise` if it was not given.
    std::string get(std::string_view option, std::string otherwise = {}) const;
    std::vector<std::string> all(std::string_view option) const;
    const std::vector<std::string>& words() const { return words_; }

private:
    friend Arguments parse(const Command&, std::span<const std::string>);
    std::map<std::string, std::vector<std::string>, std::less<>> options_;
    std::vector<std::string> words_;
};

/// Parses the words after the command's name; `--` ends the options. Throws UsageError naming the option, with a
/// suggestion for a misspelt one.
Arguments parse(const Command& command, std::span<const std::string> words);

/// Throws UsageError if any value of the option is empty; `hint` says what to give.
void refuse_empty(const Arguments&, std::string_view option, std::string hint);

/// Throws UsageError for arguments that cannot be combined with --resume, since the stored `what` ("request", "sweep")
/// decides the result: everything but --resume, --progress, --json and the options in `also`. `instead` says what to do
/// to change something.
void check_resume(const Arguments&, const Command&, std::initializer_list<std::string_view> also, std::string_view what,
                  std::string_view instead);

/// What else than a request file a command takes in its place; empty if it takes no request.
std::string_view request_note(const Command& command);

/// The text of --help, at most 140 columns wide.
std::string help(const Command& command);
std::string help(std::span<const Command> commands);

// Options that several commands share, in one wording.
inline constexpr Option json_option{"--json", "", "one JSON document on stdout (default: text)"};
inline constexpr Option threads_option{
    "--threads", "N", "worker threads, 0 to 1024; changes no byte of a result (default 0: every core)"};
inline constexpr Option device_option{"--device", "D", "cpu, cuda or cuda:N (default the first card, else cpu)"};
inline constexpr Option progress_option{"--progress", "HOW",
                                        "auto, plain or none, on stderr (default auto: on a terminal only)"};

} // namespace denoir::cli
