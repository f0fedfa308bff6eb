// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/step_cache.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "engine/core/error.h"
#include "engine/models/wan/transformer.h"
#include "engine/pipeline/model_headers.h"
#include "engine/pipeline/windows.h"
#include "engine/weights/model_folder.h"

namespace denoir {
namespace {

/// Coefficients up to degree 5, highest first; all zero: not known.
using Polynomial = std::array<double, 6>;
struct Fit {
    Polynomial plain{}, ret_steps{};
};

// spec/pipelines.md 8. SkyReels uses Wan 2.1's, and for 540P those of 480P.
constexpr Fit t2v_1_3b{{0, 2.39676752e3, -1.31110545e3, 2.01331979e2, -8.29855975, 1.37887774e-1},
                       {0, -5.21862437e4, 9.23041404e3, -5.28275948e2, 1.36987616e1, -4.99875664e-2}};
constexpr Fit t2v_14b{{0, -5784.54975374, 5449.50911966, -1811.16591783, 256.27178429, -13.02252404},
                      {0, -3.03318725e5, 4.90537029e4, -2.65530556e3, 5.87365115e1, -3.15583525e-1}};
constexpr Fit i2v_480p{{0, -3.02331670e2, 2.23948934e2, -5.25463970e1, 5.87348440, -2.01973289e-1},
                       {0, 2.57151496e5, -3.54229917e4, 1.40286849e3, -1.35890334e1, 1.32517977e-1}};
constexpr Fit i2v_720p{{0, -114.36346466, 65.26524496, -18.82220707, 4.91518089, -0.23412683},
                       {0, 8.10705460e3, 2.13393892e3, -3.72934672e2, 1.66203073e1, -4.17769401e-2}};
/// A third party's fit, only for the plain rule.
constexpr Fit ti2v_5b{{1.57472669e5, -1.15702395e5, 3.10761669e4, -3.83116651e3, 2.21608777e2, -4.81179567}, {}};

/// The fits that a model may use by its architecture and names; if there are two, the video's size chooses.
std::vector<Fit> fits_of(const Variant& v, const ModelFolder& model) {
    if (v.clean_image()) return {ti2v_5b};
    if (!model.transformer_low.empty()) return {};
    if (v.condition == 0) return {v.dim >= large_width ? t2v_14b : t2v_1_3b};
    if (says_size(model, "720p")) return {i2v_720p};
    if (says_size(model, "480p") || says_size(model, "540p")) return {i2v_480p};
    return {i2v_480p, i2v_720p};
}

/// Whether the coefficients were published for another rule or another model than those of the request: a stored
/// request was used again with another `ret_steps` or model.
bool is_published_for_another(const StepCaching& cache, std::span<const Fit> own) {
    static constexpr std::array all{t2v_1_3b, t2v_14b, i2v_480p, i2v_720p, ti2v_5b};
    const auto is = [&](const Polynomial& p) { return p.back() != 0 && std::ranges::equal(cache.coefficients, p); };
    return std::ranges::any_of(all, [&](const Fit& fit) { return is(fit.plain) || is(fit.ret_steps); }) &&
           std::ranges::none_of(own, [&](const Fit& fit) { return is(cache.ret_steps ? fit.ret_steps : fit.plain); });
}

/// Tells how far apart the signals of two steps are.
class Distances {
public:
    Distances(std::span<const std::vector<float>> times, const StepCache::Signal& signal) {
        std::map<float, int> known;
        std::vector<float> distinct;
        for (const auto& step : times)
            for (const float t : step)
                if (known.emplace(t, int(distinct.size())).second) distinct.push_back(t);
        for (const auto& step : times) {
            rows_.emplace_back();
            for (const float t : step) rows_.back().push_back(known.at(t));
        }
        values_ = signal(distinct);
        assert(values_.size(0) == std::ssize(distinct));
    }
    /// mean|a - b| / mean|b| of steps a and b. Every latent frame counts alike, since all have equally many tokens.
    double operator()(int a, int b) {
        double difference = 0, size = 0;
        const std::vector<int>&x = rows_[std::size_t(a)], &y = rows_[std::size_t(b)];
        for (std::size_t f = 0; f < y.size(); ++f) difference += sum(x[f], y[f]), size += sum(-1, y[f]);
        return difference / size;
    }

private:
    /// Σ|a - b| of two rows of the signal; with a = -1, Σ|b|.
    double sum(int a, int b) {
        const auto [it, is_new] = sums_.try_emplace({a, b}, 0.0);
        const std::int64_t width = values_.size(1);
        const float* x = a < 0 ? nullptr : values_.data<float>() + a * width;
        const float* y = values_.data<float>() + b * width;
        for (std::int64_t i = 0; is_new && i < width; ++i) it->second += std::abs((x ? double(x[i]) : 0.0) - y[i]);
        return it->second;
    }
    std::vector<std::vector<int>> rows_; ///< the row of values_ for each frame of each step
    Tensor values_;
    std::map<std::pair<int, int>, double> sums_;
};

} // namespace

std::vector<double> cache_coefficients(const Request& r, const Variant& v, const ModelFolder& model) {
    const std::vector<Fit> own = fits_of(v, model);
    // For Wan 2.2's two experts none are published (`own` is empty): any that are given are meant.
    const bool taken = !r.cache->coefficients.empty() && (own.empty() || !is_published_for_another(*r.cache, own));
    if (taken) return r.cache->coefficients;
    const bool larger = own.size() > 1 && *r.width * *r.height > 960 * 544;
    const Fit fit = own.empty() ? Fit{} : own[larger];
    const Polynomial& p = r.cache->ret_steps ? fit.ret_steps : fit.plain;
    if (p.back() != 0) return {p.begin(), p.end()};
    const char* of = v.clean_image() ? "Wan 2.2 TI2V with ret_steps" : "Wan 2.2 A14B";
    throw UsageError({}, "cache", std::string("no coefficients are published for ") + of,
                     v.clean_image() ? "leave ret_steps out, or give cache.coefficients, highest degree first"
                                     : "leave it out, or give cache.coefficients, highest degree first");
}

std::string cache_warning(const Request& r, const ModelFolder& model) {
    if (!r.cache || model.transformer_low.empty() || !is_published_for_another(*r.cache, {})) return {};
    return "cache: its coefficients were published for another model; for Wan 2.2 A14B there are none";
}

StepCache::StepCache(const Request& r, std::vector<double> coefficients, const Window& w, int first,
                     std::span<const std::vector<float>> times, bool guided, const Signal& signal)
    : first_(first),
      steps_(int(times.size())),
      // Every reference computes both branches, except SkyReels' forcing loop without guidance (1.3).
      counted_(*r.mode == Mode::forcing && !guided ? 1 : 2) {
    const bool halved = *r.family == Family::skyreels || *r.family == Family::skyreels_df;
    Distances distances(times, signal);
    plan_ =
        cache_plan(CacheRules::of(r.cache->threshold, std::move(coefficients), r.cache->ret_steps, steps_, halved),
                   counted_ * steps_, [&](int i, int before) { return distances(i / counted_, before / counted_); });
    second_.resize(times.size());
    if (!guided) return;
    const std::vector<bool> within = steps_within_guidance(r, w);
    for (int step = first_; step < first_ + steps_; ++step)
        if (within[std::size_t(step)])
            for (const int needed : {step, at(step, 1).source}) second_[std::size_t(needed - first_)] = true;
}

CachedForward StepCache::at(int step, int branch) const {
    const CachedForward f = plan_.at(std::size_t((step - first_) * counted_ + branch));
    return {first_ + f.source / counted_, f.stream};
}

int StepCache::computed(int step) const {
    int count = 0;
    for (int branch = 0; branch < (makes_second(step) ? 2 : 1); ++branch) count += at(step, branch).source == step;
    return count;
}

std::vector<int> forwards_computed(const Request& r, const ModelHeaders& headers, const Window& w) {
    const ModelFolder& model = headers.model();
    const std::shared_ptr<Backend> backend = open_backend(Device{}, 1);
    const std::vector<double> coefficients = cache_coefficients(r, headers.variant(), model);
    const int clean = *r.mode != Mode::forcing && headers.variant().clean_image() && !r.image.empty() ? 1 : 0;
    const auto times = step_times(r, w, clean);
    std::vector<int> out;
    for (const bool low : {false, true}) {
        const auto [first, end] = expert_steps(r, model, w, low);
        if (first == end) continue;
        const wan::Transformer transformer(headers.transformer(low ? Expert::low : Expert::high), backend, {});
        std::optional<int> fps;
        if (transformer.config().fps_rows > 0) fps = fps_row(r);
        const StepCache cache(
            r, coefficients, w, first, std::span(times).subspan(first, end - first), guided(r, guidance_of(r, low)),
            [&](std::span<const float> t) { return transformer.time_signal(t, fps, r.cache->ret_steps); });
        for (int step = first; step < end; ++step) out.push_back(cache.computed(step));
    }
    return out;
}

} // namespace denoir
