// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>

#include "engine/backend/backend.h"

namespace denoir::cuda {

/// Which rung of the memory ladder a stage stands on.
struct MemoryPlan {
    enum class Rung {
        resident, ///< every weight stays on the card
        passing,  ///< none has to: they are read once or twice and come from the host's memory meanwhile
        streamed, ///< some do; the others come from the host's memory while the card computes
        none,     ///< not even that fits
    } rung = Rung::resident;
    std::size_t resident = 0;  ///< bytes of weights that may stay
    std::size_t ring = 0;      ///< bytes for those that pass through
    std::size_t from_file = 0; ///< with `streamed`: bytes that the host's memory does not hold either
    std::size_t missing = 0;   ///< with `none`: bytes that there should be more
};

/// Memory that a stage needs beyond what is planned here: the libraries' own, the products' workspace, small
/// parameters.
inline constexpr std::size_t memory_margin = std::size_t{448} << 20;

/// `free`: bytes of the card that nobody uses; `host`: bytes of the host's memory, 0 where it does not tell. Pure
/// arithmetic.
MemoryPlan plan_memory(const MemoryNeeds&, std::size_t free, std::size_t margin = memory_margin, std::size_t host = 0);

/// One line for the user; empty where everything fits.
std::string describe(const MemoryPlan&, const MemoryNeeds&);

} // namespace denoir::cuda
