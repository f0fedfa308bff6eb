// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

#include "engine/compare/report_parts.h"
#include "engine/compare/trace_map.h"
#include "engine/compare/trace_report.h"
#include "engine/core/error.h"
#include "engine/core/json_fields.h"

namespace denoir {
namespace {

using metrics::LayerError;
using metrics::TraceComparison;

constexpr std::size_t most_rows = 8;

std::vector<std::int64_t> sizes(const Shape& s) { return {s.begin(), s.end()}; }

Json to_json(const LayerError& l) {
    const auto& d = l.difference;
    return {{"key", l.key},
            {"component", l.parts.component},
            {"layer", l.parts.layer},
            {"step", or_null(l.parts.step)},
            {"branch", l.parts.branch},
            {"frame", or_null(l.parts.frame)},
            {"dtype_a", info(d.dtype_a).name},
            {"dtype_b", info(d.dtype_b).name},
            {"shape", sizes(d.shape)},
            {"max_abs", d.max_abs},
            {"mean_abs", d.mean_abs},
            {"mean_norm", d.mean_norm},
            {"normalised", finite_or_null(d.normalised())},
            {"relative", finite_or_null(d.relative())},
            {"cosine", d.cosine},
            {"not_finite", d.not_finite},
            {"both_not_finite", d.both_not_finite},
            {"inherited", finite_or_null(l.inherited)},
            {"expected", finite_or_null(l.expected)},
            {"generated", l.generated}};
}

std::string row(const LayerError& l) {
    const auto& d = l.difference;
    return fmt::format("{:58.58} {:>9} {:>11.3g} {:>10} {:>10} {:>11.8f}", printable(l.key, 58),
                       d.dtype_a == d.dtype_b ? std::string(info(d.dtype_a).name)
                                              : fmt::format("{}|{}", info(d.dtype_a).name, info(d.dtype_b).name),
                       d.max_abs, error_text(d.normalised()), error_text(d.relative()), d.cosine);
}

struct Row {
    const LayerError* first;
    std::size_t more = 0; ///< further steps, branches and frames
};

template <class Wanted> std::vector<const LayerError*> layers_where(const TraceComparison& c, Wanted wanted) {
    std::vector<const LayerError*> out;
    for (const LayerError& l : c.layers)
        if (wanted(l)) out.push_back(&l);
    return out;
}

/// Each layer once, at its first place in `order`.
std::vector<Row> by_layer(const std::vector<const LayerError*>& order) {
    std::vector<Row> rows;
    std::unordered_map<std::string, std::size_t> known;
    for (const LayerError* l : order) {
        const auto [it, is_new] = known.try_emplace(l->parts.row(), rows.size());
        if (is_new)
            rows.push_back({l});
        else
            ++rows[it->second].more;
    }
    return rows;
}

/// The layers that make error, in the order of execution, then those with the largest errors.
std::string tables(const TraceComparison& c) {
    const std::string head = fmt::format("\n{:58} {:>9} {:>11} {:>10} {:>10} {:>11}\n", "", "dtype", "largest",
                                         "normalised", "relative", "cosine");
    std::string out;
    const std::vector<Row> makers = by_layer(layers_where(c, [](const LayerError& l) { return l.generated; }));
    if (!makers.empty()) out += head + "error is made in (+: in so many more steps, branches and frames)\n";
    for (std::size_t i = 0; i < std::min(makers.size(), most_rows); ++i)
        out += row(*makers[i].first) + (makers[i].more > 0 ? fmt::format("  +{}", makers[i].more) : "") + "\n";
    if (makers.size() > most_rows) out += fmt::format("and in {} more layers\n", makers.size() - most_rows);

    std::vector<const LayerError*> apart =
        layers_where(c, [](const LayerError& l) { return l.difference.max_abs > 0 || l.difference.not_finite > 0; });
    std::ranges::stable_sort(apart, std::greater(), [](const LayerError* l) { return l->difference.normalised(); });
    const std::vector<Row> largest = by_layer(apart);
    if (!largest.empty()) out += head + "largest errors\n";
    for (std::size_t i = 0; i < std::min(largest.size(), most_rows); ++i) out += row(*largest[i].first) + "\n";
    return out;
}

} // namespace

std::vector<SettingDifference> request_differences(const TraceComparison& c) {
    const auto a = c.about_a.find("request"), b = c.about_b.find("request");
    if (a == c.about_a.end() || b == c.about_b.end()) return {};
    try {
        return setting_differences(parse_json(a->second, c.name_a), parse_json(b->second, c.name_b));
    } catch (const Error&) {
        return {}; // not a request that Denoir wrote
    }
}

std::string to_text(const TraceComparison& c) {
    std::string out = fmt::format("A  {}\nB  {}\n{} tensors compared\n", printable(c.name_a, 200),
                                  printable(c.name_b, 200), c.layers.size());
    out += tables(c) + "\n" + c.verdict;
    const std::vector<Row> broken =
        by_layer(layers_where(c, [](const LayerError& l) { return l.difference.both_not_finite > 0; }));
    for (std::size_t i = 0; i < std::min(broken.size(), most_rows); ++i) {
        const auto& d = broken[i].first->difference;
        out += fmt::format("\nnote: {}: {} of {} values are NaN or infinite in both",
                           printable(broken[i].first->key, 90), d.both_not_finite, d.elements);
    }
    if (broken.size() > most_rows) out += fmt::format("\nnote: and in {} more layers", broken.size() - most_rows);
    for (const SettingDifference& s : request_differences(c))
        out += fmt::format("\nnote: {} is {} in A and {} in B", s.key, s.a.empty() ? "not given" : printable(s.a, 60),
                           s.b.empty() ? "not given" : printable(s.b, 60));
    for (const auto& [side, alone] : {std::pair('A', c.alone_in_a()), std::pair('B', c.alone_in_b())})
        if (!alone.empty())
            out += fmt::format("\nnote: {} tensors are in {} alone: {}", alone.size(), side,
                               metrics::shortened_list(alone));
    for (std::size_t i = 0; i < std::min<std::size_t>(c.shapes.size(), 3); ++i)
        out += fmt::format("\nnote: {} has shape {} in A and {} in B: not compared", printable(c.shapes[i].key, 90),
                           to_string(c.shapes[i].a), to_string(c.shapes[i].b));
    if (c.shapes.size() > 3) out += fmt::format("\nnote: {} more have other shapes", c.shapes.size() - 3);
    return out;
}

Json to_json(const TraceComparison& c) {
    Json layers = Json::array(), shapes = Json::array();
    for (const LayerError& l : c.layers) layers.push_back(to_json(l));
    for (const auto& s : c.shapes) shapes.push_back({{"key", s.key}, {"a", sizes(s.a)}, {"b", sizes(s.b)}});
    const auto at = [&](const std::optional<std::size_t>& i) { return i ? to_json(c.layers[*i]) : Json(); };
    return {{"a", c.name_a},
            {"b", c.name_b},
            {"verdict", c.verdict},
            {"agree", !c.first && !c.layers.empty() && c.shapes.empty() && c.missing() == 0},
            {"identical", c.identical()},
            {"first", at(c.first)},
            {"first_dtype", at(c.first_dtype)},
            {"first_difference", at(c.begins)},
            {"worst", at(c.worst)},
            {"layers", std::move(layers)}, // moved: these take most of the memory
            {"only_a", c.only_a},
            {"only_b", c.only_b},
            {"missing_in_a", c.missing_in_a},
            {"missing_in_b", c.missing_in_b},
            {"shapes", std::move(shapes)},
            {"settings", to_json(request_differences(c))}};
}

std::string to_csv(const TraceComparison& c) {
    std::string out =
        "key,component,layer,step,branch,frame,dtype_a,dtype_b,elements,max_abs,mean_abs,mean_norm,normalised,"
        "relative,cosine,not_finite,inherited,expected,generated,both_not_finite\n";
    const auto field = [](const std::string& text) { return report::csv_field(printable(text, 4096)); };
    const auto whole = [](const std::optional<int>& v) { return v ? std::to_string(*v) : std::string(); };
    for (const LayerError& l : c.layers) {
        const auto& d = l.difference;
        out += fmt::format(
            "{},{},{},{},{},{},{},{},{},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.12g},{},{:.9g},{:.9g},{},{}\n",
            field(l.key), field(l.parts.component), field(l.parts.layer), whole(l.parts.step), field(l.parts.branch),
            whole(l.parts.frame), info(d.dtype_a).name, info(d.dtype_b).name, d.elements, d.max_abs, d.mean_abs,
            d.mean_norm, d.normalised(), d.relative(), d.cosine, d.not_finite, l.inherited, l.expected,
            l.generated ? 1 : 0, d.both_not_finite);
    }
    return out;
}

} // namespace denoir
