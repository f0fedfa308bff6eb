// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "engine/weights/checkpoint.h"

namespace denoir {

/// Whether `found` is of the kind that is asked for (same_kind); `unknown` asks for any network.
bool matches(Component found, Component wanted);
/// Whether a network in it matches.
bool holds(const Checkpoint&, Component wanted);
/// Whether it holds a transformer, a VAE and a text encoder.
bool is_all_in_one(const Checkpoint&);

/// Whether nothing was recognised in it, and no index named it: it may be a part of a network that has too few tensors
/// to be recognised by itself.
bool is_perhaps_part(const Checkpoint&);

/// Joins one network that lies in several files whose names do not say so, such as in a folder without an index.
/// `holding`: checkpoints that hold what is asked for; `unknown`: those that may be parts of it. Those whose tensors
/// are all named in one way become one checkpoint of `holding`. An unknown one that adds no tensor to the known ones,
/// or repeats more than one of theirs, is not a part. Nothing changes if the known ones agree and no part was found.
/// Headers are not read again.
void join_parts(std::vector<Checkpoint>& holding, std::vector<Checkpoint> unknown, Component wanted);

/// As join_parts() for files that someone named one by one: all of them are meant, whatever their tensors are called.
void join_named_parts(std::vector<Checkpoint>& holding, std::vector<Checkpoint> unknown, Component wanted);

} // namespace denoir
