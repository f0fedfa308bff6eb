// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a project's file says.
#include <filesystem>
#include <vector>

#include "app/project/project.h"

namespace denoir::app {

struct ProjectContent {
    std::vector<Shot> shots;
    Json request = Json::object(), extra = Json::object();
};

inline constexpr std::size_t most_project_bytes = 256 << 20; ///< of a file

/// Paths below `base` (the project's folder) are written relative to it, so that both may move together; empty: none
/// are.
Json to_json(const ProjectContent& content, const std::filesystem::path& base);
/// The file may come from anyone: every value is checked. Throws Error naming `file` and the field.
ProjectContent project_from_json(const Json& json, const std::filesystem::path& file,
                                 const std::filesystem::path& base);

/// The whole file. Throws Error. Any thread; it may take long on a slow disk.
ProjectContent read_project(const QString& file);

/// Short, unique in practice.
QString new_id();

} // namespace denoir::app
