// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <stop_token>
#include <string>

#include "engine/core/progress.h"
#include "engine/metrics/trace_comparison.h"
#include "engine/weights/container.h"

namespace denoir {

/// Two opened trace files: written by `trace` or tests/reference/trace_hooks.py, or any two safetensors, .pth or GGUF
/// files with tensors of the same names. Errors are measured against B.
class TraceFiles {
public:
    /// Reads the tables of contents. Throws Error if a file cannot be read, or if the two have no tensor name in
    /// common.
    TraceFiles(const std::filesystem::path& a, const std::filesystem::path& b);

    /// Compares every tensor that both have, one after the other; memory does not grow with the files. `progress` is
    /// told bytes. Throws Error, Cancelled.
    metrics::TraceComparison compare(const ProgressCall& progress, std::stop_token) const;
    /// Histograms of a tensor. Throws Error unless both have it, in comparable shapes.
    metrics::PairHistograms histograms(const std::string& key) const;

private:
    Container a_, b_;
    std::string name_a_, name_b_;
};

/// Whether a file's metadata says that it is a trace, or its tensors are named like those of one. Reads the table of
/// contents; false for a file that cannot be read.
bool is_trace(const std::filesystem::path& file);

} // namespace denoir
