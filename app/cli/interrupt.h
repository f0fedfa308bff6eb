// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <stop_token>
#include <string>

namespace denoir::cli {

/// Turns Ctrl+C, SIGTERM and SIGHUP (unless nohup ignores it) into a stop token. If the work has not returned after 0.4
/// s, or a second signal comes, the process ends with 130; that is safe, as whatever is on disk is whole at any moment,
/// and temporary files are removed. To be constructed before any thread is started, since it blocks the signals. Throws
/// std::system_error if no thread can be started.
class Interrupt {
public:
    Interrupt();
    ~Interrupt(); ///< the work is done: from here on main's own exit code counts
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;
    /// The line for stderr if the process has to be ended by a signal ("cancelled; resume with …").
    static void set_last_words(const std::string& line);
    /// From here on the program's result or error is being printed: the first signal that comes now is ignored as too
    /// late, and only a second one ends the process.
    static void begin_result();
    /// On such an end, also prints a JSON document to stdout.
    static void set_json();
    /// The output being written, whose half-made folder of frames is to be removed, too.
    static void set_output(const std::filesystem::path& out);
};

/// The stop token of the signals; valid once there is an Interrupt.
std::stop_token interrupt_token();

} // namespace denoir::cli
