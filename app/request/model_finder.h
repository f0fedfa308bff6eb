// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>
#include <filesystem>
#include <optional>
#include <set>
#include <stop_token>
#include <utility>
#include <vector>

#include "engine/weights/model_folder.h"

namespace denoir::app {

/// What may be a model below some folders: a folder that one model has to itself, as repositories do, else each
/// transformer's file; a pair of experts or a series of shards once. Told from names and headers.
class ModelFinder {
public:
    /// Ends early once `end` is asked for.
    explicit ModelFinder(std::stop_token end) : end_(std::move(end)) {}

    /// At most six levels, level by level: where there is too much below a root, what lies deep is left out.
    void look_below(const std::filesystem::path& root);

    QStringList found;   ///< also what claims to be a checkpoint and cannot be read
    QStringList folders; ///< looked into: to be watched

private:
    struct Level {
        std::vector<std::filesystem::path> folders, below;
        std::size_t looked = 0; ///< entries, of all levels
    };
    bool look(const std::filesystem::path& folder, Level& level);
    bool look_at_files(const std::filesystem::path& folder);
    std::optional<ModelFolder> opened(const std::filesystem::path& path) const;
    void add(const std::filesystem::path& path, const ModelFolder& model);

    const std::stop_token end_;
    std::set<std::filesystem::path> taken_; ///< transformers' files of what was found
};

} // namespace denoir::app
