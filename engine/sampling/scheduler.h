// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/core/named.h"
#include "engine/core/tensor.h"
#include "engine/sampling/sigmas.h"

namespace denoir {

enum class Sampler { unipc, dpmpp, euler };
/// Their names in requests, in the order in which they are offered.
inline constexpr std::array<Named<Sampler>, 3> samplers{
    {{"unipc", Sampler::unipc}, {"dpmpp", Sampler::dpmpp}, {"euler", Sampler::euler}}};
SigmaList usual_sigmas(Sampler); ///< the list of the original repositories

struct SchedulerOptions {
    /// The reference's diffusion forcing steps a view of the latents in place, so that the result of the first step
    /// overwrites its "last sample". This does the same (spec/schedulers.md 6).
    bool alias_first_sample = false;
    /// Latents are kept in bf16 between steps, with the rounding of the reference's CPU path (spec/schedulers.md 6).
    bool bf16_latents = false;
};

/// What a solver remembers between two steps. It is stored with a run, as flat f32 tensors.
struct SchedulerState {
    int index = 0;
    int last_order = 0;
    int warm = 0;
    std::map<std::string, std::vector<float>> history;
    std::map<std::string, Tensor> to_tensors() const;
    /// Throws Error if a tensor is missing or not of the expected kind.
    static SchedulerState from_tensors(const std::map<std::string, Tensor>&);
};

/// The solver of one run, or of one latent frame in diffusion forcing. Flow matching: x_s = (1-s)·x0 + s·noise,
/// velocity = noise - x0.
class Scheduler {
public:
    static std::unique_ptr<Scheduler> create(Sampler, SigmaSchedule, const SchedulerOptions& = {});
    virtual ~Scheduler() = default;

    int index() const { return state_.index; }
    int steps() const { return schedule_.steps(); }
    const SigmaSchedule& schedule() const { return schedule_; }

    /// Takes one step: `sample` becomes the next sample, and `x0`, unless it is empty, the estimate sample -
    /// sigma·velocity. All have equal lengths. Asserts index() < steps(). Throws Error if a restored history has
    /// another length than `sample`.
    void step(std::span<const float> velocity, std::span<float> sample, std::span<float> x0 = {});

    const SchedulerState& state() const { return state_; }
    /// Throws Error if the state does not belong to a run of this length.
    void restore(const SchedulerState&);

protected:
    Scheduler(SigmaSchedule schedule, const SchedulerOptions& options)
        : schedule_(std::move(schedule)), options_(options) {}
    /// `m` is the converted output (the x0 estimate); replaces `sample`.
    virtual void advance(std::vector<float> m, std::span<const float> velocity, std::span<float> sample) = 0;
    /// The keys that the history has in this state.
    virtual std::vector<std::string> remembered(const SchedulerState&) const { return {}; }
    float sigma(int i) const { return schedule_.sigmas[i]; }
    /// Half the logarithm of the signal-to-noise ratio, in which multistep solvers measure their steps.
    float lambda(int i) const { return std::log(1.0f - sigma(i)) - std::log(sigma(i)); }
    /// The value in the precision in which latents are kept between steps.
    float latent(float v) const { return options_.bf16_latents ? round_to_bf16(v) : v; }

    SigmaSchedule schedule_;
    SchedulerOptions options_;
    SchedulerState state_;
};

// The solvers, each in its own file.
std::unique_ptr<Scheduler> make_unipc(SigmaSchedule, const SchedulerOptions&);
std::unique_ptr<Scheduler> make_dpmpp(SigmaSchedule, const SchedulerOptions&);
std::unique_ptr<Scheduler> make_euler(SigmaSchedule, const SchedulerOptions&);

} // namespace denoir
