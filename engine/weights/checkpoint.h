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

/// The files of one checkpoint: a single file, or the shards of an index or of a numbered series.
struct CheckpointFiles {
    std::vector<std::filesystem::path> files;
    std::filesystem::path index; ///< the index json that names the shards; empty: none
};

/// One checkpoint, opened. Headers only.
struct Checkpoint {
    std::vector<std::filesystem::path> files;
    std::vector<std::shared_ptr<Container>> containers; ///< one per file
    std::vector<TensorGroup> groups;                    ///< all-in-one files have several
    bool indexed = false;                               ///< an index json named the shards

    /// Opens the files and recognises their tensors. `old`: whether PyTorch's files from before 1.6 are read, as they
    /// are to be described. Throws Error, also for a tensor that is in two shards or that the index promises and no
    /// shard has; Cancelled once `stop` is set, before the next file is opened. A 3D convolution that a GGUF file folds
    /// to four axes, [out * in, t, h, w], gets its five again.
    static Checkpoint open(const CheckpointFiles& files, OldPth old = OldPth::refuse, const std::stop_token& stop = {});

    /// Several checkpoints as one without an index, their tensors recognised together; no header is read again. A
    /// tensor that is in two of them is refused only when it is loaded.
    static Checkpoint join(std::span<const Checkpoint> parts);
};

/// The index json in these files' folder of which they are all the shards; empty if there is none that can be read.
std::filesystem::path index_of(std::span<const std::filesystem::path> files);

/// The number of shards that a name tells, 12 for "…-00003-of-00012…"; 0 for other names.
int shards_of(const std::string& name);

/// The files in a folder that may be checkpoints by their names, sorted: each index json with its shards, series named
/// …-00001-of-00007.…, single files (safetensors, sft, pth, pt, bin, gguf). For a file the result is the file itself,
/// for an index json its shards. Throws Error for a bad index; if `problems` is given, it receives that error instead,
/// and the rest of the folder is listed all the same.
std::vector<CheckpointFiles> list_checkpoints(const std::filesystem::path& path,
                                              std::vector<Error>* problems = nullptr);

} // namespace denoir
