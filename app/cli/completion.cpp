// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "app/cli/choices.h"
#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "engine/session/module_runner.h"

namespace denoir::cli {
namespace {

std::string choices(const Command& command, const Option& option) {
    return fmt::format("{}", fmt::join(option_choices(command, option), " "));
}

std::string names(const Command& command) {
    std::string out = "--help";
    for (const Option& option : command.options) out += fmt::format(" {}", option.name);
    return out;
}

std::string visible_commands() {
    std::string out;
    for (const Command& command : commands())
        if (!command.hidden) out += fmt::format("{}{}", out.empty() ? "" : " ", command.name);
    return out;
}

std::string module_words() { return fmt::format("{}", fmt::join(module_names(), " ")); }

std::string bash() {
    std::string out = "# SPDX-License-Identifier: Apache-2.0\n"
                      "# bash completion for denoir-cli; made by `denoir-cli completion bash`\n"
                      "_denoir_cli() {\n"
                      "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options\n"
                      "    COMPREPLY=()\n"
                      "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n";
    out += fmt::format("        COMPREPLY=($(compgen -W \"{} --help --version\" -- \"$word\"))\n        return\n    "
                       "fi\n    case \"${{COMP_WORDS[1]}} $before\" in\n",
                       visible_commands());
    std::map<std::string_view, std::string> usual; // the words of most commands, by option
    std::string of_all;                            // comes after the lines of single commands that take other words
    for (const Command& command : commands())
        for (const Option& option : command.options) {
            const std::string words = choices(command, option);
            if (words.empty()) continue;
            const auto [first, is_new] = usual.emplace(option.name, words);
            const auto line = [&](std::string_view before) {
                return fmt::format("    {}\\ {}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n", before,
                                   option.name, words);
            };
            if (is_new)
                of_all += line("*");
            else if (first->second != words)
                out += line(command.name);
        }
    out += of_all;
    out += "    esac\n    case ${COMP_WORDS[1]} in\n";
    for (const Command& command : commands())
        if (!command.hidden) out += fmt::format("    {}) options=\"{}\" ;;\n", command.name, names(command));
    return out +
           fmt::format("    esac\n"
                       "    if [ \"${{COMP_WORDS[1]}}\" = module ] && [ \"$COMP_CWORD\" -eq 2 ]; then\n"
                       "        options=\"$options {}\"\n"
                       "    fi\n"
                       "    case $word in\n"
                       "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
                       "    *) COMPREPLY=($(compgen -W \"$options\" -- \"$word\") $(compgen -f -- \"$word\")) ;;\n"
                       "    esac\n"
                       "}}\n"
                       "complete -o filenames -F _denoir_cli denoir-cli\n",
                       module_words());
}

/// `text` for use within single quotes and the brackets of _arguments.
std::string zsh_text(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\'') out += "'\\'";
        if (c == '[' || c == ']' || c == ':') out += '\\';
        out += c;
    }
    return out;
}

std::string zsh() {
    std::string out = "#compdef denoir-cli\n# SPDX-License-Identifier: Apache-2.0\n# zsh completion for denoir-cli; "
                      "made by `denoir-cli completion "
                      "zsh`\n_denoir_cli() {\n    local -a commands\n    commands=(\n";
    for (const Command& command : commands())
        if (!command.hidden)
            out += fmt::format("        '{}:{}'\n", command.name,
                               zsh_text(command.summary.substr(0, command.summary.find('\n'))));
    out += "    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n    "
           "case $words[2] in\n";
    for (const Command& command : commands()) {
        if (command.hidden) continue;
        out += fmt::format("    {})\n        _arguments '1:command:' \\\n", command.name);
        for (const Option& option : command.options) {
            const std::string words = choices(command, option);
            const std::string star = option.count == Option::Count::once ? "" : "*";
            const std::string value = option.value.empty() ? ""
                                      : !words.empty()     ? fmt::format(":value:({})", words)
                                                           : ":value:_files";
            out += fmt::format("            '{}{}[{}]{}' \\\n", star, option.name, zsh_text(option.help), value);
        }
        out += command.name == "module" ? fmt::format("            '2:name:({})' '*:file:_files' ;;\n", module_words())
                                        : "            '*:file:_files' ;;\n";
    }
    return out + "    esac\n}\n_denoir_cli \"$@\"\n";
}

