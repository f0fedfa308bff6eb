// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>

#include "engine/pipeline/observer.h"
#include "engine/pipeline/request.h"
#include "engine/session/run_folder.h"

namespace denoir {

struct ModelFolder;

/// The stored request of `run` as the start of a branch after `step`, for the caller to change. Throws Error where
/// those steps were not kept.
Request branch_of(const std::filesystem::path& run, int step);

/// Reads a request by `apply`: what one that begins in a run leaves open is as in that run. A start that was there
/// before stays.
template <class Apply> void apply_over_start(Request& r, const Apply& apply) {
    const auto start = r.start;
    apply(r);
    if (start) {
        r.start = start;
    } else if (r.start) {
        r = branch_of(r.start->run, r.start->step);
        apply(r);
    }
}

/// What a branch's request leaves open of its windows and LoRAs becomes as in the run that it starts from. Two LoRAs of
/// which nothing was stored there are for both experts, although a run that begins now would tell them apart.
void leave_as_in_parent(Request& branch, const Request& parent);
/// The run that `branch` starts from; what its request leaves open becomes as there (leave_as_in_parent). Throws Error
/// as branch_of does, and where types of numbers are asked for that the run does not have: of those each follows from
/// the other, and no resolved request would tell which was meant.
RunFolder open_start(Request& branch);
/// Refuses changes that a branch cannot follow (size, steps, sampler, …), by name. `branch` is resolved; its seed and
/// its start's checksum become the run's.
void check_branch(Request& branch, const RunFolder& parent, Observer&);
/// True where the parent's encoded prompt and images serve the branch too.
bool shares_conditioning(const Request& branch, const Request& parent, const ModelFolder&);
/// True where two resolved requests, neither a branch of the other, encode the same prompt and images.
bool same_conditioning(const Request& request, const Request& other, const ModelFolder&);

} // namespace denoir
