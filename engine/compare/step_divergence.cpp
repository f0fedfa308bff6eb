// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/step_divergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "engine/compare/trace_map.h"
#include "engine/core/error.h"
#include "engine/pipeline/noise_levels.h"

namespace denoir {
namespace {

using metrics::TensorDifference;

/// Noise level before the first and after each step; empty if the stored request cannot have made this run.
std::vector<double> levels(const RunRecord& r) {
    try {
        std::vector<double> all = noise_levels(r.request);
        return all.size() == std::size_t(r.total_steps) + 1 ? all : std::vector<double>();
    } catch (const std::exception&) {
        return {};
    }
}

/// The step of B in the same window of the clip for each step of A, up to the last window that both have.
std::vector<int> partners(const RunFolder& a, const RunFolder& b, std::vector<std::string>& notes) {
    const int steps_a = a.record().total_steps, steps_b = b.record().total_steps;
    const std::set<int> ends_a = a.final_steps(), ends_b = b.final_steps(); // the last step of each window
    std::vector<int> all(std::size_t(steps_a) + 1);
    std::iota(all.begin(), all.end(), 0);
    if (ends_a == ends_b) return all;
    const std::vector<double> of_a = levels(a.record()), of_b = levels(b.record());
    if (of_a.empty() || of_b.empty()) {
        notes.push_back(
            fmt::format("A has {} steps, B {}: latents are compared by the number of the step", steps_a, steps_b));
        return all;
    }
    notes.push_back(fmt::format("A has {} steps, B {}: each step of A is compared with the step of B whose noise "
                                "level is nearest",
                                steps_a, steps_b));
    if (ends_a.size() != ends_b.size())
        notes.push_back(fmt::format("A is made in {} windows, B in {}: latents are compared as far as both have them",
                                    ends_a.size(), ends_b.size()));
    all.clear();
    auto from = of_b.begin();
    for (auto a_end = ends_a.begin(), b_end = ends_b.begin(); a_end != ends_a.end() && b_end != ends_b.end();
         ++a_end, ++b_end) {
        const auto end = of_b.begin() + *b_end + 1;
        while (int(all.size()) <= *a_end) {
            const double level = of_a[all.size()];
            const auto nearer = [&](double x, double y) { return std::abs(x - level) < std::abs(y - level); };
            all.push_back(int(std::min_element(from, end, nearer) - of_b.begin()));
        }
        from = end;
    }
    return all;
}

std::optional<TensorDifference> difference(const RunFolder& a, int step_a, const RunFolder& b, int step_b,
                                           const char* name) {
    if (!a.has_step_tensor(step_a, name) || !b.has_step_tensor(step_b, name)) return std::nullopt;
    const Tensor x = a.step_tensor(step_a, name), y = b.step_tensor(step_b, name);
    if (x.shape() != y.shape())
        throw Error("", "",
                    fmt::format("their sizes differ: A has {}, B {}", to_string(x.shape()), to_string(y.shape())));
    return metrics::difference(x, y);
}

std::optional<double> drawable(double relative) {
    return std::isfinite(relative) ? std::optional(relative) : std::nullopt;
}

} // namespace

StepDivergences step_divergence(const RunFolder& a, const RunFolder& b, const ProgressCall& progress,
                                std::stop_token stop) {
    StepDivergences out;
    const int total = a.record().total_steps;
    const std::vector<int> partner = partners(a, b, out.notes);
    for (int n = 0; n < int(partner.size()); ++n) {
        if (stop.stop_requested()) throw Cancelled();
        StepDivergence s{n, partner[std::size_t(n)], {}, {}};
        try {
            const auto latent = difference(a, s.a, b, s.b, "latent");
            if (latent) {
                s.latent = *latent;
                s.x0 = difference(a, s.a, b, s.b, "x0");
                if (!out.first && (latent->max_abs > 0 || latent->not_finite > 0)) out.first = out.steps.size();
                out.steps.push_back(s);
            }
        } catch (const Error& error) {
            const char* what = out.steps.empty() ? "latents are not compared: " : "latents are not compared further: ";
            out.notes.push_back(printable(std::string(what) + error.what(), 400));
            break;
        }
        if (progress) progress(n + 1, total + 1);
    }
    return out;
}

std::string to_text(const StepDivergences& d) {
    if (d.steps.empty()) return {};
    const StepDivergence& last = d.steps.back();
    if (!d.first) return fmt::format("Latents are equal in all {} steps that both runs keep", d.steps.size());
    const StepDivergence& first = d.steps[*d.first];
    const auto at = [](const StepDivergence& s) {
        return s.a == s.b ? fmt::format("step {}", s.a) : fmt::format("step {} (B: {})", s.a, s.b);
    };
    return fmt::format("Latents {}; relative difference {} after {}{}",
                       *d.first == 0 ? "differ from the first that both keep"
                                     : fmt::format("are equal up to {}", at(d.steps[*d.first - 1])),
                       error_text(first.relative()), at(first),
                       &first == &last ? "" : fmt::format(", {} after {}", error_text(last.relative()), at(last)));
}

report::Chart step_chart(const std::vector<double>& step, const std::vector<std::optional<double>>& latent,
                         const std::vector<std::optional<double>>& x0) {
    report::Chart chart;
    chart.title = "Latent after each step";
    chart.unit = "relative error, logarithmic";
    chart.x_name = "step";
    chart.logarithmic = true;
    chart.height = 220;
    double largest = 0;
    for (const auto* values : {&latent, &x0})
        for (const std::optional<double>& v : *values) largest = std::max(largest, v.value_or(0));
    if (step.size() < 2 || largest == 0) return chart;
    chart.x = step;
    chart.series = {{"latent", 0, latent, true}};
    if (std::ranges::any_of(x0, [](const auto& v) { return v.has_value(); }))
        chart.series.push_back({"estimate of the clean latent", 1, x0, false});
    return chart;
}

report::Chart step_chart(const StepDivergences& d) {
    std::vector<double> step;
    std::vector<std::optional<double>> latent, x0;
    for (const StepDivergence& s : d.steps) {
        step.push_back(s.a);
        latent.push_back(drawable(s.relative()));
        x0.push_back(s.x0 ? drawable(s.x0->relative()) : std::nullopt);
    }
    return step_chart(step, latent, x0);
}

} // namespace denoir
