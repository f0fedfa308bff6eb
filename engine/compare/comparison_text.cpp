// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/compare/comparison.h"
#include "engine/core/json_fields.h"

namespace denoir {
namespace {

void put(Json& to, const metrics::FrameMetrics& m, bool lpips) {
    to["mse"] = m.mse;
    to["psnr"] = or_null(m.psnr);
    to["ssim"] = or_null(m.ssim);
    to["mean_difference"] = m.difference.mean;
    to["max_difference"] = m.difference.max;
    to["p95_difference"] = m.difference.p95;
    to["p99_difference"] = m.difference.p99;
    if (lpips) to["lpips"] = or_null(m.lpips);
}

Json described(const SourceInfo& s, std::int64_t length) {
    return {{"path", s.path.string()}, {"kind", name(s.kind)}, {"detail", s.detail},
            {"width", s.width},        {"height", s.height},   {"fps", s.fps > 0 ? Json(s.fps) : Json()},
            {"frames", length}};
}

Json scale(std::span<const metrics::Threshold> steps) {
    Json all = Json::array();
    for (const metrics::Threshold& step : steps) all.push_back({{"grade", name(step.grade)}, {"least", step.least}});
    return all;
}

Json described(const metrics::Verdict& v) {
    return {{"grade", name(v.grade)},
            {"psnr", name(v.psnr)},
            {"ssim", v.ssim ? Json(name(*v.ssim)) : Json()},
            {"text", v.text},
            {"thresholds", {{"psnr", scale(metrics::psnr_scale())}, {"ssim", scale(metrics::ssim_scale())}}},
            {"source", metrics::scale_source()}};
}

Json described(const metrics::PixelHistograms& h) {
    return {{"a", {{"red", h.a[0]}, {"green", h.a[1]}, {"blue", h.a[2]}}},
            {"b", {{"red", h.b[0]}, {"green", h.b[1]}, {"blue", h.b[2]}}},
            {"difference", h.difference}};
}

Json described(const metrics::TensorDifference& d) {
    return {{"max_abs", d.max_abs},
            {"mean_abs", d.mean_abs},
            {"normalised", finite_or_null(d.normalised())},
            {"relative", finite_or_null(d.relative())},
            {"cosine", d.cosine}};
}

Json described(const StepDivergences& all) {
    Json steps = Json::array();
    for (const StepDivergence& s : all.steps)
        steps.push_back(
            {{"a", s.a}, {"b", s.b}, {"latent", described(s.latent)}, {"x0", s.x0 ? described(*s.x0) : Json()}});
    return steps;
}

/// An empty cell where there is no value.
std::string cell(const std::optional<double>& v) { return v ? fmt::format("{:.9g}", *v) : std::string(); }

} // namespace

Json to_json(const std::vector<SettingDifference>& settings) {
    Json all = Json::array();
    for (const SettingDifference& s : settings) all.push_back({{"key", s.key}, {"a", s.a}, {"b", s.b}});
    return all;
}

Json to_json(const Comparison& c) {
    const bool lpips = !c.lpips.empty();
    Json frames = Json::array();
    for (std::size_t i = 0; i < c.frames.size(); ++i) {
        Json row{{"index", i}, {"a", c.frames[i].index.a}, {"b", c.frames[i].index.b}};
        put(row, c.frames[i].metrics, lpips);
        frames.push_back(std::move(row));
    }
    Json mean = Json::object(), worst = Json::object();
    put(mean, c.summary.mean, lpips);
    put(worst, c.summary.worst, lpips);
    worst["psnr_index"] = c.summary.worst_psnr;
    worst["ssim_index"] = c.summary.worst_ssim;
    Json out{
        {"a", described(c.a, c.length_a)}, {"b", described(c.b, c.length_b)}, {"width", c.width}, {"height", c.height}};
    out["offset"] = c.pairs.offset;
    out["match"] = c.pairs.match == FrameMatch::time ? "time" : "index";
    out["frames"] = std::move(frames);
    out["mean"] = std::move(mean);
    out["worst"] = std::move(worst);
    if (lpips) out["lpips"] = c.lpips;
    out["verdict"] = described(c.verdict);
    out["histograms"] = described(c.histograms);
    out["settings"] = to_json(c.settings);
    if (!c.steps.steps.empty()) out["steps"] = described(c.steps);
    out["notes"] = c.notes;
    return out;
}

std::string to_csv(const Comparison& c) {
    const bool lpips = !c.lpips.empty();
    std::string out = "index,a,b,mse,psnr,ssim,mean_difference,max_difference,p95_difference,p99_difference";
    out += lpips ? ",lpips\n" : "\n";
    for (std::size_t i = 0; i < c.frames.size(); ++i) {
        const auto& [index, m] = c.frames[i];
        out +=
            fmt::format("{},{},{},{:.9g},{},{},{:.9g},{:.9g},{:.9g},{:.9g}", i, index.a, index.b, m.mse, cell(m.psnr),
                        cell(m.ssim), m.difference.mean, m.difference.max, m.difference.p95, m.difference.p99);
        if (lpips) out += fmt::format(",{}", cell(m.lpips));
        out += '\n';
    }
    return out;
}

} // namespace denoir
