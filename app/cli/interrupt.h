// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <stop_token>
#include <string>

namespace denoir::cli {

/// Turns Ctrl+C, SIGTERM and SIGHUP (unless nohup has it ignored) into a stop token. Work that has not come back 0.4 s
/// later, and every second signal, ends the process with 130: what is on disk is whole at any moment, temporaries are
/// removed. Constructed before any thread: the signals are blocked from then on. Throws std::system_error where the
/// system starts no thread.
class Interrupt {
public:
    Interrupt();
    ~Interrupt(); ///< main's work is done: from here on its own exit code counts
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;
    /// The line for stderr where the process has to be ended in a hurry ("cancelled; resume with …").
    static void set_last_words(const std::string& line);
    /// What the program says at its end, result or refusal, is written from here on: a signal that comes now is too
    /// late, and only a further one ends the process.
    static void begin_result();
    /// Then stdout gets its document, too.
    static void set_json();
    /// What is being written: a half-made folder of frames beside it goes too.
    static void set_output(const std::filesystem::path& out);
};

/// Of Ctrl+C and its like, from the first Interrupt on.
std::stop_token interrupt_token();

} // namespace denoir::cli
