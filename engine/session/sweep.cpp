// SPDX-License-Identifier: Apache-2.0
#include "engine/session/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "engine/core/suggest.h"
#include "engine/session/branch.h"
#include "engine/session/carried_request.h"
#include "engine/session/model_lookup.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t max_sweep_bytes = 4 << 20;

[[noreturn]] void refuse(const std::string& file, std::string field, std::string message, std::string hint) {
    throw UsageError(file, std::move(field), std::move(message), std::move(hint));
}

/// Whether two axes would set the same value.
bool clash(std::string_view a, std::string_view b) {
    if (covers(a, b) || covers(b, a)) return true;
    const auto side = [](std::string_view f) { return f == "width" || f == "height"; };
    return (a == "size" && side(b)) || (b == "size" && side(a));
}

std::optional<std::size_t> index_of(const SweepAxis& axis, const Json& value) {
    const auto it = std::find(axis.values.begin(), axis.values.end(), value);
    if (it == axis.values.end()) return std::nullopt;
    return std::size_t(it - axis.values.begin());
}

/// The index of the value that makes the best picture, for fields where that is known.
std::optional<std::size_t> best_value(const SweepAxis& axis) {
    if (axis.field == "dtype" || axis.field == "precision") return index_of(axis, "f32");
    if (axis.field == "cache") return index_of(axis, nullptr);
    if (axis.field != "steps" && axis.field != "cache.threshold") return std::nullopt;
    const auto worth = [&](const Json& v) {
        if (axis.field == "steps") return v.is_number() ? v.get<double>() : 0;
        return v.is_number() ? -v.get<double>() : 0;
    };
    const auto best = std::max_element(axis.values.begin(), axis.values.end(),
                                       [&](const Json& a, const Json& b) { return worth(a) < worth(b); });
    if (best == axis.values.end()) return std::nullopt;
    return std::size_t(best - axis.values.begin());
}

/// How much has to be done again when the field changes; larger is more.
int cost_of_change(std::string_view field) {
    static constexpr std::array<std::string_view, 7> weights{"model", "parts",     "family", "loras",
                                                             "dtype", "precision", "device"};
    static constexpr std::array<std::string_view, 7> encoders{
        "prompt", "negative_prompt", "image", "last_image", "preprocess", "mode", "forcing"};
    static constexpr std::array<std::string_view, 4> plans{"size", "width", "height", "frames"};
    const std::string_view top = top_key(field);
    const auto in = [&](const auto& list) { return std::find(list.begin(), list.end(), top) != list.end(); };
    return in(weights) ? 3 : in(encoders) ? 2 : in(plans) ? 1 : 0;
}

void check_keys(const Json& object, const std::string& file) {
    static constexpr std::array<std::string_view, 5> known{"schema", "request", "axes", "reference", "cells"};
    static constexpr std::array<std::string_view, 2> kept{"created", "updated"};
    for (const auto& [key, value] : object.items()) {
        if (std::find(known.begin(), known.end(), key) != known.end() ||
            std::find(kept.begin(), kept.end(), key) != kept.end())
            continue;
        throw Error(file, printable(key, 60), "is not a key of a sweep",
                    did_you_mean(key, known, "known are schema, request, axes and reference"));
    }
    const auto schema = object.find("schema");
    if (schema == object.end()) throw Error(file, "schema", "is missing", R"(write "schema": 1)");
    if (!schema->is_number_integer() || *schema != 1)
        throw Error(file, "schema", printable(schema->dump(), 40) + " is not known to this version, which reads 1",
                    "use a newer Denoir, or write the sweep for schema 1");
}

/// Whether the object is a request and not a sweep: its axes are given on the command line.
bool is_plain_request(const Json& object) {
    const auto is_field = [&](std::string_view key) { return object.contains(std::string(key)); };
    return !is_field("axes") && !is_field("request") && !is_field("reference") && !is_field("cells") &&
           std::any_of(request_keys().begin(), request_keys().end(), is_field);
}

/// The request object of a sweep, which needs no `schema` of its own.
Json with_schema(const Json& object) {
    Json whole = object;
    whole["schema"] = object.value("schema", Json(1));
    return whole;
}

/// The `request` of a sweep: an object, or the name of a request file.
Request read_request(const Json& value, const RequestSource& source) {
    Request r;
    if (value.is_string() && !value.get_ref<const std::string&>().empty()) {
        const fs::path file = source.folder / value.get_ref<const std::string&>();
        apply_over_start(r, [&](Request& request) { apply_request_file(request, file); });
        return r;
    }
    if (!value.is_object())
        throw Error(source.file, "request", "must be an object or a request file's name",
                    R"(write {"prompt": "…"} or "request.json")");
    try {
        apply_over_start(r, [&](Request& request) { apply_request(request, with_schema(value), source); });
    } catch (const UsageError& e) { // branch_of() does not know that the request is part of a sweep
        if (e.field() != "start.step") throw;
        throw UsageError(source.file, "request.start.step", e.message(), e.hint());
    }
    return r;
}

