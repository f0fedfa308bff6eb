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

/// Bytes of both prompts' keys and values in all blocks (wan::Context), whatever the size of the clip.
std::size_t context_bytes(const Request&, const Variant&);

/// What to plan for tensors of `bytes`: a tenth more, since an arena's blocks do not fit exactly.
constexpr std::size_t planned(std::size_t bytes) { return bytes / 10 * 11; }

/// What denoising asks of a device's memory: the matrices as the request's kernels hold them, and the activations.
MemoryNeeds transformer_needs(const Weights&, const Request&, const Variant&);
/// The same of UMT5 encoding a prompt of `rows` tokens in `compute`; its token embedding stays on the host.
MemoryNeeds text_needs(const Weights&, DType compute, std::int64_t rows);

/// Bytes that a transformer's weights take on `device` after a forward over `tokens` tokens in `compute`.
std::size_t held_weights(const Weights&, const Device&, DType compute, std::int64_t tokens);

/// Pipeline::estimate without `flop` and the steps; reads headers only.
Estimate memory_estimate(const Request& resolved, const ModelHeaders&);

/// Floating-point operations of each step of the run. With TeaCache only the forwards that are computed count; to know
/// them, the weights of the time embedding are read.
std::vector<double> step_flop(const Request& resolved, const ModelHeaders&);

/// One step down the memory ladder, for a stage that failed with `Error` although its estimate fitted. True if the
/// failure was a lack of memory and there is a lower rung: `rung` is then incremented, the observer warned, and the
/// stage may be retried with its weights loaded and planned anew for needs_on(rung).
bool next_rung(const Error&, const Backend&, int& rung, Observer&);
/// The needs with room for another half of the activations per rung.
MemoryNeeds needs_on(int rung, MemoryNeeds);

} // namespace denoir
