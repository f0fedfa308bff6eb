// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/suggest.h"
#include "engine/core/text.h"

namespace denoir::cli {
namespace {

constexpr std::size_t help_column = 34, help_width = 120;

const Option* find(const Command& command, std::string_view name) {
    for (const Option& option : command.options)
        if (option.name == name) return &option;
    return nullptr;
}

/// What the models' own scripts, diffusers, ComfyUI and stable-diffusion.cpp call an option, and what it is called
/// here: no distance between spellings tells that.
struct OtherName {
    std::string_view there, here;
};
constexpr OtherName other_names[]{
    {"width", "--size"},
    {"height", "--size"},
    {"resolution", "--size"},
    {"cfg", "--guidance"},
    {"cfg-scale", "--guidance"},
    {"guidance-scale", "--guidance"},
    {"guide-scale", "--guidance"},
    {"sample-guide-scale", "--guidance"},
    {"guidance-scale-2", "--guidance-low"},
    {"num-inference-steps", "--steps"},
    {"inference-steps", "--steps"},
    {"sample-steps", "--steps"},
    {"sampling-steps", "--steps"},
    {"frame-num", "--frames"},
    {"num-frames", "--frames"},
    {"video-frames", "--frames"},
    {"video-length", "--frames"},
    {"length", "--frames"},
    {"frame-rate", "--fps"},
    {"sample-solver", "--sampler"},
    {"sampling-method", "--sampler"},
    {"sampler-name", "--sampler"},
    {"scheduler", "--sampler"},
    {"sample-shift", "--shift"},
    {"flow-shift", "--shift"},
    {"base-seed", "--seed"},
    {"noise-seed", "--seed"},
    {"p", "--prompt"},
    {"n", "--negative-prompt"},
    {"n-prompt", "--negative-prompt"},
    {"i", "--image"},
    {"image-path", "--image"},
    {"start-image", "--image"},
    {"init-img", "--image"},
    {"end-image", "--last-image"},
    {"end-img", "--last-image"},
    {"m", "--model"},
    {"ckpt", "--model"},
    {"ckpt-dir", "--model"},
    {"model-id", "--model"},
    {"diffusion-model", "--model"},
    {"t5", "--text-encoder"},
    {"t5xxl", "--text-encoder"},
    {"clip-vision", "--clip"},
    {"lora-scale", "--lora-strength"},
    {"teacache", "--cache-threshold"},
    {"teacache-thresh", "--cache-threshold"},
    {"torch-dtype", "--dtype"},
    {"o", "--out"},
    {"output", "--out"},
    {"save-file", "--out"},
    {"outdir", "--out"},
    {"t", "--threads"},
    {"q", "--progress none"},
    {"quiet", "--progress none"},
    {"v", "--progress plain"},
    {"verbose", "--progress plain"},
    {"ar-step", "ar_step"},
    {"base-num-frames", "base"},
    {"overlap-history", "overlap"},
    {"addnoise-condition", "condition_noise"},
    {"causal-block-size", "block"},
    {"video-path", "video"},
};

/// A hint that says what an option of other programs is called here; empty for other names.
std::string by_other_name(const Command& command, std::string_view name) {
    std::string folded(name.substr(std::min(name.find_first_not_of('-'), name.size())));
    for (char& c : folded) c = c == '_' ? '-' : lower_ascii(c);
    for (const auto& [there, here] : other_names) {
        if (there != folded) continue;
        if (!here.starts_with('-'))
            return find(command, "--prompt") ? fmt::format("write it in a request: \"forcing\": {{\"{}\": …}}", here)
                                             : "";
        const std::string_view option = here == "--steps" && find(command, "--solver-steps") ? "--solver-steps" : here;
        if (find(command, option.substr(0, option.find(' ')))) return fmt::format("did you mean {}?", option);
    }
    return {};
}

[[noreturn]] void refuse_unknown(const Command& command, std::string_view name) {
    std::string hint = by_other_name(command, name);
    if (hint.empty()) {
        std::vector<std::string_view> names{"--help"};
        for (const Option& option : command.options) names.push_back(option.name);
        hint = did_you_mean(name, names, fmt::format("see denoir-cli {} --help", command.name));
    }
    throw UsageError("", printable(name, 60), fmt::format("{} has no such option", command.name), hint);
}

/// The hint for a word too many: if a command takes a text, it is most often the text's second word.
std::string too_many_hint(const Command& command) {
    if (find(command, "--prompt") || command.synopsis.ends_with(" TEXT"))
        return "put a text of several words in quotes";
    return fmt::format("see denoir-cli {} --help", command.name);
}

/// Whether a word looks like an option: "--steps" or "-x", but not a text like "-5 degrees".
bool is_option(std::string_view word) {
    return word.starts_with("--") || (word.size() == 2 && word[0] == '-' && is_ascii_letter(word[1]));
}

void check_text(std::string_view name, const std::string& value) {
    if (find_invalid_utf8(value)) throw UsageError("", std::string(name), "is not UTF-8", "write it in UTF-8");
}

/// Refuses an argument without a name that is one too many, or looks like an option with a dash missing. `before`: how
/// many there were before it; `only_words`: it stands behind `--`.
void check_argument(const Command& command, const std::string& word, std::size_t before, bool only_words) {
    check_text("argument", word);
    if (!only_words && word.size() > 2 && word[0] == '-' && find(command, "-" + word))
        throw UsageError("", printable(word, 60), fmt::format("{} has no such option", command.name),
                         fmt::format("did you mean -{}?", printable(word, 60)));
    if (int(before) == command.most)
        throw UsageError(
            "", printable(word, 60),
            fmt::format("{} takes {}", command.name, command.most == 0 ? "options only" : "no further argument"),
            too_many_hint(command));
}

/// The values of an option at the beginning of `words`: one or, of a list, all up to the next word with two dashes. A
/// value may begin with a dash, but is never the name of an option of the command.
std::vector<std::string> values_after(const Command& command, const Option& option,
                                      std::span<const std::string> words) {
    std::vector<std::string> values;
    for (const std::string& word : words) {
        if (word == "--" || find(command, word.substr(0, word.find('=')))) break;
        if (!values.empty() && (option.count != Option::Count::list || word.starts_with("--"))) break;
        values.push_back(word);
    }
    return values;
}

/// Columns on a terminal: a letter of several bytes ("…") takes one. (The help has none that take two.)
std::size_t columns(std::string_view text) {
    return std::size_t(std::count_if(text.begin(), text.end(), [](char c) { return !is_utf8_continuation(c); }));
}

/// A description broken at spaces, hanging behind the option's name.
std::string wrapped(const std::string& head, std::string_view text) {
    std::string out = fmt::format("  {}", head);
    if (columns(out) + 2 > help_column)
        out += "\n" + std::string(help_column, ' ');
    else
        out += std::string(help_column - columns(out), ' ');
    std::size_t column = help_column;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        const std::string_view word = text.substr(begin, end - begin);
        if (column > help_column && column + columns(word) + 1 > help_width) {
            out += "\n" + std::string(help_column, ' ');
            column = help_column;
        }
        if (column > help_column) out += ' ', ++column;
        out += word;
        column += columns(word);
        begin = end + 1;
    }
    return out + "\n";
}

} // namespace

