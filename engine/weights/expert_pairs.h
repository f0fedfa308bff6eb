// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "engine/weights/experts.h"
#include "engine/weights/networks.h"
#include "engine/weights/traits.h"

namespace denoir {

// Wan 2.2 A14B's two transformers by their content; by names alone: experts.h.

/// Of the same size and kind.
bool are_alike(const TransformerTraits&, const TransformerTraits&);
bool are_alike(const Network&, const Network&);

/// No two of one model. What is only half there, as a download that has not ended, says less and nothing else.
bool contradict(const TransformerTraits&, const TransformerTraits&);

bool are_pair(const Network& high, const Network& low);

/// What is looked at in a transformer to tell whether it is an expert; reading it takes milliseconds.
struct ExpertContent {
    TransformerTraits traits;
    std::uint64_t bytes; ///< of its tensors as they are stored
    static ExpertContent of(const Network& n) { return {TransformerTraits::read(*n.group), n.bytes()}; }
};
/// Two files in folders whose names are the words "high" and "low" alone may be A14B's experts, and no two qualities of
/// one model: alike, of no kind that has a single transformer (with CLIP, TI2V, 1.3B), and of the same size on disk.
bool are_experts_by_content(const ExpertContent&, const ExpertContent&);
/// The same of any in the folder "high" with any in "low"; two whose own names say it, too.
bool hold_experts(const std::vector<Network>& high, const std::vector<Network>& low);

struct OtherExpert {
    Expert expert; ///< which one it is
    Network network;
};
/// Of a transformer in `file`, with this content: beside it with low for high in its name, or in the folder beside that
/// says so. A damaged file is left out, unless it is the twin: it may be anybody's. Throws Error, about `asked`, where
/// several may be meant.
std::optional<OtherExpert> find_other_expert(const std::filesystem::path& file, const ExpertContent&, NetworkSearch&,
                                             const std::filesystem::path& asked);

} // namespace denoir
