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
    /// A cell is measured against the cell that has these values, by index, and its own on the other axes. All empty:
    /// nothing is measured. As many as axes.
    std::vector<std::optional<std::size_t>> reference;

    /// Product of the axes' lengths; 1 without axes.
    std::size_t size() const;
    /// The value's index on each axis.
    std::vector<std::size_t> place(std::size_t cell) const;
    std::size_t cell(const std::vector<std::size_t>& place) const;
    /// The cell that `cell` is measured against; nothing where it is that one, or nothing is measured.
    std::optional<std::size_t> reference_of(std::size_t cell) const;
    /// {FIELD: value} of a cell.
    Json values(std::size_t cell) const;
    /// The request of a cell, as asked. Throws UsageError / Error naming "axes.FIELD".
    Request request_of(std::size_t cell) const;
    /// "steps 8 · guidance 3", at most so many bytes of each value.
    std::string label(std::size_t cell, std::size_t longest = 40) const;
    /// Of these axes alone, in this order.
    std::string label(std::size_t cell, std::size_t longest, std::span<const std::size_t> of) const;
};

/// Puts one value into a request. Throws UsageError / Error naming "axes.FIELD", and `source`'s file.
void set_axis_value(Request&, std::string_view field, const Json& value, const RequestSource& source);

/// A value as people read it: "8", "256x144", text without quotes, "default".
std::string value_text(const SweepAxis&, std::size_t value, std::size_t longest = 40);
/// "steps", "guidance", "cache threshold", "LoRA 1 strength"
std::string axis_title(std::string_view field);

/// Values as people type them: "4, 8, 20", "1..8" (whole numbers), "1..6:0.5" (with a step), "256x144, 512x288"; texts
/// are separated by `|` where one holds a comma. Between semicolons a comma is the decimal point: "1; 2,5". A JSON list
/// is taken as it is. Checked by the field. Throws UsageError naming the field.
SweepAxis parse_axis(std::string_view field, std::string_view text);
/// The values in that form: parse_axis() gives them again.
std::string axis_text(const SweepAxis&);

/// What is measured against what, unless somebody says otherwise: the most steps, the least cache threshold, f32; for
/// axes that know no better side, its own value. All empty where no axis has one.
std::vector<std::optional<std::size_t>> usual_reference(const std::vector<SweepAxis>&);

/// Reads {"schema": 1, "request": {…} or a file's name, "axes": {FIELD: [values]}, "reference": {FIELD: value} or
/// null}. Unknown keys are refused with the one that was probably meant, values by the field's own rules, named
/// "axes.FIELD". Without `reference` the usual one. Relative paths are as in requests. A plain request is a sweep
/// without axes. Throws Error, UsageError.
Sweep sweep_from_json(const Json&, const RequestSource&);
/// A file of it, at most 4 MiB, or what carries a request (carried_request.h): a sweep without axes.
Sweep read_sweep(const std::filesystem::path&);
/// `schema`, `request`, `axes`, `reference`.
Json to_json(const Sweep&);
/// Every path absolute, of the request and of the axes, and models found by their names.
void make_paths_absolute(Sweep&);
/// Refuses axes without values, too many cells, values that their field cannot have, one field twice. Throws
/// UsageError naming "axes" or "axes.FIELD"; `file` as in RequestSource.
void check(const Sweep&, const std::string& file);

/// The cells in the order in which they are rendered: those that others are measured against first; what is dear to
/// change (model, LoRAs, precision, device, then prompts, images, sizes) varies slowest.
std::vector<std::size_t> rendering_order(const Sweep&);

} // namespace denoir