std::string fish_text(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

std::string fish() {
    std::string out = "# SPDX-License-Identifier: Apache-2.0\n# fish completion for denoir-cli; made by `denoir-cli "
                      "completion fish`\n";
    for (const Command& command : commands())
        if (!command.hidden)
            out += fmt::format("complete -c denoir-cli -n __fish_use_subcommand -f -a {} -d '{}'\n", command.name,
                               fish_text(command.summary.substr(0, command.summary.find('\n'))));
    out += fmt::format("complete -c denoir-cli -n '__fish_seen_subcommand_from module' -a '{}'\n", module_words());
    for (const Command& command : commands())
        for (const Option& option : command.options) {
            if (command.hidden) continue;
            const std::string value = option.value.empty() ? ""
                                      : !choices(command, option).empty()
                                          ? fmt::format(" -x -a '{}'", choices(command, option))
                                          : " -r";
            out += fmt::format("complete -c denoir-cli -n '__fish_seen_subcommand_from {}' -l {}{} -d '{}'\n",
                               command.name, option.name.substr(2), value, fish_text(option.help));
        }
    return out;
}

std::string roff(std::string_view text) {
    std::string out;
    for (const char c : text) out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    for (std::size_t line = 0; line < out.size();) { // a line that begins so would be an instruction
        if (out[line] == '.' || out[line] == '\'') out.insert(line, "\\&");
        const std::size_t end = out.find('\n', line);
        line = end == std::string::npos ? out.size() : end + 1;
    }
    constexpr std::string_view dots = "…";
    for (std::size_t at; (at = out.find(dots)) != std::string::npos;) out.replace(at, dots.size(), "\\[u2026]");
    return out;
}

std::string manual() {
    std::string out = ".\\\" SPDX-License-Identifier: Apache-2.0\n.\\\" made by `denoir-cli completion man`\n"
                      ".TH DENOIR\\-CLI 1 \"\" \"Denoir " DENOIR_VERSION "\" \"User Commands\"\n"
                      ".SH NAME\ndenoir\\-cli \\- video from text and images with the SkyReels\\-V2 and Wan models\n"
                      ".SH SYNOPSIS\n.B denoir\\-cli\n.I COMMAND\n\\[u2026]\n.SH COMMANDS\n";
    for (const Command& command : commands()) {
        if (command.hidden) continue;
        out += fmt::format(".SS {}\n.nf\n\\fBdenoir\\-cli {}\\fR {}\n.fi\n.PP\n", roff(command.name),
                           roff(command.name), roff(command.synopsis));
        const std::string_view summary = command.summary;
        const std::size_t first = summary.find('\n'); // what follows is laid out by hand
        out += roff(summary.substr(0, first)) + "\n";
        if (first != std::string_view::npos) out += ".PP\n.nf\n" + roff(summary.substr(first + 1)) + "\n.fi\n";
        if (const std::string_view note = request_note(command); !note.empty()) out += ".PP\n" + roff(note) + "\n";
        for (const Option& option : command.options)
            out += fmt::format(".TP\n\\fB{}\\fR \\fI{}\\fR\n{}\n", roff(option.name), roff(option.value),
                               roff(option.help));
    }
    return out +
           ".SH EXIT STATUS\n0 done, 1 failed, 2 wrong usage, 130 cancelled.\n"
           ".SH ENVIRONMENT\n.TP\n.B DENOIR_HOME\nthe data folder, with runs, models, settings and caches (default: "
           "denoir in the XDG folders)\n"
           ".TP\n.B DENOIR_DEVICE\nas \\-\\-device where that is not given\n"
           ".TP\n.B DENOIR_CUDA_LIBRARIES\nfolders where cuBLAS and cuDNN are looked for, separated by colons\n"
           ".TP\n.B DENOIR_PROFILE\n1: tells at the end which kernels the time went to\n";
}

int run(const Arguments& args, Console&) {
    const std::string& kind = args.words()[0];
    constexpr std::pair<std::string_view, std::string (*)()> kinds[] = {
        {"bash", bash}, {"zsh", zsh}, {"fish", fish}, {"man", manual}};
    for (const auto& [name, text] : kinds)
        if (kind == name) {
            Console::print(text());
            return 0;
        }
    throw UsageError("", "completion", fmt::format("'{}' is unknown", printable(kind, 40)),
                     "use bash, zsh, fish or man");
}

} // namespace

Command completion_command() {
    return {"completion", "bash|zsh|fish|man", "The completion file of a shell, or the manual page.", 1, 1, {}, run,
            true};
}

} // namespace denoir::cli
