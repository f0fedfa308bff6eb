// SPDX-License-Identifier: Apache-2.0
#include "engine/session/sweep_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/core/atomic_file.h"
#include "engine/core/file.h"
#include "engine/core/json_fields.h"
#include "engine/core/json_reader.h"
#include "engine/core/own_folders.h"
#include "engine/pipeline/seed.h"
#include "engine/session/dated_folder.h"
#include "engine/session/record_folder.h"
#include "engine/session/run_folder.h"
#include "engine/session/run_record.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

constexpr RecordFolder kind{.word = "sweep",
                            .record = SweepFolder::record_name,
                            .most_bytes = 16 << 20,
                            .name_one = "name a sweep's folder",
                            .is_none = "is missing: this is not a sweep",
                            .name_made_one = "name a folder that sweep made",
                            .holds_one = "already holds a sweep"};
constexpr std::array<Named<SweepCell::State>, 3> states{
    {{"waiting", SweepCell::State::waiting}, {"done", SweepCell::State::done}, {"failed", SweepCell::State::failed}}};

Json to_json(const SweepCell::Figures& f) {
    const auto number = [](const std::optional<double>& v) { return v ? finite_or_null(*v) : Json(); };
    Json out{{"reference", f.reference}, {"psnr", number(f.psnr)}, {"ssim", number(f.ssim)}};
    if (f.worst_frame) out["worst_frame"] = *f.worst_frame;
    if (!f.note.empty()) out["note"] = f.note;
    return out;
}

Json to_json(const SweepCell& cell, const Sweep& sweep, std::size_t index, const fs::path& folder) {
    Json out{{"values", sweep.values(index)}, {"state", name(cell.state)}};
    const fs::path near = cell.run.empty() ? fs::path() : cell.run.lexically_relative(folder);
    const bool inside = !near.empty() && *near.begin() != "..";
    out["run"] = cell.run.empty() ? Json() : Json((inside ? near : cell.run).string());
    out["reused"] = cell.reused;
    out["seconds"] = cell.seconds;
    if (cell.figures) out["figures"] = to_json(*cell.figures);
    if (cell.error) out["error"] = to_json(*cell.error);
    return out;
}

SweepCell::Figures read_figures(const JsonReader& in, std::size_t cells) {
    static constexpr std::string_view known[] = {"reference", "psnr", "ssim", "worst_frame", "note"};
    in.only(known);
    SweepCell::Figures out;
    for (const auto& [name, child] : in.value().items()) {
        const JsonReader reader = in.member(name, child);
        if (name == "reference") out.reference = std::size_t(reader.integer(0, std::int64_t(cells) - 1));
        if (name == "psnr" && !child.is_null()) out.psnr = reader.number(-1000, 1000);
        if (name == "ssim" && !child.is_null()) out.ssim = reader.number(-1, 1);
        if (name == "worst_frame") out.worst_frame = std::size_t(reader.integer(0, 1 << 30));
        if (name == "note") out.note = reader.text();
    }
    return out;
}

SweepCell read_cell(const JsonReader& in, std::size_t cells, const fs::path& folder) {
    static constexpr std::string_view known[] = {"values", "state", "run", "reused", "seconds", "figures", "error"};
    in.only(known);
    SweepCell cell;
    for (const auto& [name, child] : in.value().items()) {
        const JsonReader reader = in.member(name, child);
        if (name == "state") cell.state = reader.one_of(std::span<const Named<SweepCell::State>>(states));
        if (name == "run" && !child.is_null()) cell.run = resolved_path(reader.text(), folder);
        if (name == "reused") cell.reused = reader.boolean();
        if (name == "seconds") cell.seconds = reader.number(0, 1e12);
        if (name == "figures") cell.figures = read_figures(reader, cells);
        if (name == "error") cell.error = error_from(reader);
    }
    return cell;
}

std::string text_of(const SweepRecord& record, const fs::path& folder) {
    return to_json(record, folder).dump(1) + "\n";
}

/// Throws UsageError if sweep.json might become longer than is read again.
void check_length(const SweepRecord& record) {
    constexpr std::size_t to_come = 4 << 10; // bytes that a cell may still get: its run, figures, an error
    if (text_of(record, {}).size() + record.cells.size() * to_come > kind.most_bytes)
        throw UsageError(
            "", "axes",
            fmt::format("their texts, once for each of {} clips, are too long for sweep.json", record.cells.size()),
            "use shorter texts or fewer values");
}

/// The axes or the reference may have been changed by hand: forgets cells that stood for other values, and figures that
/// were measured against another cell than now.
void forget_outdated(SweepRecord& record, const Json& stored) {
    Sweep written = record.sweep; // with the axes as they are written, since older ones hold relative paths
    for (SweepAxis& axis : written.axes) axis.values = stored["axes"][axis.field].get<std::vector<Json>>();
    std::vector<bool> other(record.cells.size());
    for (std::size_t i = 0; i < record.cells.size(); ++i) {
        const Json& cell = stored["cells"][i];
        const auto values = cell.find("values");
        other[i] = values != cell.end() && *values != written.values(i);
        if (other[i]) record.cells[i] = {};
    }
    for (std::size_t i = 0; i < record.cells.size(); ++i) {
        auto& figures = record.cells[i].figures;
        const auto reference = record.sweep.reference_of(i);
        if (figures && (figures->reference != reference || other[*reference])) figures.reset();
    }
}

