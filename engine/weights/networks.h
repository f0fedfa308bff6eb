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
    /// Its first file as "folder/file", for messages: repositories call all of theirs alike.
    std::string placed_name() const;
    /// Of its first file, links resolved: one folder may be a link to another.
    std::filesystem::path real_place() const;
};

/// "a, b, c, …": the first `most` of `names`, for messages.
std::string listed(std::vector<std::string> names, std::size_t most);

/// Those of `all` that are of one kind; where an index names the files of some, only these.
std::vector<Network> only(const std::vector<Network>& all, Component wanted);

/// Without an index, parts of a VAE, a text encoder or a CLIP may lie in files of any name: those in one folder that
/// use one layout and have no tensor in common become one network, in the place of the first. A file that is there
/// twice is returned once.
std::vector<Network> with_parts_joined(const std::vector<Network>& all);

/// Finds the networks in the files and folders that belong to one model. Each file is read once, however often a search
/// meets it: reading names takes milliseconds. Once `stop` is set, Cancelled is thrown before the next one is opened.
class NetworkSearch {
public:
    explicit NetworkSearch(std::stop_token stop = {}) : stop_(std::move(stop)) {}
    /// The networks in a file, or in the files of a folder. Throws Error for a damaged file that `place` itself is and
    /// for a bad index; damaged files in a folder are added to problems().
    std::vector<Network> look(const std::filesystem::path& place);
    /// The same for a folder that may hold much that is not of this model. Throws no Error: what cannot be read is left
    /// out and added to problems_beside().
    std::vector<Network> look_beside(const std::filesystem::path& folder);
    /// As look_beside(), without transformers. A file that holds nothing else is not read again by this process until
    /// it changes: a model may lie among hundreds of them.
    std::vector<Network> companions_beside(const std::filesystem::path& folder);

    /// The checkpoints in such a folder, told by names alone; a bad index is added to problems_beside().
    std::vector<CheckpointFiles> list_beside(const std::filesystem::path& folder);
    /// The networks in one checkpoint. Throws Error for a damaged file.
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
