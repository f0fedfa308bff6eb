// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/exports.h"

#include <filesystem>

#include "app/base/text.h"
#include "engine/compare/outputs.h"
#include "engine/compare/sweep_outputs.h"
#include "engine/core/error.h"

namespace denoir::app {
namespace {

/// Reports the decoding of latents, which takes longest.
class Decoding : public Observer {
public:
    explicit Decoding(const WorkCall& tell) : tell_(tell) {}
    void progress(Stage, double done, double total, double) override { tell_("decoding", done, total); }

private:
    const WorkCall& tell_;
};

} // namespace

Exporter::Work export_of(const SweepRecord& record, SweepExport kind, const QString& out) {
    return [record, kind, file = to_path(out)](const WorkCall& tell, const std::stop_token& stop) {
        SweepOutputs outputs;
        std::filesystem::path SweepOutputs::*const members[] = {&SweepOutputs::video, &SweepOutputs::picture,
                                                                &SweepOutputs::report, &SweepOutputs::csv};
        outputs.*members[int(kind)] = file;
        write_outputs(record, outputs, tell, stop);
    };
}

Exporter::Work export_of(const ShownComparison& shown, ComparisonExport kind, const QString& out) {
    return [shown, kind, file = to_path(out)](const WorkCall& tell, const std::stop_token& stop) {
        CompareOutputs outputs;
        std::filesystem::path CompareOutputs::*const members[] = {
            &CompareOutputs::side_by_side, &CompareOutputs::difference, &CompareOutputs::report, &CompareOutputs::csv};
        outputs.*members[int(kind)] = file;
        if (kind == ComparisonExport::difference) {
            outputs.difference_mode = DifferenceMode::with_sign;
            outputs.amplification = shown.gain;
        }
        const std::filesystem::path inputs[] = {to_path(shown.a), to_path(shown.b)};
        check_outputs(outputs, inputs);
        CompareOptions options;
        options.pairs.offset = shown.offset;
        options.pairs.match = shown.match;
        if (kind == ComparisonExport::side_by_side) options.pairs.resize = PairOptions::Resize::to_a;
        Decoding observer(tell);
        Comparer comparer(inputs[0], inputs[1], options, observer, tell, stop);
        check_videos(outputs, comparer.begin());
        Comparison found = comparer.measure();
        write_outputs(comparer, found, outputs);
    };
}

} // namespace denoir::app
