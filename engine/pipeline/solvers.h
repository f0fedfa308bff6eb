// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to the pipeline.
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/pipeline/windows.h"
#include "engine/sampling/scheduler.h"

namespace denoir {

/// The solvers of a run: one, or one per latent frame (diffusion forcing), with their state as named tensors.
class Solvers {
public:
    Solvers(const Request& r, int count);
    Scheduler& operator[](int i) { return *all_[i]; }

    std::map<std::string, Tensor> state() const;
    /// `latent`: shape of the stepped latent; `taken`: number of steps that each solver has taken. Throws Error if a
    /// solver's history is missing or does not fit these.
    void restore(const std::map<std::string, Tensor>& tensors, const Shape& latent, const std::vector<int>& taken);

private:
    std::vector<std::unique_ptr<Scheduler>> all_;
};

/// Number of steps that each solver has taken before row `step` of a window of `frames` latent frames.
std::vector<int> steps_taken(const Request& r, const Window& w, std::int64_t frames, int step);

/// Diffusion forcing: one step of every latent frame that `update` [T] flags, each by its own solver, on its slice
/// [C,h,w] of `velocity`, `latent` and `x0`, all [C,T,h,w] f32 host.
void step_frames(Solvers& solvers, const Tensor& velocity, Tensor& latent, Tensor& x0,
                 std::span<const std::uint8_t> update);

} // namespace denoir