std::string Arguments::get(std::string_view option, std::string otherwise) const {
    const auto it = options_.find(option);
    return it == options_.end() ? otherwise : it->second.front();
}

std::vector<std::string> Arguments::all(std::string_view option) const {
    const auto it = options_.find(option);
    return it == options_.end() ? std::vector<std::string>{} : it->second;
}

Arguments parse(const Command& command, std::span<const std::string> words) {
    Arguments out;
    bool only_words = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (only_words || !is_option(word)) {
            check_argument(command, word, out.words_.size(), only_words);
            out.words_.push_back(word);
            continue;
        }
        if (word == "--") {
            only_words = true;
            continue;
        }
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        const Option* option = find(command, name);
        if (!option) refuse_unknown(command, name);
        if (out.has(name) && option->count == Option::Count::once)
            throw UsageError("", name, "is given twice", "keep one");
        auto& values = out.options_[name];
        if (option->value.empty()) {
            if (equals != std::string::npos)
                throw UsageError("", name, "takes no value", fmt::format("write {} alone", name));
            values.emplace_back();
            continue;
        }
        std::vector<std::string> given;
        if (equals != std::string::npos)
            given.push_back(word.substr(equals + 1));
        else
            given = values_after(command, *option, words.subspan(i + 1));
        if (given.empty())
            throw UsageError("", name, "its value is missing", fmt::format("write {} {}", name, option->value));
        if (equals == std::string::npos) i += given.size();
        for (std::string& value : given) {
            check_text(name, value);
            values.push_back(std::move(value));
        }
    }
    if (int(out.words_.size()) < command.least)
        throw UsageError("", std::string(command.name), "an argument is missing",
                         fmt::format("usage: denoir-cli {} {}", command.name, command.synopsis));
    return out;
}

void refuse_empty(const Arguments& args, std::string_view option, std::string hint) {
    for (const std::string& value : args.all(option))
        if (value.empty()) throw UsageError("", std::string(option), "is empty", std::move(hint));
}

void check_resume(const Arguments& args, const Command& command, std::initializer_list<std::string_view> also,
                  std::string_view what, std::string_view instead) {
    if (!args.words().empty())
        throw UsageError("", "--resume", fmt::format("takes the stored {}, not another one", what),
                         "leave the file out");
    for (const Option& option : command.options) {
        const bool fits = option.name == "--resume" || option.name == "--progress" || option.name == "--json" ||
                          std::find(also.begin(), also.end(), option.name) != also.end();
        if (!fits && args.has(option.name))
            throw UsageError("", std::string(option.name), "cannot be changed by --resume",
                             fmt::format("{}, or leave it out", instead));
    }
}

std::string_view request_note(const Command& command) {
    if (!find(command, "--prompt")) return {};
    return "In place of the JSON file stands a video or PNG frame that Denoir made, or a run, for the request behind "
           "it.";
}

std::string help(const Command& command) {
    std::string out = fmt::format("usage: denoir-cli {} {}\n\n{}\n", command.name, command.synopsis, command.summary);
    if (const std::string_view note = request_note(command); !note.empty()) out += fmt::format("{}\n", note);
    out += "\n";
    for (const Option& option : command.options)
        out +=
            wrapped(option.value.empty() ? std::string(option.name) : fmt::format("{} {}", option.name, option.value),
                    option.help);
    return out + wrapped("--help", "this text");
}

std::string help(std::span<const Command> commands) {
    std::string out = "usage: denoir-cli COMMAND …\n\nVideo from text and images with the SkyReels-V2 and Wan models, "
                      "on this machine.\n\n";
    for (const Command& command : commands)
        if (!command.hidden)
            out += wrapped(std::string(command.name), command.summary.substr(0, command.summary.find('\n')));
    out += "\n";
    out += wrapped("COMMAND --help", "the options of a command, with units and defaults");
    out += wrapped("--help", "this text");
    out += wrapped("--version", "the version");
    return out + "\nExit codes: 0 done, 1 failed, 2 wrong usage, 130 cancelled.\n"
                 "DENOIR_HOME, else the XDG folders, say where runs, settings and caches live.\n"
                 "DENOIR_PROFILE=1 tells at the end which kernels the time went to.\n";
}

} // namespace denoir::cli
