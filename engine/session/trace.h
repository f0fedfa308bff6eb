// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <vector>

#include "engine/pipeline/observer.h"
#include "engine/session/trace_selection.h"

namespace denoir {

/// What a trace records, and where it is written.
struct TraceOptions {
    std::filesystem::path out; ///< safetensors: one tensor for each key of LayerObserver, in the order of execution
    TraceSelection select;
    std::vector<std::filesystem::path> inputs; ///< further files that `out` must not be (the request's own)
    /// If set, the run is carried to its end and decoded: called with each frame, [3, H, W] f32 host in -1 … 1.
    std::function<void(int index, const Tensor& frame)> picture;
};

struct TraceResult {
    std::filesystem::path out;
    Request request; ///< resolved
    std::size_t tensors = 0;
    std::uint64_t bytes = 0; ///< of data
    int steps = 0, total_steps = 0;
    double seconds = 0;
};

/// Runs a request as `render` would, but writes the selected layers instead of a video and a run folder. Steps after
/// the last selected one are not computed. Memory does not grow with the trace. Throws Error, UsageError, Cancelled,
/// leaving no file behind.
TraceResult trace(const Request&, const TraceOptions&, Observer&, std::stop_token);

/// The layers that trace() would write, without computing anything. Throws Error, UsageError, Cancelled.
std::vector<TraceLayer> list_traceable(const Request&, const TraceSelection&, Observer&, const std::stop_token&);

} // namespace denoir
