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

/// Finds models below some folders by names and headers. A model is listed as its folder if it has one to itself, as a
/// repository does, and otherwise as its transformer's file. A pair of experts or a series of shards is listed once.
class ModelFinder {
public:
    /// `end` stops the search.
    explicit ModelFinder(std::stop_token end) : end_(std::move(end)) {}

    /// Searches at most six levels, one after another, so that what lies deepest is left out if there is too much.
    void look_below(const std::filesystem::path& root);

    QStringList found;   ///< models, and checkpoints that cannot be read
    QStringList folders; ///< those looked into, to be watched

private:
    struct Level {
        std::vector<std::filesystem::path> folders, below;
        std::size_t looked = 0; ///< number of entries looked at, on all levels
    };
    bool look(const std::filesystem::path& folder, Level& level);
    bool look_at_files(const std::filesystem::path& folder);
    std::optional<ModelFolder> opened(const std::filesystem::path& path) const;
    void add(const std::filesystem::path& path, const ModelFolder& model);

    const std::stop_token end_;
    std::set<std::filesystem::path> taken_; ///< the transformers' files of models that were found
};

} // namespace denoir::app
