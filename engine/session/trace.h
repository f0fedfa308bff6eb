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
    /// Where set, the run goes on to its end and is decoded: frame `index` as [3, H, W] f32 in -1 … 1, host.
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

/// Runs a request as `render` would, writes the layers that are asked for, and no video and no run folder. Steps after
/// the last one asked for are not computed. Memory does not grow with the trace. Throws Error, UsageError, Cancelled;
/// then no file is left behind.
TraceResult trace(const Request&, const TraceOptions&, Observer&, std::stop_token);

/// The layers that a request would give, without computing anything. Throws Error, UsageError, Cancelled.
std::vector<TraceLayer> list_traceable(const Request&, const TraceSelection&, Observer&, const std::stop_token&);

} // namespace denoir
