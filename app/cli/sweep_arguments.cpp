// SPDX-License-Identifier: Apache-2.0
#include "app/cli/sweep_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/request_options.h"
#include "engine/core/error.h"

namespace denoir::cli {
namespace {

/// Splits FIELD=VALUES at the first `=`. Throws UsageError.
std::pair<std::string, std::string> assignment(std::string_view option, const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
        throw UsageError("", std::string(option), fmt::format("'{}' is not FIELD=VALUES", printable(text, 60)),
                         "write it like steps=4,8,20");
    return {text.substr(0, equals), text.substr(equals + 1)};
}

/// FIELD and VALUES of each time that the option was given. Throws UsageError for a field that is given twice, since
/// only one of the two could count.
std::vector<std::pair<std::string, std::string>> assignments(const Arguments& args, std::string_view option) {
    std::vector<std::pair<std::string, std::string>> out;
    for (const std::string& text : args.all(option)) {
        out.push_back(assignment(option, text));
        const auto same = [&](const auto& other) { return other.first == out.back().first; };
        if (std::count_if(out.begin(), out.end(), same) > 1)
            throw UsageError("", std::string(option), printable(out.back().first, 60) + " is given twice", "keep one");
    }
    return out;
}

/// run(), with errors that name "axes.FIELD" but no file made to name the option.
template <class Run> auto naming_axis(std::string_view option, Run&& run) {
    try {
        return run();
    } catch (const UsageError& e) {
        if (!e.file().empty() || !e.field().starts_with("axes.")) throw;
        throw UsageError("", std::string(option), e.field().substr(5) + ": " + e.message(), e.hint());
    }
}

void apply_axes(Sweep& sweep, const Arguments& args) {
    for (const auto& [field, values] : assignments(args, "--axis")) {
        SweepAxis axis = naming_axis("--axis", [&, &f = field, &v = values] { return parse_axis(f, v); });
        const auto there = std::ranges::find(sweep.axes, field, &SweepAxis::field);
        if (there == sweep.axes.end())
            sweep.axes.push_back(std::move(axis));
        else
            *there = std::move(axis);
    }
}

void apply_reference(Sweep& sweep, const Arguments& args) {
    if (!args.has("--reference")) {
        if (args.has("--axis") || sweep.reference.size() != sweep.axes.size())
            sweep.reference = usual_reference(sweep.axes);
        return;
    }
    sweep.reference.assign(sweep.axes.size(), std::nullopt);
    const std::vector<std::string> words = args.all("--reference");
    if (words.size() == 1 && words[0] == "none") return;
    for (const auto& [field, value] : assignments(args, "--reference")) {
        const SweepAxis wanted = naming_axis("--reference", [&, &f = field, &v = value] { return parse_axis(f, v); });
        const auto axis = std::ranges::find(sweep.axes, field, &SweepAxis::field);
        if (axis == sweep.axes.end())
            throw UsageError("", "--reference", printable(field, 60) + " is not an axis of this sweep",
                             "name one of --axis");
        const auto found = std::find(axis->values.begin(), axis->values.end(), wanted.values.front());
        if (wanted.values.size() != 1 || found == axis->values.end())
            throw UsageError("", "--reference", fmt::format("{} is not among {}", printable(value, 40), axis->field),
                             fmt::format("use one of {}", printable(axis_text(*axis), 100)));
        sweep.reference[std::size_t(axis - sweep.axes.begin())] = std::size_t(found - axis->values.begin());
    }
}

/// Whether a value of the axis replaces everything that the request has in the field.
bool replaces(const SweepAxis& axis, std::string_view field) {
    if (axis.field == "size") return field == "width" || field == "height";
    if (field == "noise") return covers("noise", axis.field); // its members exclude each other
    return covers(axis.field, field);
}

} // namespace

std::vector<std::string> options_without_effect(const Arguments& args, const Sweep& sweep) {
    const std::vector<GivenField> given = given_fields(args, sweep.request.loras.size());
    std::vector<std::string> out;
    for (auto first = given.begin(); first != given.end();) {
        const auto end =
            std::find_if(first, given.end(), [&](const GivenField& g) { return g.option != first->option; });
        std::vector<std::string> axes;
        const bool none_left = std::all_of(first, end, [&](const GivenField& g) {
            const auto axis =
                std::ranges::find_if(sweep.axes, [&](const SweepAxis& a) { return replaces(a, g.field); });
            if (axis == sweep.axes.end()) return false;
            if (std::ranges::find(axes, axis->field) == axes.end()) axes.push_back(axis->field);
            return true;
        });
        if (none_left)
            out.push_back(fmt::format("{} has no effect: the sweep varies {}", first->option,
                                      printable(fmt::format("{}", fmt::join(axes, ", ")), 160)));
        first = end;
    }
    return out;
}

Sweep sweep_of(const Arguments& args) {
    Sweep sweep;
    std::string file;
    if (!args.words().empty()) {
        file = request_path(args, "SWEEP.json").string();
        sweep = read_sweep(file);
    }
    apply_request_options(sweep.request, args);
    apply_axes(sweep, args);
    if (sweep.axes.empty())
        throw UsageError(file, file.empty() ? "--axis" : "axes", "is missing: nothing varies",
                         "give --axis steps=8,20 or a SWEEP.json with axes");
    apply_reference(sweep, args);
    naming_axis("--axis", [&] { check(sweep, file); });
    return sweep;
}

} // namespace denoir::cli
