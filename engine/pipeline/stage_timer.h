// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>

#include "engine/pipeline/observer.h"

namespace denoir {

/// Tells an Observer when the enclosing block begins and ends.
class StageTimer {
public:
    StageTimer(Observer& observer, Stage stage)
        : observer_(observer), stage_(stage), start_(std::chrono::steady_clock::now()) {
        observer_.stage_begins(stage_);
    }
    ~StageTimer() { observer_.stage_ends(stage_, seconds()); }
    StageTimer(const StageTimer&) = delete;
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

private:
    Observer& observer_;
    Stage stage_;
    std::chrono::steady_clock::time_point start_;
};

} // namespace denoir
