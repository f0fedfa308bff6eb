// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace denoir {

/// How fast pieces of work go that do not all ask for the same.
class WorkPace {
public:
    /// A piece of so much work, in any unit, took so long.
    void add(double work, double seconds) { work_ += work, seconds_ += seconds; }
    /// Seconds that so much more will take; negative: not known yet.
    double seconds_for(double work) const { return work_ > 0 ? seconds_ / work_ * work : -1; }

private:
    double work_ = 0, seconds_ = 0;
};

} // namespace denoir
