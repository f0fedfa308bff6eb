// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/compare/pairs.h"
#include "engine/compare/step_divergence.h"
#include "engine/core/progress.h"
#include "engine/metrics/alignment.h"
#include "engine/metrics/summary.h"
#include "engine/metrics/verdict.h"
#include "engine/models/lpips/lpips.h"

namespace denoir {

/// How two sources are paired and measured.
struct CompareOptions {
    PairOptions pairs;
    bool align = false;                ///< find pairs.offset instead of using the given one
    int largest_offset = 600;          ///< frames, either way, that `align` looks for
    std::optional<int> step_a, step_b; ///< the step to decode if a side is a run; empty: the last
    SourceDepth depth = SourceDepth::bytes;
    int threads = 0;
    std::vector<std::filesystem::path> lpips; ///< weight files; empty: no LPIPS
};

struct ComparedFrame {
    PairIndex index;
    metrics::FrameMetrics metrics;
};

/// A field in which the two requests differ.
struct SettingDifference {
    std::string key, a, b; ///< values as JSON text
};

/// The result of a comparison, without pictures: small, however long the videos are.
struct Comparison {
    SourceInfo a, b;
    std::int64_t length_a = 0, length_b = 0; ///< frames in each
    int width = 0, height = 0;               ///< size at which the frames were compared
    double fps = 0;    ///< for videos that show the comparison: A's rate; if unknown, B's; if both are unknown, 24
    PairOptions pairs; ///< with the offset that was used
    std::optional<metrics::Alignment> alignment;
    std::string lpips; ///< name of the network, "LPIPS AlexNet"; empty: not measured
    std::vector<ComparedFrame> frames;
    metrics::Summary summary;
    metrics::Verdict verdict;
    metrics::PixelHistograms histograms;
    std::vector<SettingDifference> settings;
    StepDivergences steps;          ///< if both are runs: how far apart their stored latents are
    std::vector<std::string> notes; ///< sentences for people: what did not fit, and what was done about it
};

/// Compares two sources, which are opened once for all passes over them.
class Comparer {
public:
    /// Opens both sources; runs are decoded here. The WorkCall is told frames. Throws Error, UsageError, Cancelled.
    Comparer(const std::filesystem::path& a, const std::filesystem::path& b, const CompareOptions&, Observer&, WorkCall,
             std::stop_token);
    ~Comparer();

    /// What is known before anything is measured: sources, size and rate. Throws Error if the sizes do not match.
    Comparison begin() const;
    /// Aligns if asked, then measures every pair. Throws Error if there is no pair.
    Comparison measure();

    /// Goes over the pairs of `found` again, in order, until `wanted` returns false. Throws Error, Cancelled.
    void show(const Comparison& found, std::string_view what,
              const std::function<bool(std::size_t i, const Image& a, const Image& b)>& wanted);

private:
    void align();
    std::vector<metrics::Signature> as_often_as_b(const std::vector<metrics::Signature>& a);
    void check_lpips(const FramePairs&) const;
    std::vector<metrics::Signature> signatures(FrameSource&);
    void compare_steps(Comparison&) const;
    void note_pairing(Comparison&) const;
    void note_differences(Comparison&) const;

    CompareOptions options_;
    WorkCall progress_;
    std::unique_ptr<FrameSource> a_, b_;
    ThreadPool pool_;
    std::optional<metrics::Alignment> alignment_;
    std::unique_ptr<lpips::Lpips> lpips_;
    std::stop_token stop_;
};

/// The fields in which two requests differ, including those that do not decide the result (threads, device).
std::vector<SettingDifference> setting_differences(const Json& a, const Json& b);

/// All of the result: `frames` with their measures, `mean`, `worst`, `verdict`, `histograms`, `settings`, `notes`, and
/// `steps` if both are runs. Values that are infinite or were not measured are null.
Json to_json(const Comparison&);
/// A list of {key, a, b}.
Json to_json(const std::vector<SettingDifference>&);
/// A line of column names, then a line for each frame.
std::string to_csv(const Comparison&);

} // namespace denoir
