// SPDX-License-Identifier: Apache-2.0
#include "app/cli/values.h"

#include <fmt/format.h>

#include <map>

#include "app/cli/request_options.h"
#include "engine/core/file.h"
#include "engine/core/json_fields.h"
#include "engine/core/text.h"
#include "engine/session/history.h"

namespace denoir::cli {

namespace fs = std::filesystem;

namespace {

/// What the user wrote, by the file that a link led to or the run that a name stood for.
std::map<std::string, std::string>& followed() {
    static std::map<std::string, std::string> all;
    return all;
}

/// The words of the command line that may be paths: all that are not options, and the values of `--option=VALUE`.
std::vector<fs::path>& given_paths() {
    static std::vector<fs::path> all;
    return all;
}

std::string without_slash(std::string path) {
    if (path.size() > 1 && path.back() == '/') path.pop_back();
    return path;
}

/// An absolute path as the user would write it: beginning with the longest word of the command line that it is in. Of
/// two words for one folder, the one that is absolute counts.
std::string by_words(const std::string& file) {
    std::error_code code;
    const fs::path here = fs::current_path(code);
    if (file.empty() || file[0] != '/' || code) return file;
    const std::string whole = without_slash(fs::path(file).lexically_normal().string());
    std::string found = file;
    std::size_t longest = 0;
    for (const fs::path& given : given_paths()) {
        const std::string folder = without_slash((here / given).lexically_normal().string());
        if (folder.size() < longest + !given.is_absolute() || !whole.starts_with(folder)) continue;
        if (whole.size() > folder.size() && whole[folder.size()] != '/') continue;
        longest = folder.size();
        found = whole == folder ? given.string() : (given / whole.substr(folder.size() + 1)).string();
    }
    return found;
}

} // namespace

std::int64_t whole_number(const Arguments& args, std::string_view option, std::int64_t low, std::int64_t high,
                          std::int64_t otherwise) {
    if (!args.has(option)) return otherwise;
    const std::string text = args.get(option);
    const auto value = read_whole<std::int64_t>(text);
    if (!value || *value < low || *value > high)
        throw UsageError("", std::string(option),
                         fmt::format("'{}' is not a whole number in range", printable(text, 40)),
                         fmt::format("use {} to {}", low, high));
    return *value;
}

int threads_of(const Arguments& args, int otherwise) {
    return int(whole_number(args, "--threads", 0, 1024, otherwise));
}

std::optional<double> number(const Arguments& args, std::string_view option, double low, double high) {
    if (!args.has(option)) return std::nullopt;
    const std::string text = args.get(option);
    const auto value = read_double(text);
    if (!value || !(*value >= low && *value <= high))
        throw UsageError("", std::string(option), fmt::format("'{}' is not a number in range", printable(text, 40)),
                         fmt::format("use {} to {}", low, high));
    return value;
}

std::optional<Device> device_of(const Arguments& args) {
    Request r;
    if (args.has("--device")) set_field(r, "device", args.get("--device"));
    return r.device;
}

std::filesystem::path output_file(const std::string& given) {
    if (given.empty()) return {};
    const std::filesystem::path file = behind_link(given);
    if (file != given) followed()[file.string()] = given;
    return file;
}

std::string named_run(const std::string& given) {
    static std::map<std::string, std::string> named; // remembered, since "last" must not become a run begun meanwhile
    const auto [it, fresh] = named.emplace(given, given);
    std::error_code code;
    if (!fresh || fs::exists(fs::symlink_status(given, code))) return it->second;
    if (const fs::path found = find_run(given); !found.empty()) {
        it->second = found.string();
        followed()[found.string()] = given;
    }
    return it->second;
}

fs::path as_given(const fs::path& whole) {
    std::error_code code;
    const fs::path here = fs::current_path(code);
    if (code) return whole; // the working directory is gone
    for (const auto& [file, given] : followed())
        if (resolved_path(file, here) == whole) return resolved_path(given, here);
    return whole;
}

Error as_given(const Error& e) {
    const auto it = followed().find(e.file());
    return {it == followed().end() ? by_words(e.file()) : it->second, e.field(), e.message(), e.hint()};
}

void remember_words(const std::vector<std::string>& words) {
    for (const std::string& word : words) {
        if (!word.starts_with('-'))
            given_paths().emplace_back(word);
        else if (const std::size_t equals = word.find('='); equals != std::string::npos)
            given_paths().emplace_back(word.substr(equals + 1));
    }
    std::erase(given_paths(), fs::path());
}

Json number_value(const std::string& text) { return read_number(text).value_or(text); }

} // namespace denoir::cli
