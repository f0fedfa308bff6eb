// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/error.h"
#include "engine/weights/checkpoint.h"

namespace denoir {

/// One network found in the files of one checkpoint: a transformer, a VAE, a text encoder or a CLIP. Headers only.
struct Network {
    std::shared_ptr<const Checkpoint> checkpoint;
    const TensorGroup* group; ///< of `checkpoint`
    Component component() const { return group->component(); }
    const std::vector<std::filesystem::path>& files() const { return checkpoint->files; }
    std::uint64_t bytes() const; ///< of its tensors as they are stored
    std::string first_name() const { return files().front().filename().string(); }
    std::filesystem::path real_place() const; ///< of its first file: a folder may be a link to another
};

/// The networks of one kind; where an index names the files of some, those alone.
std::vector<Network> only(const std::vector<Network>& all, Component wanted);

/// Without an index, parts of a VAE, a text encoder or a CLIP may lie in files of any name: where those of one folder
/// are named in one layout and have no tensor twice, all of them become one network, in the place of the first. A file
/// that is there twice is given once.
std::vector<Network> with_parts_joined(const std::vector<Network>& all);

/// What lies in the files and folders that belong to one model. Each file is read once, however often a search comes
/// by: reading names takes milliseconds. Once `stop` is set, Cancelled is thrown before the next one is opened.
class NetworkSearch {
public:
    explicit NetworkSearch(std::stop_token stop = {}) : stop_(std::move(stop)) {}
    /// In a file, or in the files of a folder. Throws Error for a damaged file that was named itself and for a bad
    /// index; damaged files in a folder become `problems()`.
    std::vector<Network> look(const std::filesystem::path& place);
    /// In a folder that may hold much that is not of this model. Throws no Error: what cannot be read is left out and
    /// becomes `problems_beside()`.
    std::vector<Network> look_beside(const std::filesystem::path& folder);
    /// As look_beside(), without transformers. A file in which there was nothing else is not read again by this process
    /// as long as it stays as it is: a model may lie among hundreds of them.
    std::vector<Network> companions_beside(const std::filesystem::path& folder);

    /// The checkpoints of such a folder, by names alone.
    std::vector<CheckpointFiles> list_beside(const std::filesystem::path& folder);
    /// Throws Error for a damaged file.
    std::vector<Network> networks_of(const CheckpointFiles& files);

    void add_problem_beside(const Error& problem) { problems_beside_.push_back(problem); }
    const std::vector<Error>& problems() const { return problems_; }
    const std::vector<Error>& problems_beside() const { return problems_beside_; }

private:
    std::vector<Network> look_beside(const std::filesystem::path& folder, bool transformers);

    const std::stop_token stop_;
    std::map<std::filesystem::path, std::vector<Network>> known_; ///< by a checkpoint's first file
    std::vector<Error> problems_, problems_beside_;
};

} // namespace denoir
