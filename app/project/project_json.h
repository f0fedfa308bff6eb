// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How a project is written to its file.
#include <filesystem>
#include <vector>

#include "app/project/project.h"

namespace denoir::app {

struct ProjectContent {
    std::vector<Shot> shots;
    Json request = Json::object(), extra = Json::object();
};

inline constexpr std::size_t most_project_bytes = 256 << 20; ///< largest file that is read

/// Paths below `base` (the project's folder) are written relative to it, so that they stay right if all is moved
/// together. With an empty `base` every path is absolute.
Json to_json(const ProjectContent& content, const std::filesystem::path& base);
/// Checks every value, as the file may come from anyone. Relative paths are below `base`. Throws Error naming `file`
/// and the field.
ProjectContent project_from_json(const Json& json, const std::filesystem::path& file,
                                 const std::filesystem::path& base);

/// Reads a project's file. Throws Error. May be called on any thread; may take long on a slow disk.
ProjectContent read_project(const QString& file);

/// A random id of 12 letters and digits, unique in practice.
QString new_id();

} // namespace denoir::app
