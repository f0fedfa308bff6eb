// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "app/base/text.h"
#include "engine/core/error.h"
#include "engine/core/open_file.h"

namespace denoir::app {

/// A file of a run's or a sweep's folder by its name (engine/pipeline/run_layout.h).
inline QString file_in(const QString& folder, const char* name) { return folder + u'/' + QLatin1String(name); }

/// A folder, made with those that it lies in where it is not there. Throws Error.
inline std::filesystem::path made_folder(const std::filesystem::path& folder) {
    std::error_code code, ignored;
    std::filesystem::create_directories(folder, code);
    if (std::filesystem::is_directory(folder, ignored)) return folder;
    const Error why = system_error(folder, code ? code.value() : ENOTDIR);
    throw Error(why.file(), {}, why.message(), "set DENOIR_HOME to a folder that can be written");
}

/// Where a path leads through links, as far as it is there: two spellings of one folder are then equal.
inline QString real_path(const QString& path) {
    std::error_code code;
    const std::filesystem::path real = std::filesystem::weakly_canonical(to_path(path), code);
    return code ? path : to_qstring(real);
}

} // namespace denoir::app