/// `value` of an axis with its relative paths made relative to `source`'s folder. `probe`: the sweep's request. Throws
/// as set_axis_value() does.
Json with_whole_paths(const SweepAxis& axis, const Json& value, const RequestSource& source, Request probe) {
    set_axis_value(probe, axis.field, value, source);
    if (value.is_null() || !(is_path_field(axis.field) || value.is_structured())) return value;
    Json part = to_json(probe);
    std::string_view rest = axis.field;
    while (!rest.empty()) {
        const std::string name(top_key(rest));
        if (part.is_object() && !part.contains(name)) return value; // the default, which is not written
        part = part.is_array() ? Json(part.at(std::stoul(name))) : Json(part.at(name));
        rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    }
    return part;
}

std::vector<std::optional<std::size_t>> read_reference(const Json& value, const Sweep& sweep,
                                                       const RequestSource& source) {
    const std::vector<SweepAxis>& axes = sweep.axes;
    const std::string& file = source.file;
    std::vector<std::optional<std::size_t>> out(axes.size());
    if (value.is_null()) return out;
    if (!value.is_object()) throw Error(file, "reference", "must be an object or null", R"(write {"steps": 20})");
    for (const auto& [field, wanted] : value.items()) {
        const auto axis = std::ranges::find(axes, field, &SweepAxis::field);
        const std::string named = "reference." + printable(field, 60);
        if (axis == axes.end()) refuse(file, named, "is not an axis of this sweep", "name fields of axes");
        out[std::size_t(axis - axes.begin())] = index_of(*axis, with_whole_paths(*axis, wanted, source, sweep.request));
        if (!out[std::size_t(axis - axes.begin())])
            refuse(file, named, printable(wanted.dump(), 60) + " is not among the axis's values",
                   fmt::format("use one of {}", printable(axis_text(*axis), 100)));
    }
    return out;
}

} // namespace

std::size_t Sweep::size() const {
    return std::accumulate(axes.begin(), axes.end(), std::size_t(1),
                           [](std::size_t n, const SweepAxis& a) { return n * a.values.size(); });
}

std::vector<std::size_t> Sweep::place(std::size_t cell) const {
    std::vector<std::size_t> out(axes.size());
    for (std::size_t i = axes.size(); i-- > 0;) {
        out[i] = cell % axes[i].values.size();
        cell /= axes[i].values.size();
    }
    return out;
}

std::size_t Sweep::cell(const std::vector<std::size_t>& place) const {
    std::size_t out = 0;
    for (std::size_t i = 0; i < axes.size(); ++i) out = out * axes[i].values.size() + place[i];
    return out;
}

std::optional<std::size_t> Sweep::reference_of(std::size_t cell) const {
    std::vector<std::size_t> there = place(cell);
    for (std::size_t i = 0; i < axes.size() && i < reference.size(); ++i) there[i] = reference[i].value_or(there[i]);
    const std::size_t found = this->cell(there);
    if (found == cell) return std::nullopt;
    return found;
}

Json Sweep::values(std::size_t cell) const {
    Json out = Json::object();
    const std::vector<std::size_t> at = place(cell);
    for (std::size_t i = 0; i < axes.size(); ++i) out[axes[i].field] = axes[i].values[at[i]];
    return out;
}

Request Sweep::request_of(std::size_t cell) const {
    Request r = request;
    const Json of_cell = values(cell);
    for (const auto& [field, value] : of_cell.items()) set_axis_value(r, field, value, {});
    return r;
}

std::string Sweep::label(std::size_t cell, std::size_t longest) const {
    std::vector<std::size_t> all(axes.size());
    std::iota(all.begin(), all.end(), std::size_t(0));
    return label(cell, longest, all);
}

std::string Sweep::label(std::size_t cell, std::size_t longest, std::span<const std::size_t> of) const {
    std::string out;
    const std::vector<std::size_t> at = place(cell);
    for (const std::size_t i : of)
        out += fmt::format("{}{} {}", out.empty() ? "" : " · ", axis_title(axes[i].field),
                           value_text(axes[i], at[i], longest));
    return out;
}

std::vector<std::optional<std::size_t>> usual_reference(const std::vector<SweepAxis>& axes) {
    std::vector<std::optional<std::size_t>> out;
    for (const SweepAxis& axis : axes) out.push_back(best_value(axis));
    return out;
}

void check(const Sweep& sweep, const std::string& file) {
    if (sweep.axes.empty())
        refuse(file, "axes", "are missing: nothing varies", R"(write {"steps": [8, 20], "guidance": [1, 3]})");
    if (sweep.axes.size() > Sweep::max_axes)
        refuse(file, "axes", fmt::format("{} are too many", sweep.axes.size()),
               fmt::format("use at most {}", Sweep::max_axes));
    double cells = 1;
    for (std::size_t i = 0; i < sweep.axes.size(); ++i) {
        const SweepAxis& axis = sweep.axes[i];
        const std::string named = "axes." + printable(axis.field, 60);
        if (axis.values.empty()) refuse(file, named, "has no values", "write a list like [4, 8, 20]");
        if (axis.values.size() > Sweep::max_values)
            refuse(file, named, fmt::format("{} values are too many", axis.values.size()),
                   fmt::format("use at most {}", Sweep::max_values));
        cells *= double(axis.values.size());
        for (std::size_t j = 0; j < i; ++j)
            if (clash(axis.field, sweep.axes[j].field))
                refuse(file, named, fmt::format("is also in axes.{}", printable(sweep.axes[j].field, 60)),
                       "keep one of the two");
        for (std::size_t a = 0; a < axis.values.size(); ++a)
            if (*index_of(axis, axis.values[a]) < a)
                refuse(file, named, fmt::format("holds {} twice", value_text(axis, a)), "leave one out");
    }
    if (cells > double(Sweep::max_cells))
        refuse(file, "axes", fmt::format("make {:.0f} clips", cells),
               fmt::format("leave values out: at most {}", Sweep::max_cells));
    for (const SweepAxis& axis : sweep.axes)
        for (const Json& value : axis.values) {
            Request probe = sweep.request;
            set_axis_value(probe, axis.field, value, {file, {}});
        }
}

