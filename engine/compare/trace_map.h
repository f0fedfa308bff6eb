// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/metrics/trace_comparison.h"

namespace denoir {

/// The errors of one component as the report and the studio draw them: layers down; steps, guidance branches and frames
/// across.
struct TraceMap {
    struct Cell {
        double error = 0;      ///< relative; if a cell stands for a whole block, its largest
        std::size_t layer = 0; ///< the layer that has it: index into TraceComparison::layers
        bool generated = false;
    };
    std::string component;
    std::vector<std::string> rows, columns; ///< in the order of execution; layers that run once are in column "once"
    std::map<std::pair<std::size_t, std::size_t>, Cell> cells; ///< by (row, column); not every place has one
    bool by_block = false;
    double worst = 0; ///< the largest error
};

/// `by_block`: one row for each block ("blocks.3"), with the largest error of its layers.
TraceMap trace_map(const metrics::TraceComparison&, const std::string& component, bool by_block);

/// The components that were compared, in the order of execution: "text_encoder", "transformer", …
std::vector<std::string> components_of(const metrics::TraceComparison&);

/// The scale of the map is logarithmic, 1e-8 … 1; errors beyond its ends take the colour of the end.
inline constexpr double least_error = 1e-8;
/// Where an error lies on the scale: 0 … 1. An infinite one: 1.
double error_level(double error);
/// Red, green, blue for a level of 0 … 1. Brightness changes evenly: readable in grey, and by the colour-blind.
std::array<std::uint8_t, 3> error_colour(double level);

/// "blocks.3" of "blocks.3.self_attn.q"; the layer itself if it is not in a block.
std::string block_name(std::string_view layer);

using metrics::error_text;

} // namespace denoir
