// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/experts.h"

#include <fmt/format.h>

#include "engine/core/error.h"
#include "engine/pipeline/needs.h"
#include "engine/pipeline/schedule.h"
#include "engine/pipeline/stage_timer.h"
#include "engine/pipeline/stored.h"
#include "engine/weights/model_folder.h"

namespace denoir {

namespace {

/// What to do about results that are not finite. Besides damaged weights, noise from a file or a LoRA with huge numbers
/// may be the cause.
std::string repair_of(const Request& r) {
    std::vector<std::string> files;
    if (r.noise.kind == NoiseSource::Kind::file) files.push_back(r.noise.file.filename().string());
    for (const Lora& lora : r.loras) files.push_back(lora.file.filename().string());
    const std::string names = fmt::format("{}", fmt::join(files, ", "));
    if (files.empty()) return "its weights are damaged: download them again";
    if (r.loras.empty())
        return fmt::format("render without {}; else its weights are damaged: download them again",
                           printable(names, 100));
    return fmt::format("render without {}, or at less strength; else its weights are damaged: download them again",
                       printable(names, 100));
}

} // namespace

Experts::Experts(const Request& r, const ModelFolder& model, const Conditioning& c, Residency& residency,
                 std::shared_ptr<Backend> backend, Observer& observer)
    : request_(r),
      model_(model),
      conditioning_(c),
      residency_(residency),
      backend_(std::move(backend)),
      observer_(observer),
      variant_(Variant::read(model)),
      boundary_(expert_boundary(r, model)) {}

Experts::~Experts() {
    if (stays_) return;
    current_.reset();
    weights_.reset();
    residency_.release(Component::transformer);
}

void Experts::ready(float timestep) {
    const bool low = !model_.transformer_low.empty() && timestep < boundary_ * 1000;
    while (!current_ || low != low_) load(low, timestep);
}

Tensor Experts::velocity(float timestep, const Tensor& latent, std::span<const float> timesteps, bool guided, int step,
                         WindowCache* cache) {
    for (;;) {
        ready(timestep);
        try {
            if (cache) current_->plan(*cache);
            const Tensor velocity = current_->velocity(latent, timesteps, guided, step, cache);
            // An observer of layers may be looking for the first one that goes wrong.
            if (!observer_.layers())
                check_computed(*weights_, fmt::format("step {}", step), velocity, repair_of(request_));
            return velocity;
        } catch (const Error& e) {
            step_down(e);
        }
    }
}

void Experts::step_down(const Error& e) {
    if (!next_rung(e, *backend_, rung_, observer_)) throw;
    current_.reset();
    weights_.reset();
    residency_.release(Component::transformer); // with all that the backend keeps for it
}

void Experts::load(bool low, float timestep) {
    StageTimer timer(observer_, Stage::load_transformer);
    current_.reset();
    weights_.reset();
    const auto weights = take(low);
    weights_ = weights;
    for (const std::string& warning : weights->warnings()) observer_.warning(warning);
    const MemoryNeeds needs = needs_on(rung_, transformer_needs(*weights, request_, variant_));
    const std::string told = backend_->plan_memory(needs);
    if (!told.empty()) observer_.warning(told);
    stays_ = residency_.lasting() && told.empty();
    try {
        current_.emplace(weights, backend_, request_, conditioning_, guidance_of(request_, low), timestep,
                         observer_.layers(), low ? "transformer_low" : "transformer");
        low_ = low;
    } catch (const Error& e) {
        step_down(e);
    }
}

std::shared_ptr<const Weights> Experts::take(bool low) {
    const Expert expert = model_.transformer_low.empty() ? Expert::none : low ? Expert::low : Expert::high;
    const auto get = [&] {
        return residency_.get(low ? model_.transformer_low : model_.transformer, Component::transformer,
                              weights_use(request_), request_.loras, expert);
    };
    auto weights = get();
    const MemoryNeeds needs = transformer_needs(*weights, request_, variant_);
    const bool prepared = weights->prepared();
    const std::size_t wanted = needs.activations + (prepared ? 0 : needs.weights);
    if (!residency_.lasting() || backend_->free_memory() / 2 <= wanted) {
        const Weights* keep = prepared ? nullptr : weights.get();
        if (prepared) weights.reset();
        residency_.release(Component::transformer, keep);
        residency_.release(Component::vae21); // it has encoded the image, or decoded the run before
        weights = get();
    }
    backend_->trim();
    return weights;
}

} // namespace denoir
