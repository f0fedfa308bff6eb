// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>

#include "engine/pipeline/observer.h"
#include "engine/pipeline/request.h"
#include "engine/session/run_folder.h"

namespace denoir {

struct ModelFolder;

/// The stored request of `run`, set to branch off after `step`; the caller changes what the branch should do otherwise.
/// Throws Error or UsageError if the run did not keep that step.
Request branch_of(const std::filesystem::path& run, int step);

/// Applies a request file or options to `r` by `apply`. If that makes it a branch, everything it leaves open is taken
/// from the run that it starts from. A start that `r` had before stays.
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

/// Fills in what a branch's request leaves open about windows and LoRAs, as in the run that it starts from. A pair of
/// LoRAs stored there without an expert is for both experts, although a new run would assign one to each.
void leave_as_in_parent(Request& branch, const Request& parent);
/// Opens the run that `branch` starts from, and fills in what its request leaves open (leave_as_in_parent). Throws as
/// branch_of() does, and if the request asks for a dtype or precision other than the run's: each implies the other, so
/// the resolved request would not tell which of the two the user meant.
RunFolder open_start(Request& branch);
/// Throws UsageError naming a field that differs from the parent's although a branch has to keep it (size, steps,
/// sampler, …). `branch` is resolved; its seed and its start's checksum are set to the parent's.
/// Throws Error if the start's checksum is another; a differing seed is only warned of.
void check_branch(Request& branch, const RunFolder& parent, Observer&);
/// Whether the branch can use the parent's encoded prompt and images.
bool shares_conditioning(const Request& branch, const Request& parent, const ModelFolder&);
/// Whether `request` can use the encoded prompt and images of `other`; both resolved, neither a branch of the other.
bool same_conditioning(const Request& request, const Request& other, const ModelFolder&);

} // namespace denoir
