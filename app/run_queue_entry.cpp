// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_queue_entry.h"

#include <algorithm>

#include "app/text.h"

namespace denoir::app {
namespace {

/// Where a stage lies in the whole, for want of a measured speed: most of a run is denoising.
constexpr double before_denoise = 0.04, before_decode = 0.85;

} // namespace

double RunQueue::Entry::fraction() const {
    if (state == State::done) return 1;
    if (state != State::running) return -1;
    const double part = progress.total > 0 ? std::clamp(progress.done / progress.total, 0.0, 1.0) : 0;
    double low = before_denoise, high = before_decode;
    const double known = expected.before + expected.denoise + expected.decode;
    if (known > 0) low = expected.before / known, high = (expected.before + expected.denoise) / known;
    const bool denoising = progress.stage == Stage::denoise;
    if (steps > 0 && step >= steps) return progress.stage == Stage::decode ? high + part * (1 - high) : high;
    if (!denoising && step == 0) return low * part;
    // Between windows the clip so far is decoded and encoded again: no step is taken.
    return low + std::max(steps > 0 ? double(step) / steps : 0, denoising ? part : 0) * (high - low);
}

double RunQueue::Entry::seconds_left() const {
    if (state != State::running) return -1;
    const bool denoising = progress.stage == Stage::denoise, decoding = progress.stage == Stage::decode;
    if (denoising && progress.seconds_left >= 0) return progress.seconds_left + std::max(expected.decode, 0.0);
    if (decoding && step >= steps) return progress.seconds_left;
    if (denoising || decoding || expected.denoise <= 0) return -1;
    if (step == 0) return std::max(0.0, expected.before - progress.stage_seconds) + expected.denoise + expected.decode;
    return -1;
}

Json to_json(const Issue& issue) {
    if (issue.isEmpty()) return {};
    return {{"file", issue.file.toStdString()},
            {"field", issue.field.toStdString()},
            {"message", issue.message.toStdString()},
            {"hint", issue.hint.toStdString()}};
}

Issue issue_from_json(const Json& json) {
    if (!json.is_object()) return {};
    const auto text = [&](const char* key) {
        const auto it = json.find(key);
        return it != json.end() && it->is_string() ? to_qstring(it->get_ref<const std::string&>()).left(400)
                                                   : QString();
    };
    return {text("file"), text("field"), text("message"), text("hint")};
}

} // namespace denoir::app
