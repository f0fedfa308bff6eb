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

fs::path own_folder(const char* name, const char* xdg_variable, const char* below_home) {
    fs::path folder;
    if (const char* own = std::getenv("DENOIR_HOME"); own && *own)
        folder = fs::absolute(own) / name;
    else if (const char* xdg = std::getenv(xdg_variable); xdg && *xdg == '/') // relative ones are to be ignored
        folder = fs::path(xdg) / "denoir";
    else
        folder = home() / below_home / "denoir";
    std::error_code code;
    fs::create_directories(folder, code);
    if (std::error_code ignored; !fs::is_directory(folder, ignored)) {
        const Error why = system_error(folder, code ? code.value() : ENOTDIR);
        throw Error(why.file(), "", why.message(), "set DENOIR_HOME to a folder that can be written");
    }
    return folder;
}

} // namespace

fs::path data_folder() { return own_folder("data", "XDG_DATA_HOME", ".local/share"); }
fs::path config_folder() { return own_folder("config", "XDG_CONFIG_HOME", ".config"); }
fs::path cache_folder() { return own_folder("cache", "XDG_CACHE_HOME", ".cache"); }

} // namespace denoir
