// SPDX-License-Identifier: Apache-2.0
#include "engine/core/own_folders.h"

#include <pwd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "engine/core/open_file.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

fs::path home() {
    if (const char* home = std::getenv("HOME"); home && *home == '/') return home;
    if (const passwd* user = ::getpwuid(::getuid()); user && user->pw_dir && *user->pw_dir == '/') return user->pw_dir;
    throw Error("", "HOME", "is not set", "set DENOIR_HOME to a folder");
}

struct Kind {
    const char *name, *xdg_variable, *below_home;
};
constexpr Kind data{"data", "XDG_DATA_HOME", ".local/share"}, config{"config", "XDG_CONFIG_HOME", ".config"},
    cache{"cache", "XDG_CACHE_HOME", ".cache"};

fs::path place_of(const Kind& kind) {
    if (const char* own = std::getenv("DENOIR_HOME"); own && *own) return fs::absolute(own) / kind.name;
    if (const char* xdg = std::getenv(kind.xdg_variable); xdg && *xdg == '/') // the standard ignores relative paths
        return fs::path(xdg) / "denoir";
    return home() / kind.below_home / "denoir";
}

} // namespace

fs::path made_folder(const fs::path& folder) {
    std::error_code code, ignored;
    fs::create_directories(folder, code);
    if (fs::is_directory(folder, ignored)) return folder;
    const Error why = system_error(folder, code ? code.value() : ENOTDIR);
    throw Error(why.file(), "", why.message(), "set DENOIR_HOME to a folder that can be written");
}

fs::path data_folder() { return made_folder(place_of(data)); }
fs::path data_place() { return place_of(data); }
fs::path config_folder() { return made_folder(place_of(config)); }
fs::path cache_folder() { return made_folder(place_of(cache)); }

} // namespace denoir
