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

Exporter::Work export_of(const QString& a, const QString& b, int offset, FrameMatch match, ComparisonExport kind,
                         const QString& out) {
    return [first = to_path(a), second = to_path(b), offset, match, kind,
            file = to_path(out)](const WorkCall& tell, const std::stop_token& stop) {
        CompareOutputs outputs;
        std::filesystem::path CompareOutputs::*const members[] = {
            &CompareOutputs::side_by_side, &CompareOutputs::difference, &CompareOutputs::report, &CompareOutputs::csv};
        outputs.*members[int(kind)] = file;
        const std::filesystem::path inputs[] = {first, second};
        check_outputs(outputs, inputs);
        CompareOptions options;
        options.pairs.offset = offset;
        options.pairs.match = match;
        Decoding observer(tell);
        Comparer comparer(first, second, options, observer, tell, stop);
        check_videos(outputs, comparer.begin());
        Comparison found = comparer.measure();
        write_outputs(comparer, found, outputs);
    };
}

} // namespace denoir::app