Sweep sweep_from_json(const Json& object, const RequestSource& source) {
    if (!object.is_object())
        throw Error(source.file, "", "must hold one JSON object", R"(write {"schema": 1, "request": …, "axes": …})");
    Sweep sweep;
    if (is_plain_request(object)) {
        sweep.request = read_request(object, source);
        return sweep;
    }
    check_keys(object, source.file);
    // In the record of a sweep that was begun, the request leaves nothing open: the run that it starts from need not be
    // there any more.
    const bool begun = object.contains("cells");
    if (const auto it = object.find("request"); it != object.end())
        sweep.request =
            begun && it->is_object() ? request_from_json(with_schema(*it), source) : read_request(*it, source);
    const Json axes = object.value("axes", Json::object());
    if (!axes.is_object())
        throw Error(source.file, "axes", "must be an object", R"(write {"steps": [8, 20], "guidance": [1, 3]})");
    for (const auto& [field, values] : axes.items()) {
        SweepAxis axis{field, {}};
        const std::string named = "axes." + printable(field, 60);
        if (!values.is_array()) throw Error(source.file, named, "must be a list", "write it like [4, 8, 20]");
        if (values.size() > Sweep::max_values || sweep.axes.size() == Sweep::max_axes)
            refuse(source.file, sweep.axes.size() == Sweep::max_axes ? "axes" : named, "holds too many",
                   fmt::format("use at most {} axes of at most {} values", Sweep::max_axes, Sweep::max_values));
        for (const Json& value : values) axis.values.push_back(with_whole_paths(axis, value, source, sweep.request));
        sweep.axes.push_back(std::move(axis));
    }
    check(sweep, source.file);
    const auto reference = object.find("reference");
    sweep.reference =
        reference == object.end() ? usual_reference(sweep.axes) : read_reference(*reference, sweep, source);
    return sweep;
}

Sweep read_sweep(const fs::path& file) {
    const std::string name = file.string();
    return sweep_from_json(read_request_json(file, max_sweep_bytes), {name, file.parent_path()});
}

void make_paths_absolute(Sweep& sweep) {
    Request& r = sweep.request;
    if (!r.model.empty()) r.model = find_model(r.model);
    make_paths_absolute(r);
    const RequestSource here{"", fs::current_path()};
    for (SweepAxis& axis : sweep.axes)
        for (Json& value : axis.values) {
            if (axis.field == "model" && value.is_string()) value = find_model(value.get<std::string>()).string();
            value = with_whole_paths(axis, value, here, r);
        }
}

Json to_json(const Sweep& sweep) {
    Json axes = Json::object(), reference = Json::object();
    for (std::size_t i = 0; i < sweep.axes.size(); ++i) {
        axes[sweep.axes[i].field] = sweep.axes[i].values;
        if (i < sweep.reference.size() && sweep.reference[i])
            reference[sweep.axes[i].field] = sweep.axes[i].values[*sweep.reference[i]];
    }
    if (reference.empty()) reference = nullptr;
    Json request = asked_json(sweep.request);
    request.erase("schema");
    return {{"schema", 1}, {"request", request}, {"axes", axes}, {"reference", reference}};
}

std::vector<std::size_t> rendering_order(const Sweep& sweep) {
    std::vector<std::size_t> axes(sweep.axes.size()), cells(sweep.size());
    std::iota(axes.begin(), axes.end(), std::size_t(0));
    std::iota(cells.begin(), cells.end(), std::size_t(0));
    std::stable_sort(axes.begin(), axes.end(), [&](std::size_t a, std::size_t b) {
        return cost_of_change(sweep.axes[a].field) > cost_of_change(sweep.axes[b].field);
    });
    // On each axis the reference's value comes first, so that no cell precedes the one that it is measured against.
    const auto key = [&](std::size_t cell) {
        const std::vector<std::size_t> at = sweep.place(cell);
        std::vector<std::size_t> out;
        for (const std::size_t axis : axes) {
            const auto& reference = axis < sweep.reference.size() ? sweep.reference[axis] : std::nullopt;
            out.push_back(reference == at[axis] ? 0 : at[axis] + 1);
        }
        return out;
    };
    std::sort(cells.begin(), cells.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    return cells;
}

} // namespace denoir
