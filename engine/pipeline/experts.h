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

/// Which expert a step belongs to, and the one that is loaded.
class Experts {
public:
    Experts(const Request& r, const ModelFolder& model, const Conditioning& c, Residency& residency,
            std::shared_ptr<Backend> backend, Observer& observer);
    ~Experts();
    Experts(const Experts&) = delete;
    Experts& operator=(const Experts&) = delete;

    /// Loads the expert of this timestep (0 … 1000) unless it is there. Throws Error where it does not fit into memory
    /// on any rung of the ladder.
    void ready(float timestep);
    /// As Denoiser::velocity, by the expert of this timestep. Throws Error naming the file whose weights give numbers
    /// that are not finite.
    Tensor velocity(float timestep, const Tensor& latent, std::span<const float> timesteps, bool guided, int step,
                    WindowCache* cache);

private:
    /// In a handler of `e`: to the next rung of the memory ladder. Throws on where there is none.
    void step_down(const Error& e);
    void load(bool low, float timestep);
    /// As loaded or as the run before left them; alone, unless there is plenty of room for what else was kept.
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
    bool stays_ = false; ///< nothing of the plan keeps the weights from serving the next run
    int rung_ = 0;
};

} // namespace denoir
