// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/error.h"
#include "engine/weights/container.h"
#include "engine/weights/names.h"

namespace denoir {

/// One network's tensors inside a checkpoint: those that share a prefix and were recognised together.
struct TensorGroup {
    struct Member {
        const Container* container;
        const FileTensor* tensor;
        std::string name; ///< plain_name(), prefix stripped
    };
    Recognised recognised;
    std::string prefix;
    std::vector<Member> members;
    Component component() const { return recognised.component; }
};

/// Files that make one whole: a single file, or the shards of an index or of a numbered series. Headers only.
struct Checkpoint {
    std::vector<std::filesystem::path> files;
    std::vector<std::shared_ptr<Container>> containers; ///< one per file
    std::vector<TensorGroup> groups;                    ///< all-in-one files have several
    bool indexed = false;                               ///< an index json named the shards

    /// `index`: the index json that named the files, or empty. Throws Error, for a tensor that is in two shards or that
    /// the index promises and no shard has too. `old`: who only describes reads PyTorch's files from before 1.6 too.
    /// Throws Cancelled where `stop` is set before a file is opened.
    static Checkpoint open(std::vector<std::filesystem::path> files, const std::filesystem::path& index = {},
                           OldPth old = OldPth::refuse, const std::stop_token& stop = {});

    /// Opened ones as one without an index, their tensors recognised together; no header is read again. A tensor may be
    /// in two of them: who loads it is refused.
    static Checkpoint join(std::span<const Checkpoint> parts);
};

/// The files of one checkpoint, before any was opened.
struct CheckpointFiles {
    std::vector<std::filesystem::path> files;
    std::filesystem::path index; ///< empty: none
};

/// The 12 of "…-00003-of-00012…"; 0 for other names.
int shards_of(const std::string& name);

/// What may be checkpoints in a folder, by names alone, sorted: each index json with its shards, series named
/// …-00001-of-00007.…, single files (safetensors, sft, pth, pt, bin, gguf). A file path gives itself, an index json its
/// shards. Reads index files: throws Error for a bad one. `problems`, where given, receives the Error of a bad index
/// instead, and the rest of the folder is listed all the same.
std::vector<CheckpointFiles> list_checkpoints(const std::filesystem::path& path,
                                              std::vector<Error>* problems = nullptr);

} // namespace denoir
