// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <string>
#include <string_view>

#include "engine/core/json.h"
#include "engine/pipeline/observer.h"

namespace denoir::cli {

/// What the program exits with.
namespace exit_code {
inline constexpr int done = 0, failed = 1, usage = 2, cancelled = 130;
}

/// The program's output: results on stdout (with --json, one document), errors, warnings and progress on stderr.
class Console {
public:
    explicit Console(bool json) : json_(json) {}
    bool json() const { return json_; }

    /// Prints the result for people; does nothing with --json.
    void say(std::string_view text) const;
    /// Prints the result for programs; does nothing without --json.
    void report(const Json& document) const;
    /// The text that report() prints.
    static std::string text(const Json& document);
    /// The value of "error" in a JSON document, for a document that also has results.
    static Json error_json(const Error&);
    /// One line `denoir-cli: …` on stderr, and {"error": …} on stdout with --json.
    void refuse(const Error&) const;
    /// The line of a cancelled command on stderr, and {"error": …} on stdout with --json. Waits at most 0.4 s for each
    /// stream that nobody reads.
    void cancelled(const std::string& line) const;
    /// The same from any thread, bypassing stdio's buffers. What nobody reads within `patience` is left out.
    static void say_cancelled(const std::string& line, bool json, std::chrono::milliseconds patience);
    /// Prints text to stdout as it is, with --json too. Does not throw: main() checks at the end whether stdout took
    /// it.
    static void print(std::string_view text);
    /// One line on stderr.
    void note(std::string_view line) const;

private:
    bool json_;
};

/// How progress is shown: a line that is rewritten in place, a line per step, or not at all.
enum class ProgressStyle { none, line, plain };
class Arguments;
/// Throws UsageError naming --progress.
ProgressStyle progress_style(const Arguments&);

/// Stage, step and ETA on stderr.
class Progress : public Observer {
public:
    explicit Progress(ProgressStyle style) : style_(style) {}
    ~Progress() override { clear(); }
    void stage_begins(Stage) override;
    void stage_ends(Stage, double seconds) override;
    void progress(Stage, double done, double total, double seconds_left) override;
    void warning(std::string_view) override;
    /// Progress of work that is not a stage of a run: `done` of `total` pieces called `unit` ("frame"); total 0:
    /// unknown.
    void work(std::string_view what, std::string_view unit, double done, double total);
    /// Removes the line, so that something else can be written.
    void clear();

protected:
    void show(const std::string& text);
    std::string prefix_; ///< put before every line: what the work is part of

private:
    using Clock = std::chrono::steady_clock;
    bool is_due(bool always); ///< whether enough time has passed since the last line, or `always`
    ProgressStyle style_;
    bool shown_ = false;
    std::string work_; ///< what work() spoke of last
    Clock::time_point work_start_{}, last_shown_{};
};

/// "1:23", "0.4 s"
std::string duration(double seconds);
/// `command` and the path, quoted for a shell, to be copied; `command` alone if the path could not be shown in one
/// line.
std::string command_with(std::string_view command, const std::string& path);

} // namespace denoir::cli
