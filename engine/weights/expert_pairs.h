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

// Which transformers are the two experts of Wan 2.2 A14B, judged by names and content. (experts.h: by names alone.)

/// Whether both have the same sizes and branches, as two experts or two qualities of one model have.
bool are_alike(const TransformerTraits&, const TransformerTraits&);
bool are_alike(const Network&, const Network&);

/// Whether they cannot be two transformers of one model. A size that is unknown, as in an unfinished download,
/// contradicts nothing.
bool contradict(const TransformerTraits&, const TransformerTraits&);

/// Whether their names make them a pair, in this order (are_experts, letter_expert_of), and they are alike.
bool are_pair(const Network& high, const Network& low);

/// What tells whether a transformer is an expert; reading it takes milliseconds.
struct ExpertContent {
    TransformerTraits traits;
    std::uint64_t bytes; ///< of its tensors as they are stored
    static ExpertContent of(const Network& n) { return {TransformerTraits::read(*n.group), n.bytes()}; }
};
/// Whether two files in folders called just "high" and "low" are A14B's experts rather than two qualities of one model:
/// alike, not of a kind that has a single transformer (with CLIP, TI2V, 1.3B), and of the same size within 5 %.
bool are_experts_by_content(const ExpertContent&, const ExpertContent&);
/// Whether this holds for any file in folder "high" and any in "low", or whether the names of two of them say so.
bool hold_experts(const std::vector<Network>& high, const std::vector<Network>& low);

struct OtherExpert {
    Expert expert; ///< which one it is
    Network network;
};
/// The other expert of the transformer in `file`, which has this content: a file beside it with "low" in place of
/// "high" in its name, or one in the neighbouring folder of that name. A damaged file is skipped, since it may belong
/// to another model, unless it is the twin (are_twins). Throws Error naming `asked` if several may be meant.
std::optional<OtherExpert> find_other_expert(const std::filesystem::path& file, const ExpertContent&, NetworkSearch&,
                                             const std::filesystem::path& asked);

} // namespace denoir
