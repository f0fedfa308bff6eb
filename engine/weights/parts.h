// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "engine/weights/checkpoint.h"

namespace denoir {

/// True where `found` is what is asked for, one of a kind (same_kind); `unknown` asks for any network.
bool matches(Component found, Component wanted);
bool holds(const Checkpoint&, Component wanted);
/// A transformer, a VAE and a text encoder in one.
bool is_all_in_one(const Checkpoint&);

/// True for one that an index did not name and in which nothing was recognised: perhaps a part of a network that holds
/// too little to be known for what it is.
bool is_perhaps_part(const Checkpoint&);

/// One network in several files whose names do not say so, such as those of a folder without an index. `holding`:
/// checkpoints that hold what is asked for; `unknown`: those that are perhaps parts of it. Those whose every tensor has
/// a name of one scheme become one checkpoint of `holding`; an unknown one that adds no tensor to the known ones, or
/// has some of theirs again, is no part. Nothing changes where the known ones say the same and no part was found.
/// Headers are not read again.
void join_parts(std::vector<Checkpoint>& holding, std::vector<Checkpoint> unknown, Component wanted);

/// As join_parts() for files that someone named one by one: all of them are meant, whatever their tensors are called.
void join_named_parts(std::vector<Checkpoint>& holding, std::vector<Checkpoint> unknown, Component wanted);

} // namespace denoir
