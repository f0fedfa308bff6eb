// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/json.h"
#include "engine/pipeline/request.h"
#include "engine/session/request_json.h"

namespace denoir {

/// What a sweep varies: one field of the request, and the values that it takes.
struct SweepAxis {
    std::string field;        ///< a key of the request, a member of one ("cache.threshold", "loras.0.strength"), or
                              ///< "size" with values like "256x144"
    std::vector<Json> values; ///< as in the request's JSON; null: the model's default
    friend bool operator==(const SweepAxis&, const SweepAxis&) = default;
};

/// One request, and what of it varies: a clip for every combination of the axes' values. Plain data, as
/// `sweep SWEEP.json` reads it and a sweep's folder keeps it. Cells are counted with the last axis fastest. The first
/// axis runs down a grid's rows, the second across its columns, each further one from page to page.
struct Sweep {
    static constexpr std::size_t max_axes = 6, max_values = 200, max_cells = 1000;
    Request request; ///< as asked; all cells share its seed
    std::vector<SweepAxis> axes;
    /// For each axis the index of the value that cells are measured against. Where it is empty, a cell is measured
    /// against one with its own value on that axis; where all are, nothing is measured.
    std::vector<std::optional<std::size_t>> reference;

    /// Product of the axes' lengths; 1 without axes.
    std::size_t size() const;
    /// The index of a cell's value on each axis.
    std::vector<std::size_t> place(std::size_t cell) const;
    /// The cell with these indices: the inverse of place().
    std::size_t cell(const std::vector<std::size_t>& place) const;
    /// The cell that `cell` is measured against; empty if that is `cell` itself, or if nothing is measured.
    std::optional<std::size_t> reference_of(std::size_t cell) const;
    /// {FIELD: value} of a cell.
    Json values(std::size_t cell) const;
    /// The request of a cell, as asked. Throws UsageError naming "axes.FIELD".
    Request request_of(std::size_t cell) const;
    /// "steps 8 · guidance 3", with at most `longest` bytes of each value.
    std::string label(std::size_t cell, std::size_t longest = 40) const;
    /// The same for only these axes, in this order.
    std::string label(std::size_t cell, std::size_t longest, std::span<const std::size_t> of) const;
};

/// Puts one value into a request. Throws UsageError naming "axes.FIELD" and `source`'s file.
void set_axis_value(Request&, std::string_view field, const Json& value, const RequestSource& source);

/// A value as people read it: "8", "256x144", text without quotes, "default".
std::string value_text(const SweepAxis&, std::size_t value, std::size_t longest = 40);
/// "steps", "guidance", "cache threshold", "LoRA 1 strength"
std::string axis_title(std::string_view field);

/// Values as people type them: "4, 8, 20", "1..8" (whole numbers), "1..6:0.5" (with a step), "256x144, 512x288"; texts
/// are separated by `|` if one of them holds a comma. Between semicolons a comma is the decimal point: "1; 2,5". A JSON
/// list is taken as it is. Throws UsageError naming "axes.FIELD", also for a value that the field cannot have.
SweepAxis parse_axis(std::string_view field, std::string_view text);
/// The values as text that parse_axis() reads again.
std::string axis_text(const SweepAxis&);

/// Sweep::reference unless somebody says otherwise: the most steps, the least cache threshold, f32. Empty for axes of
/// which no value is known to be best.
std::vector<std::optional<std::size_t>> usual_reference(const std::vector<SweepAxis>&);

/// Reads {"schema": 1, "request": {…} or a file's name, "axes": {FIELD: [values]}, "reference": {FIELD: value} or
/// null}. Without `reference` the usual one is taken. Relative paths are as in requests. A plain request is a sweep
/// without axes. Throws Error, UsageError: for an unknown key with the key that was probably meant, for a value naming
/// "axes.FIELD".
Sweep sweep_from_json(const Json&, const RequestSource&);
/// Reads a file of that form, at most 4 MiB, or anything that carries a request (carried_request.h), which is a sweep
/// without axes. Throws as sweep_from_json() does.
Sweep read_sweep(const std::filesystem::path&);
/// `schema`, `request`, `axes`, `reference`.
Json to_json(const Sweep&);
/// Makes every path of the request and of the axes absolute, and replaces names of models by their paths.
void make_paths_absolute(Sweep&);
/// Throws UsageError naming "axes" or "axes.FIELD" for a sweep without axes, an axis without values, too many cells, a
/// value that its field cannot have, or a field or value that is there twice. `file` as in RequestSource.
void check(const Sweep&, const std::string& file);

/// The cells in the order in which they are rendered: those that others are measured against come first; what costs
/// most to change (model, LoRAs, precision, device, then prompts, images, sizes) varies slowest.
std::vector<std::size_t> rendering_order(const Sweep&);

} // namespace denoir