/// Earlier versions kept no time for a clip that was taken over: takes it from the run.
void read_missing_times(SweepRecord& record) {
    for (SweepCell& cell : record.cells) {
        if (cell.state != SweepCell::State::done || cell.seconds > 0) continue;
        try {
            cell.seconds = RunFolder::open(cell.run).record().seconds;
        } catch (const Error&) { // the run is gone, and so is its clip
        }
    }
}

/// The content of sweep.json, which may come from anyone. Throws Error, UsageError.
SweepRecord sweep_record_from_json(const Json& json, const fs::path& file) {
    const RequestSource source{file.string(), fs::absolute(file.parent_path())};
    SweepRecord record{sweep_from_json(json, source), {}, {}, {}};
    if (record.sweep.axes.empty()) check(record.sweep, source.file); // throws: only a sweep to come may have no axes
    for (const auto& [key, text] : {std::pair{"created", &record.created}, {"updated", &record.updated}})
        if (const auto it = json.find(key); it != json.end()) *text = JsonReader(*it, source, key).text();
    const auto cells = json.find("cells");
    if (cells == json.end()) {
        record.cells.resize(record.sweep.size());
        return record;
    }
    if (!cells->is_array() || cells->size() != record.sweep.size())
        throw Error(source.file, "cells", fmt::format("must be a list of {}", record.sweep.size()),
                    "the axes were changed: begin a new sweep");
    for (std::size_t i = 0; i < cells->size(); ++i)
        record.cells.push_back(
            read_cell({(*cells)[i], source, fmt::format("cells.{}", i)}, cells->size(), source.folder));
    forget_outdated(record, json);
    return record;
}

} // namespace

std::string_view name(SweepCell::State state) { return name_of(states, state); }

Json to_json(const SweepRecord& record, const fs::path& folder) {
    Json out = to_json(record.sweep);
    out["created"] = record.created;
    out["updated"] = record.updated;
    Json cells = Json::array();
    for (std::size_t i = 0; i < record.cells.size(); ++i)
        cells.push_back(to_json(record.cells[i], record.sweep, i, folder));
    out["cells"] = std::move(cells);
    return out;
}

SweepFolder::SweepFolder(fs::path path, SweepRecord record, std::shared_ptr<const FolderLock> lock)
    : path_(std::move(path)), record_(std::move(record)), lock_(std::move(lock)) {}

SweepRecord SweepFolder::record_of(const Sweep& sweep) {
    SweepRecord record{sweep, {}, {}, {}};
    Request& r = record.sweep.request;
    make_paths_absolute(record.sweep);
    check(record.sweep, ""); // two spellings of one path have become one value
    if (!r.seed && !r.start) r.seed = draw_seed();
    record.cells.resize(sweep.size());
    record.created = utc_now();
    check_length(record);
    return record;
}

SweepFolder SweepFolder::create(const fs::path& asked, const Sweep& sweep) {
    SweepRecord record = record_of(sweep);
    const fs::path path = asked.empty() ? new_sweep_folder(sweep) : resolved_path(asked);
    SweepFolder out(path, std::move(record), nullptr);
    try {
        out.lock_ = begin_record(path, asked.empty() ? path : asked, kind, [&] { out.save(); });
    } catch (const Error&) {
        std::error_code ignored;
        if (asked.empty()) fs::remove(path, ignored); // new_sweep_folder() made it
        throw;
    }
    return out;
}

SweepFolder SweepFolder::open(const fs::path& asked) {
    const Json json = read_record(asked, kind);
    return {resolved_path(asked), sweep_record_from_json(json, asked / record_name), nullptr};
}

SweepFolder SweepFolder::take(const fs::path& path) {
    SweepFolder out = open(path);
    out.lock_ = std::make_shared<const FolderLock>(out.path_);
    if (!out.lock_->take())
        throw Error(path.string(), "", "another process is working on this sweep", "wait for it, or end it");
    out.record_ = open(path).record_; // as the process before us left it
    read_missing_times(out.record_);
    remove_partials(out.path_, "");
    return out;
}

void SweepFolder::save() {
    record_.updated = utc_now();
    write_file(file(record_name), text_of(record_, path_));
}

bool is_sweep_folder(const fs::path& folder) {
    std::error_code code;
    return fs::is_regular_file(folder / SweepFolder::record_name, code) && fs::is_directory(folder / "runs", code);
}

fs::path new_sweep_folder(const Sweep& sweep) {
    std::vector<std::string> fields;
    for (const SweepAxis& axis : sweep.axes) fields.push_back(axis.field.substr(0, 24));
    return make_dated_folder("sweeps", fmt::format("{}", fmt::join(fields, "-")), "--out");
}

std::vector<fs::path> list_sweeps() {
    std::vector<std::pair<std::string, fs::path>> found;
    std::error_code code;
    for (const auto& item : entries_of(data_folder() / "sweeps", code)) try {
            found.emplace_back(SweepFolder::open(item.path()).record().created, item.path());
        } catch (const std::exception&) { // not a sweep, or one that was just removed
        }
    std::sort(found.rbegin(), found.rend());
    std::vector<fs::path> out;
    for (auto& [created, path] : found) out.push_back(std::move(path));
    return out;
}

} // namespace denoir
