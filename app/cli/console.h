// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <string>
#include <string_view>

#include "engine/core/json.h"
#include "engine/pipeline/observer.h"

namespace denoir::cli {

/// What the program says: results on stdout (with --json one document), refusals, warnings and progress on stderr.
class Console {
public:
    explicit Console(bool json) : json_(json) {}
    bool json() const { return json_; }

    /// The result for people; dropped with --json.
    void say(std::string_view text) const;
    /// The result for programs; dropped without --json.
    void report(const Json& document) const;
    /// A document as `report` writes it, for who reads it as text.
    static std::string text(const Json& document);
    /// What `refuse` puts into a JSON document as "error", for a result that stands beside it.
    static Json error_json(const Error&);
    /// One line `denoir-cli: …` on stderr, and {"error": …} on stdout with --json.
    void refuse(const Error&) const;
    /// The line of a cancelled command, and {"error": …} on stdout with --json. It does not wait for who reads nothing.
    void cancelled(const std::string& line) const;
    /// The same by any thread, past the buffers of the main one: what nobody reads within `patience` goes unsaid.
    static void say_cancelled(const std::string& line, bool json, std::chrono::milliseconds patience);
    /// Text as it is on stdout, with --json too. Whether it got there is for the end of the program to see: this throws
    /// nothing.
    static void print(std::string_view text);
    /// One line on stderr.
    void note(std::string_view line) const;

private:
    bool json_;
};

/// Where progress goes: `auto` a line that renews itself, on a terminal only; `plain` a line per step; `none`.
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
    /// Work that is no stage of a run: `done` of `total` pieces called `unit` ("frame"); total 0: not known.
    void work(std::string_view what, std::string_view unit, double done, double total);
    /// Removes the line, before something else is written.
    void clear();

protected:
    void show(const std::string& text);
    std::string prefix_; ///< before every line: what this work is a part of

private:
    using Clock = std::chrono::steady_clock;
    bool is_due(bool always); ///< a line may follow the one before
    ProgressStyle style_;
    bool shown_ = false;
    std::string work_; ///< what work() spoke of last
    Clock::time_point work_start_{}, last_shown_{};
};

/// "1:23", "0.4 s"
std::string duration(double seconds);
/// `command` with the path as one word of a shell, to be copied; without it where a line could not hold it as it is.
std::string command_with(std::string_view command, const std::string& path);

} // namespace denoir::cli
