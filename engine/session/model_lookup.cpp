// SPDX-License-Identifier: Apache-2.0
#include "engine/session/model_lookup.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#include "engine/core/file.h"
#include "engine/core/own_folders.h"
#include "engine/core/suggest.h"
#include "engine/core/text.h"
#include "engine/models/fields.h"
#include "engine/weights/config_file.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

constexpr const char* demo = "demo-model";

bool is_there(const fs::path& path) {
    std::error_code code;
    return fs::exists(path, code);
}

/// Empty if there can be no data folder: a name then stays as it was asked for, relative to the working directory.
fs::path own_models() {
    try {
        return data_place() / "models";
    } catch (const Error&) {
        return {};
    }
}

/// What to do about a name under which there is no model.
std::string hint_for(const fs::path& name) {
    std::vector<std::string> names{demo};
    std::error_code code;
    for (const fs::directory_entry& entry : entries_of(own_models(), code)) names.push_back(entry.path().filename());
    const std::vector<std::string_view> views(names.begin(), names.end());
    return did_you_mean(name.native(), views, "check the name, or give a path");
}

} // namespace

fs::path resources_folder() {
    if (const char* own = std::getenv("DENOIR_RESOURCES"); own && *own) return own;
    std::error_code code;
    const fs::path program = fs::read_symlink("/proc/self/exe", code);
    fs::path folder = program.parent_path();
    if (is_there(folder.parent_path() / "share/denoir")) return folder.parent_path() / "share/denoir";
    // build/PRESET/bin or build/PRESET/tests: the source tree is three levels up.
    for (int up = 0; up < 4 && folder.has_relative_path(); ++up, folder = folder.parent_path())
        if (is_there(folder / "resources")) return folder / "resources";
    return {};
}

fs::path named_model(const fs::path& name) {
    if (const fs::path own = own_models() / name; is_there(own)) return own;
    const fs::path resources = resources_folder();
    return !resources.empty() && is_there(resources / name) ? resources / name : fs::path();
}

fs::path find_model(const fs::path& asked) {
    const fs::path resources = resources_folder();
    if (asked.empty()) {
        if (!resources.empty() && is_there(resources / demo)) return resources / demo;
        throw Error("", "model", "there is no bundled demo model here", "give --model DIR or FILE");
    }
    if (is_there(asked)) return asked;
    const bool is_name = !asked.has_parent_path();
    if (const fs::path named = is_name ? named_model(asked) : fs::path(); !named.empty()) return named;
    has_entry(asked); // throws the reason if that cannot be found out
    throw Error(asked.string(), "model", "no such file or folder", is_name ? hint_for(asked) : "check the path");
}

int text_length(const fs::path& model) {
    std::error_code code;
    const fs::path folder = fs::is_directory(model, code) ? model : model.parent_path();
    for (const char* name : {"config.json", "transformer/config.json", "high_noise_model/config.json"}) {
        const fs::path file = folder / name;
        const Json config = read_json_object(file);
        const auto it = config.find("text_len");
        if (it == config.end()) continue;
        if (!it->is_number_integer() || *it < 1 || *it > fields::max_text_len)
            throw Error(file.string(), "text_len",
                        fmt::format("must be a whole number from 1 to {}", fields::max_text_len), "correct it");
        return it->get<int>();
    }
    return int(fields::usual_text_len);
}

} // namespace denoir
