// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/trace_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace denoir {
namespace {

std::size_t index_in(std::vector<std::string>& names, std::map<std::string, std::size_t>& known,
                     const std::string& name) {
    const auto [it, is_new] = known.try_emplace(name, names.size());
    if (is_new) names.push_back(name);
    return it->second;
}

} // namespace

TraceMap trace_map(const metrics::TraceComparison& c, const std::string& component, bool by_block) {
    TraceMap m;
    m.component = component;
    m.by_block = by_block;
    std::map<std::string, std::size_t> rows, columns;
    for (std::size_t i = 0; i < c.layers.size(); ++i) {
        const metrics::LayerError& l = c.layers[i];
        if (l.parts.component != component) continue;
        const std::string row = by_block ? block_name(l.parts.layer) : l.parts.layer;
        const std::string column = l.parts.column();
        const double error = l.difference.relative();
        const auto [it, is_new] = m.cells.try_emplace(
            {index_in(m.rows, rows, row), index_in(m.columns, columns, column.empty() ? "once" : column)},
            TraceMap::Cell{error, i, l.generated});
        TraceMap::Cell& cell = it->second;
        if (error > cell.error) cell.error = error, cell.layer = i;
        cell.generated |= l.generated;
        m.worst = std::max(m.worst, error);
    }
    return m;
}

std::vector<std::string> components_of(const metrics::TraceComparison& c) {
    std::vector<std::string> all;
    for (const metrics::LayerError& l : c.layers)
        if (std::ranges::find(all, l.parts.component) == all.end()) all.push_back(l.parts.component);
    return all;
}

double error_level(double error) {
    if (!std::isfinite(error)) return 1;
    const double lowest = std::log10(least_error);
    return (std::log10(std::clamp(error, least_error, 1.0)) - lowest) / -lowest;
}

std::array<std::uint8_t, 3> error_colour(double level) {
    static constexpr std::array<std::array<int, 3>, 6> stops{
        {{236, 240, 246}, {176, 208, 232}, {95, 168, 200}, {52, 118, 168}, {84, 54, 130}, {128, 20, 60}}};
    const double at = std::clamp(level, 0.0, 1.0) * (stops.size() - 1);
    const auto low = std::min<std::size_t>(std::size_t(at), stops.size() - 2);
    const double share = at - double(low);
    std::array<std::uint8_t, 3> colour{};
    for (std::size_t i = 0; i < 3; ++i)
        colour[i] = std::uint8_t(std::lround(stops[low][i] + share * (stops[low + 1][i] - stops[low][i])));
    return colour;
}

std::string block_name(std::string_view layer) {
    std::size_t end = layer.find('.');
    for (std::size_t begin = 0; end != std::string_view::npos; begin = end + 1, end = layer.find('.', begin)) {
        const std::string_view part = layer.substr(begin, end - begin);
        if (!part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos)
            return std::string(layer.substr(0, end));
    }
    return std::string(layer);
}

} // namespace denoir
