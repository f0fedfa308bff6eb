// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/compare/trace_report.h"
#include "engine/core/progress.h"
#include "engine/session/trace.h"

namespace denoir {

/// How one side of a precision comparison computes, as written: words joined by '+' out of f32, bf16 (dtype), wan,
/// skyreels (cast points of bf16), cpu, cuda, cuda:N (device), in any order: "bf16", "bf16+cuda:0". What is not said is
/// the request's. Throws UsageError naming `option`, also of words that exclude each other.
Request with_precision(Request, const std::string& words, std::string_view option);

struct PrecisionOptions {
    std::string a, b; ///< as with_precision takes them
    TraceSelection select;
    /// Folder for the two traces, A.safetensors and B.safetensors; empty: beside `work`, removed.
    std::filesystem::path keep;
    std::filesystem::path work; ///< a folder on a disk with room for both; empty: TMPDIR
    int shown = 3;              ///< frames side by side, the worst first
};

/// Those of a request's fields `dtype`, `precision` and `device` that both sides name, so that the request's own have
/// no effect. Throws UsageError naming --a or --b.
std::vector<std::string_view> fields_of_the_sides(const PrecisionOptions&);

struct PrecisionResult {
    metrics::TraceComparison traces;
    PicturePart pictures;
    Request a, b;       ///< resolved
    std::string report; ///< HTML
};

/// One request, computed twice from the same noise: where the two part layer by layer, and what it means in the
/// picture. `begins` is told "A" and "B" as each run begins. Throws Error, UsageError, Cancelled.
PrecisionResult compare_precision(const Request&, const PrecisionOptions&,
                                  const std::function<void(const std::string&)>& begins, Observer&,
                                  const ProgressCall& comparing, std::stop_token);

} // namespace denoir
