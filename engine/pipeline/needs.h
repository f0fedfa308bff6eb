// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/backend/backend.h"
#include "engine/core/error.h"
#include "engine/pipeline/observer.h"
#include "engine/pipeline/request.h"
#include "engine/pipeline/variant.h"
#include "engine/weights/weights.h"

namespace denoir {

struct Estimate;
class ModelHeaders;

/// Keys and values of both prompts, in every block: the same for a clip of any size.
std::size_t context_bytes(const Request&, const Variant&);

/// Tensors as a plan counts them: a tenth more, for blocks that do not fit exactly.
constexpr std::size_t planned(std::size_t bytes) { return bytes / 10 * 11; }

/// What a stage asks of a device's memory: matrices as kernels of `compute` hold them, and what lives beside them.
MemoryNeeds transformer_needs(const Weights&, const Request&, const Variant&);
/// UMT5 on a prompt of `rows` tokens; its vocabulary stays on the host.
MemoryNeeds text_needs(const Weights&, DType compute, std::int64_t rows);

/// Bytes of a transformer's weights once `device` has multiplied `tokens` rows by each in `compute`.
std::size_t held_weights(const Weights&, const Device&, DType compute, std::int64_t tokens);

/// All of Pipeline::estimate but `flop` and the steps: from headers alone.
Estimate memory_estimate(const Request& resolved, const ModelHeaders&);

/// What the transformer's forwards in each step of the run take; with TeaCache those that are computed, for which the
/// weights of the time features are read.
std::vector<double> step_flop(const Request& resolved, const ModelHeaders&);

/// After a stage ran out of memory although its estimate fitted: true where it may start again, its weights loaded and
/// planned anew with needs_on(rung). Counts `rung` up and tells the observer.
bool next_rung(const Error&, const Backend&, int& rung, Observer&);
/// With room for half as many activations more for each rung.
MemoryNeeds needs_on(int rung, MemoryNeeds);

} // namespace denoir
