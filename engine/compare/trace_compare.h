// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <stop_token>
#include <string>

#include "engine/core/progress.h"
#include "engine/metrics/trace_comparison.h"
#include "engine/weights/container.h"

namespace denoir {

/// Two trace files, opened: written by `trace`, by tests/reference/trace_hooks.py, or any safetensors, .pth or GGUF
/// files with tensors of the same names. B is the one that errors are measured against.
class TraceFiles {
public:
    /// Reads the tables of contents. Throws Error naming the file, or both where they have no name in common.
    TraceFiles(const std::filesystem::path& a, const std::filesystem::path& b);

    /// Every tensor that both have, one after the other; memory does not grow with the files. `progress` is told bytes.
    /// Throws Error, Cancelled.
    metrics::TraceComparison compare(const ProgressCall& progress, std::stop_token) const;
    /// Histograms of a tensor that both have in comparable shapes.
    metrics::PairHistograms histograms(const std::string& key, int bins = 64) const;

private:
    Container a_, b_;
    std::string name_a_, name_b_;
};

/// True for a file whose metadata says that it is a trace, or whose tensors are named like one's. Reads the table of
/// contents; false for whatever cannot be read.
bool is_trace(const std::filesystem::path& file);

} // namespace denoir
