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

/// Layers down, steps, guidance branches and frames across, one component: what the report and the studio draw.
struct TraceMap {
    struct Cell {
        double error = 0;      ///< relative; the largest where a cell stands for a whole block
        std::size_t layer = 0; ///< index into TraceComparison::layers, of that error
        bool generated = false;
    };
    std::string component;
    std::vector<std::string> rows, columns; ///< in the order of execution; a column without a name is "once"
    std::map<std::pair<std::size_t, std::size_t>, Cell> cells; ///< (row, column); not every place has one
    bool by_block = false;
    double worst = 0; ///< the largest error
};

/// `by_block`: one row for each block ("blocks.3"), with the largest error of its layers.
TraceMap trace_map(const metrics::TraceComparison&, const std::string& component, bool by_block);

/// In the order of execution: "text_encoder", "transformer", …
std::vector<std::string> components_of(const metrics::TraceComparison&);

/// The scale of the map is logarithmic, 1e-8 … 1; what lies beyond takes the colour of its end.
inline constexpr double least_error = 1e-8;
/// Where an error lies on it: 0 … 1. Infinite: 1.
double error_level(double error);
/// Red, green, blue of a level. Of equally bright steps, readable in grey and by the colour-blind.
std::array<std::uint8_t, 3> error_colour(double level);

/// "blocks.3" of "blocks.3.self_attn.q"; a layer outside of blocks is its own.
std::string block_name(std::string_view layer);

using metrics::error_text;

} // namespace denoir
