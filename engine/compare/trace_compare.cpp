// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/trace_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "engine/compare/trace_report.h"
#include "engine/core/error.h"
#include "engine/core/mapped_file.h"
#include "engine/core/text.h"

namespace denoir {
namespace {

using Table = std::unordered_map<std::string_view, const FileTensor*>;

Table table_of(const Container& c) {
    Table table;
    table.reserve(c.tensors.size());
    for (const FileTensor& t : c.tensors) table.emplace(t.name, &t);
    return table;
}

/// What a file says about itself under this key; nothing if it does not.
std::optional<std::string> said(const std::map<std::string, std::string>& metadata, const char* key) {
    const auto it = metadata.find(key);
    return it == metadata.end() ? std::nullopt : std::optional(it->second);
}

/// The tensor names that both have. A trace may say that its data lies in the order of execution: the names are put
/// into that order, Denoir's own if both say so. Otherwise they are sorted.
std::vector<std::string_view> ordered(const Container& a, const Container& b) {
    const auto says = [](const Container& c) { return said(c.metadata, "order") == "execution"; };
    const auto is_ours = [](const Container& c) {
        return said(c.metadata, "source").value_or("").starts_with("denoir");
    };
    const bool ours = is_ours(b) && !is_ours(a);
    const Container* guide = says(a) && !(ours && says(b)) ? &a : says(b) ? &b : nullptr;
    const Table other = table_of(guide == &b ? a : b);
    std::vector<const FileTensor*> common;
    for (const FileTensor& t : (guide ? *guide : a).tensors)
        if (other.contains(t.name)) common.push_back(&t);
    std::ranges::sort(common, [&](const FileTensor* x, const FileTensor* y) {
        return guide ? x->offset < y->offset : natural_less(x->name, y->name);
    });
    std::vector<std::string_view> names;
    for (const FileTensor* t : common) names.push_back(t->name);
    return names;
}

Tensor read(const Container& c, const FileTensor& t, const std::string& file) {
    if (t.dtype && is_block(*t.dtype))
        throw Error(file, t.name, fmt::format("{} is a type of quantised weights", t.dtype_name),
                    "compare traces, not checkpoints");
    return c.tensor(t);
}

std::vector<std::string> missing_in(const Container& a, const Container& b) {
    const Table other = table_of(b);
    std::vector<std::string> names;
    for (const FileTensor& t : a.tensors)
        if (!other.contains(t.name)) names.push_back(t.name);
    std::ranges::sort(names, natural_less);
    return names;
}

/// Whether both traces should hold the same tensors: they name the same layers and steps, and their requests differ
/// only in fields that change numbers, not which layers run. Also true if neither file says that it is a trace.
bool asked_alike(const metrics::TraceComparison& c) {
    if (!c.about_a.contains("denoir_trace") && !c.about_b.contains("denoir_trace")) return true;
    for (const char* key : {"layers", "steps"})
        if (const auto a = said(c.about_a, key); !a || a != said(c.about_b, key)) return false;
    static constexpr std::array numbers_alone{"device",  "dtype",   "precision", "model",  "seed",  "shift",
                                              "sampler", "threads", "latents",   "prompt", "noise", "preprocess"};
    // If guidance ends at a time, the times of the steps decide which steps have an unconditional branch.
    const auto ends = [](const std::map<std::string, std::string>& about) {
        return said(about, "request").value_or("").find("\"guidance_until\"") != std::string::npos;
    };
    const bool by_time = ends(c.about_a) || ends(c.about_b);
    return std::ranges::all_of(request_differences(c), [&](const SettingDifference& s) {
        if (by_time && (s.key == "shift" || s.key == "sampler")) return false;
        return std::ranges::find(numbers_alone, s.key) != numbers_alone.end();
    });
}

/// Of `names`, which the other trace lacks, those that it should have. If the two were asked for different layers or
/// steps, whole layers or whole places (steps, branches, frames) may be left out on purpose. A tensor is missing all
/// the same if the other trace has its layer at another place, and other layers at its place.
std::vector<std::string> should_have(const std::vector<std::string>& names, const Container& other, bool asked_alike) {
    if (asked_alike || names.empty()) return names;
    std::unordered_set<std::string> rows, columns;
    const auto column = [](const metrics::TraceKey& k) { return k.component + '|' + k.column(); };
    for (const FileTensor& t : other.tensors) {
        const metrics::TraceKey k = metrics::parse_trace_key(t.name);
        rows.insert(k.row()), columns.insert(column(k));
    }
    std::vector<std::string> out;
    for (const std::string& name : names)
        if (const metrics::TraceKey k = metrics::parse_trace_key(name);
            rows.contains(k.row()) && columns.contains(column(k)))
            out.push_back(name);
    return out;
}

std::string first_name(const Container& c) { return c.tensors.empty() ? "nothing" : printable(c.tensors[0].name, 60); }

/// One of two traces.
struct Side {
    const Container& container;
    const Table& table;
    const std::string& name;
};

/// The relative error of a pointwise layer's output that comes from the difference of its inputs alone; 0 for other
/// layers, and if an input is not in both traces.
double passed_by(const metrics::LayerError& l, const Side& a, const Side& b) {
    const auto pointwise = metrics::pointwise_of(l.parts.component, l.parts.layer);
    if (!pointwise) return 0;
    const std::string before = l.key.substr(0, l.key.size() - l.parts.layer.size());
    std::vector<Tensor> of_a, of_b;
    for (const std::string& input : pointwise->inputs) {
        const auto x = a.table.find(before + input), y = b.table.find(before + input);
        if (x == a.table.end() || y == b.table.end()) return 0;
        of_a.push_back(read(a.container, *x->second, a.name));
        of_b.push_back(read(b.container, *y->second, b.name));
        for (const Tensor& t : {of_a.back(), of_b.back()})
            if (!metrics::comparable(t.shape(), l.difference.shape)) return 0;
    }
    return metrics::pointwise_difference(pointwise->kind, of_a, of_b);
}

} // namespace

TraceFiles::TraceFiles(const std::filesystem::path& a, const std::filesystem::path& b)
    : a_(open_container(a)), b_(open_container(b)), name_a_(a.native()), name_b_(b.native()) {
    const Table other = table_of(b_);
    const bool any = std::ranges::any_of(a_.tensors, [&](const FileTensor& t) { return other.contains(t.name); });
    if (!any)
        throw Error(name_a_, "",
                    fmt::format("has no tensor name in common with {} ({} here, {} there)", printable(name_b_, 80),
                                first_name(a_), first_name(b_)),
                    "compare two traces of one model");
}

metrics::TraceComparison TraceFiles::compare(const ProgressCall& progress, std::stop_token stop) const {
    metrics::TraceComparison c;
    c.name_a = name_a_;
    c.name_b = name_b_;
    c.about_a = a_.metadata;
    c.about_b = b_.metadata;
    c.only_a = missing_in(a_, b_);
    c.only_b = missing_in(b_, a_);
    const bool alike = asked_alike(c);
    c.missing_in_a = should_have(c.only_b, a_, alike);
    c.missing_in_b = should_have(c.only_a, b_, alike);
    const MappedFileWatch mapped;
    const Table left = table_of(a_), right = table_of(b_);
    const std::vector<std::string_view> names = ordered(a_, b_);
    double total = 0, done = 0;
    for (const std::string_view name : names) total += double(left.at(name)->bytes + right.at(name)->bytes);
    for (const std::string_view name : names) {
        if (stop.stop_requested()) throw Cancelled();
        const FileTensor &x = *left.at(name), &y = *right.at(name);
        const Tensor a = read(a_, x, name_a_), b = read(b_, y, name_b_);
        if (metrics::comparable(a.shape(), b.shape())) {
            metrics::LayerError l;
            l.key = name;
            l.parts = metrics::parse_trace_key(name);
            l.difference = metrics::difference(a, b);
            if (l.difference.max_abs != 0) l.passed = passed_by(l, {a_, left, name_a_}, {b_, right, name_b_});
            c.layers.push_back(std::move(l));
        } else {
            c.shapes.push_back({std::string(name), a.shape(), b.shape()});
        }
        a_.file->drop_pages(x.offset, x.bytes);
        b_.file->drop_pages(y.offset, y.bytes);
        done += double(x.bytes + y.bytes);
        if (progress) progress(done, total);
    }
    mapped.check();
    metrics::analyse(c);
    return c;
}

metrics::PairHistograms TraceFiles::histograms(const std::string& key) const {
    const FileTensor *x = a_.find(key), *y = b_.find(key);
    if (!x || !y) throw Error(x ? name_b_ : name_a_, key, "this trace has no such tensor", "choose one that both have");
    const Tensor a = read(a_, *x, name_a_), b = read(b_, *y, name_b_);
    if (!metrics::comparable(a.shape(), b.shape()))
        throw Error(
            name_a_, key,
            fmt::format("has shape {}, in {} {}", to_string(a.shape()), printable(name_b_, 80), to_string(b.shape())),
            "compare traces of one size");
    return metrics::histograms(a, b);
}

bool is_trace(const std::filesystem::path& file) {
    static constexpr std::array components{"text_encoder/", "image_encoder/",   "vae_encoder/", "transformer/",
                                           "sampler/",      "transformer_low/", "vae_decoder/"};
    try {
        const Container c = open_container(file);
        return c.metadata.contains("denoir_trace") || std::ranges::any_of(c.tensors, [](const FileTensor& t) {
                   return std::ranges::any_of(components,
                                              [&](const char* component) { return t.name.starts_with(component); });
               });
    } catch (const Error&) {
        return false;
    }
}

} // namespace denoir
