// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/values.h"
#include "engine/core/environment.h"
#include "engine/core/error.h"
#include "engine/core/memory.h"
#include "engine/core/profile.h"
#include "engine/core/suggest.h"

namespace denoir::cli {
namespace {

const Command& find(std::span<const std::string> words) {
    const std::string& name = words.front();
    std::vector<std::string_view> names;
    for (const Command& command : commands()) {
        if (command.name == name) return command;
        if (!command.hidden) names.push_back(command.name);
    }
    const bool option = name.starts_with('-');
    names.insert(names.end(), {"--help", "--version"});
    const auto is_command = [&](const std::string& word) {
        return std::find(names.begin(), names.end(), word) != names.end() && !word.starts_with('-');
    };
    const auto command = std::find_if(words.begin() + 1, words.end(), is_command);
    if (option && command != words.end())
        throw UsageError("", printable(name, 60), "stands before the command",
                         fmt::format("begin with denoir-cli {}", *command));
    std::string near = name == "help" || name == "version" ? "--" + name : closest(name, names);
    if (name == "help" && command != words.end()) near = *command + " --help";
    throw UsageError("", name.empty() ? "command" : printable(name, 60),
                     name.empty() ? "is empty"
                     : option     ? "is not an option of the program"
                                  : "is not a command",
                     near.empty() ? "see denoir-cli --help" : fmt::format("did you mean {}?", near));
}

/// Whether the word after `before` is the value of an option, as in "--prompt -h", and so does not ask for help.
bool is_value(const Command& command, const std::string& before) {
    return std::any_of(command.options.begin(), command.options.end(),
                       [&](const Option& o) { return o.name == before && !o.value.empty(); });
}

/// Throws Error if `ulimit -s`, which holds for every thread, is too small: reading models and videos would crash.
void check_stack() {
    constexpr rlim_t least = 256 << 10;
    rlimit limit{};
    if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= least) return;
    throw Error("", "stack", fmt::format("is limited to {} KiB, {} are needed", limit.rlim_cur >> 10, least >> 10),
                "start it where ulimit -s says 8192");
}

int run(const std::vector<std::string>& words, Console& console) {
    if (words.empty()) throw UsageError("", "command", "is missing", "see denoir-cli --help");
    if (words[0] == "--help" || words[0] == "-h") {
        Console::print(help(commands()));
        return exit_code::done;
    }
    if (words[0] == "--version") {
        Console::print(fmt::format("denoir-cli {}\n", DENOIR_VERSION));
        return exit_code::done;
    }
    const Command& command = find(words);
    const std::span<const std::string> rest(words.begin() + 1, words.end());
    for (std::size_t i = 0; i < rest.size() && rest[i] != "--"; ++i) {
        if ((rest[i] != "--help" && rest[i] != "-h") || (i > 0 && is_value(command, rest[i - 1]))) continue;
        Console::print(help(command));
        return exit_code::done;
    }
    const Arguments args = parse(command, rest);
    check_stack();
    return command.run(args, console);
}

/// Whether the result reached stdout, or its reader wanted no more.
bool said_all() {
    const bool flushed = std::fflush(stdout) == 0 && !std::ferror(stdout);
    return flushed || errno == EPIPE;
}

/// Whatever happens becomes one line and an exit code.
int guarded(const std::vector<std::string>& words) {
    const auto end_of_options = std::find(words.begin(), words.end(), "--");
    Console console(std::find(words.begin(), end_of_options, "--json") != end_of_options);
    if (console.json()) Interrupt::set_json();
    remember_words({words.begin() + !words.empty(), words.end()});
    std::optional<Interrupt> interrupt;
    try {
        interrupt.emplace(); // before any other thread; throws if the system starts none
        errno = 0;
        const int code = run(words, console);
        if (code != exit_code::done || said_all()) return code;
        console.note("stdout: the result cannot be written there; free some space or choose another place");
        return exit_code::failed;
    } catch (const UsageError& e) {
        console.refuse(as_given(e));
        return exit_code::usage;
    } catch (const Error& e) {
        if (interrupt_token().stop_requested()) { // the error may only follow from stopping
            console.cancelled("cancelled");
            return exit_code::cancelled;
        }
        console.refuse(as_given(e));
        return exit_code::failed;
    } catch (const Cancelled&) {
        console.cancelled("cancelled");
        return exit_code::cancelled;
    } catch (const std::bad_alloc&) {
        console.refuse(not_enough_memory());
    } catch (const std::length_error&) {
        console.refuse(not_enough_memory());
    } catch (const std::filesystem::filesystem_error& e) {
        std::error_code lost;
        if (std::filesystem::current_path(lost).empty())
            console.refuse(Error("", "working directory", "cannot be used: " + lost.message(),
                                 "go to a folder that exists and try again"));
        else
            console.refuse(Error(e.path1().string(), "", "cannot be used: " + e.code().message(),
                                 "check the path and its permissions"));
    } catch (const std::system_error& e) {
        console.refuse(Error("", "system", e.code().message(), "close other programs and try again"));
    } catch (const std::exception&) {
        console.refuse(Error("", "internal error", "something that should not happen did",
                             "please report the command and its files"));
    }
    return exit_code::failed;
}

/// With DENOIR_PROFILE=1, prints to stderr which kernels took the time.
void say_profile() {
    if (environment_word("DENOIR_PROFILE", {"0", "1"}) != "1") return;
    const std::string table = profile::table(profile::totals());
    std::fwrite(table.data(), 1, table.size(), stderr);
}

/// Opens the standard streams that are closed: otherwise a file would get the number of one, and messages would be
/// written into it. They are opened for reading only, so that a result that goes nowhere is still an error.
void keep_standard_streams() {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
        if (::fcntl(fd, F_GETFD) == -1 && ::open("/dev/null", O_RDONLY) != fd) std::_Exit(exit_code::failed);
}

} // namespace

std::span<const Command> commands() {
    static const std::vector<Command> all{render_command(),
                                          decode_command(),
                                          verify_command(),
                                          runs_command(),
                                          sweep_command(),
                                          compare_command(),
                                          module_command(),
                                          tokenize_command(),
                                          inspect_command(),
                                          convert_command(),
                                          trace_command(),
                                          compare_traces_command(),
                                          compare_precision_command(),
#ifdef DENOIR_HAS_BENCH
                                          bench_command(),
#endif
                                          completion_command()};
    return all;
}

} // namespace denoir::cli

int main(int argc, char** argv) {
    denoir::cli::keep_standard_streams();
    const int code = denoir::cli::guarded(std::vector<std::string>(argv + 1, argv + argc));
    denoir::cli::say_profile();
    return code;
}
