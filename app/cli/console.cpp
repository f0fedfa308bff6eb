// SPDX-License-Identifier: Apache-2.0
#include "app/cli/console.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cstdio>

#include "app/cli/choices.h"
#include "app/cli/interrupt.h"
#include "engine/core/log.h"

namespace denoir::cli {
namespace {

void write_all(std::FILE* file, std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), file);
    std::fflush(file);
}

/// Writes `text`, which must fit into an empty pipe. Does nothing if a pipe stays full for so long, because nobody
/// reads it (`2>&1 | less`): writing would block the process.
void write_within(std::chrono::milliseconds patience, int fd, const std::string& text) {
    pollfd ready{fd, POLLOUT, 0};
    if (::poll(&ready, 1, int(patience.count())) <= 0) return;
    [[maybe_unused]] const ssize_t written = ::write(fd, text.data(), text.size());
}

std::string noted(std::string_view line) { return fmt::format("denoir-cli: {}\n", printable(line, 380)); }

/// JSON text whose lines after the first are indented by `depth` more. Also escapes the control characters that JSON
/// allows (DEL, U+0080 to U+009F): names from files may hold them, and a terminal obeys them.
std::string text_of(const Json& value, std::size_t depth) {
    const std::string text = value.dump(1, ' ', false, Json::error_handler_t::replace);
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0; };
        if (byte(i) == 0x7F)
            out += "\\u007f";
        else if (byte(i) == 0xC2 && byte(i + 1) >= 0x80 && byte(i + 1) < 0xA0)
            out += fmt::format("\\u{:04x}", byte(++i));
        else
            out += text[i];
        if (text[i] == '\n') out.append(depth, ' ');
    }
    return out;
}

/// Passes the same text to `out` in pieces, as the text of a long list may take more memory than everything else.
template <class Put> void put(const Json& value, std::size_t depth, const Put& out) {
    constexpr std::size_t deepest = 2;
    if (depth == deepest || !value.is_structured() || value.empty()) return out(text_of(value, depth));
    const std::string line = fmt::format("\n{:{}}", "", depth + 1);
    bool first = true;
    for (const auto& member : value.items()) {
        out(first ? value.is_object() ? "{" : "[" : ",");
        out(line);
        if (value.is_object()) out(text_of(member.key(), 0) + ": ");
        put(member.value(), depth + 1, out);
        first = false;
    }
    out(fmt::format("\n{:{}}{}", "", depth, value.is_object() ? "}" : "]"));
}

/// Shows an engine's warning in place of the line of progress, not behind it.
void warn_over_line(log::Level level, std::string_view text) {
    if (level == log::Level::warning) write_all(stderr, fmt::format("\r\033[Kwarning: {}\n", printable(text, 400)));
}

} // namespace

void Console::print(std::string_view text) { write_all(stdout, text); }

void Console::say(std::string_view text) const {
    Interrupt::begin_result();
    if (!json_) write_all(stdout, std::string(text) + "\n");
}

std::string Console::text(const Json& document) { return text_of(document, 0); }

void Console::report(const Json& document) const {
    Interrupt::begin_result();
    if (!json_) return;
    put(document, 0, [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); });
    write_all(stdout, "\n");
}

Json Console::error_json(const Error& e) {
    return {{"file", printable(e.file(), 4096)},
            {"field", printable(e.field(), 1024)},
            {"message", printable(e.message(), 1024)},
            {"hint", printable(e.hint(), 1024)}};
}

void Console::refuse(const Error& e) const {
    Interrupt::begin_result();
    note(e.what());
    report(Json{{"error", error_json(e)}});
}

void Console::cancelled(const std::string& line) const {
    Interrupt::begin_result();
    say_cancelled(line, json_, std::chrono::milliseconds(400));
}

void Console::say_cancelled(const std::string& line, bool json, std::chrono::milliseconds patience) {
    write_within(patience, STDERR_FILENO, noted(line));
    const Json error{{"file", ""}, {"field", ""}, {"message", printable(line, 1024)}, {"hint", ""}};
    if (json) write_within(patience, STDOUT_FILENO, text_of(Json{{"error", error}}, 0) + "\n");
}

void Console::note(std::string_view line) const { write_all(stderr, noted(line)); }

ProgressStyle progress_style(const Arguments& args) {
    const auto named = choice(args, "--progress", progress_styles);
    return named.value_or(::isatty(STDERR_FILENO) ? ProgressStyle::line : ProgressStyle::none);
}

void Progress::stage_begins(Stage stage) {
    last_shown_ = {};
    if (style_ == ProgressStyle::line) show(std::string(name(stage)) + " …");
}

void Progress::stage_ends(Stage stage, double seconds) {
    if (style_ == ProgressStyle::plain) show(fmt::format("{}: {}", name(stage), duration(seconds)));
}

bool Progress::is_due(bool always) {
    const auto now = Clock::now();
    if (!always && now - last_shown_ < std::chrono::milliseconds(style_ == ProgressStyle::plain ? 2000 : 100))
        return false;
    last_shown_ = now;
    return true;
}

void Progress::progress(Stage stage, double done, double total, double seconds_left) {
    if (!is_due(stage == Stage::denoise || done == total)) return;
    const std::string eta = seconds_left >= 0 && done < total ? fmt::format(", ETA {}", duration(seconds_left)) : "";
    show(fmt::format("{}: {} {:.0f}/{:.0f}{}", name(stage), stage == Stage::denoise ? "step" : "frame", done, total,
                     eta));
}

void Progress::work(std::string_view what, std::string_view unit, double done, double total) {
    if (work_ != what) {
        work_ = what;
        work_start_ = Clock::now();
        last_shown_ = {};
    }
    if (!is_due(total > 0 && done >= total)) return;
    const double seconds = std::chrono::duration<double>(Clock::now() - work_start_).count();
    const std::string of = total > 0 ? fmt::format("/{:.0f}", total) : "";
    const std::string eta =
        done > 0 && done < total ? fmt::format(", ETA {}", duration((total - done) * seconds / done)) : "";
    show(done == 0 ? fmt::format("{} …", what) : fmt::format("{}: {} {:.0f}{}{}", what, unit, done, of, eta));
}

void Progress::warning(std::string_view text) {
    clear();
    write_all(stderr, fmt::format("warning: {}\n", printable(text, 380)));
}

void Progress::show(const std::string& text) {
    if (style_ == ProgressStyle::none) return;
    if (style_ == ProgressStyle::plain) return write_all(stderr, prefix_ + text + "\n");
    write_all(stderr, "\r\033[K" + prefix_ + text);
    if (!shown_) log::set_sink(warn_over_line);
    shown_ = true;
}

void Progress::clear() {
    if (!shown_) return;
    write_all(stderr, "\r\033[K");
    log::set_sink({});
    shown_ = false;
}

std::string duration(double seconds) {
    if (seconds < 60) return fmt::format("{:.1f} s", seconds);
    if (!(seconds < 1e10)) return "over 300 years"; // a run.json may hold any number
    const auto whole = static_cast<long long>(seconds + 0.5);
    if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string command_with(std::string_view command, const std::string& path) {
    constexpr std::size_t longest = 250; // lines are cut at some 380
    std::string word = "'";
    for (const char c : path) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    word += "'";
    const bool whole = word.size() <= longest && printable(word, longest) == word;
    return fmt::format("{} {}", command, whole ? word : "and its folder");
}

} // namespace denoir::cli
