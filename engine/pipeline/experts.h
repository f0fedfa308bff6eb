// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to the pipeline.
#include <memory>
#include <optional>
#include <span>

#include "engine/pipeline/denoiser.h"
#include "engine/pipeline/variant.h"

namespace denoir {

struct ModelFolder;

/// The transformers of a run: loads the one that a step needs. Wan 2.2 A14B has two experts, other models have one.
class Experts {
public:
    Experts(const Request& r, const ModelFolder& model, const Conditioning& c, Residency& residency,
            std::shared_ptr<Backend> backend, Observer& observer);
    ~Experts();
    Experts(const Experts&) = delete;
    Experts& operator=(const Experts&) = delete;

    /// Loads the expert of this timestep (0 … 1000) unless it is loaded. Throws Error if it does not fit into memory
    /// even on the lowest rung of the memory ladder (next_rung).
    void ready(float timestep);
    /// Denoiser::velocity of the expert of this timestep. Throws Error naming the weights' file if the result is not
    /// finite.
    Tensor velocity(float timestep, const Tensor& latent, std::span<const float> timesteps, bool guided, int step,
                    WindowCache* cache);

private:
    /// To be called while `e` is being handled: unloads everything for a retry on the next rung of the memory ladder;
    /// rethrows if there is none.
    void step_down(const Error& e);
    void load(bool low, float timestep);
    /// The expert's weights, from the residency if it has them. Other kept weights are released unless there is ample
    /// memory for both.
    std::shared_ptr<const Weights> take(bool low);

    const Request& request_;
    const ModelFolder& model_;
    const Conditioning& conditioning_;
    Residency& residency_;
    std::shared_ptr<Backend> backend_;
    Observer& observer_;
    Variant variant_;
    double boundary_;
    std::shared_ptr<const Weights> weights_; ///< of current_
    std::optional<Denoiser> current_;
    bool low_ = false;
    bool stays_ = false; ///< the weights may stay loaded for the next run
    int rung_ = 0;
};

} // namespace denoir
