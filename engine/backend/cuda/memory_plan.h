// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>

#include "engine/backend/backend.h"

namespace denoir::cuda {

/// How a stage's weights are placed: its rung of the memory ladder.
struct MemoryPlan {
    enum class Rung {
        resident, ///< all weights stay on the card
        passing,  ///< no weight needs to stay, as each is used once or twice: they come from host memory
        streamed, ///< some weights stay; the others come from host memory while the card computes
        none,     ///< the stage does not fit at all
    } rung = Rung::resident;
    std::size_t resident = 0;  ///< bytes of weights that may stay on the card
    std::size_t ring = 0;      ///< bytes for the weights that are streamed (WeightStream)
    std::size_t from_file = 0; ///< with `streamed`: bytes that do not fit into host memory either
    std::size_t missing = 0;   ///< with `none`: bytes that are lacking
};

/// Bytes that a stage needs besides what is planned here: for the libraries, the workspace of products, small
/// parameters.
inline constexpr std::size_t memory_margin = std::size_t{448} << 20;

/// `free`: unused bytes of the card; `host`: bytes of host memory, 0 if unknown. Pure arithmetic.
MemoryPlan plan_memory(const MemoryNeeds&, std::size_t free, std::size_t margin = memory_margin, std::size_t host = 0);

/// One line for the user; empty unless weights are streamed or do not fit.
std::string describe(const MemoryPlan&, const MemoryNeeds&);

} // namespace denoir::cuda
