// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace denoir {

/// Predicts how long work will take from how long it took so far, for pieces of different size.
class WorkPace {
public:
    /// A piece of `work`, in any unit, took `seconds`.
    void add(double work, double seconds) { work_ += work, seconds_ += seconds; }
    /// Seconds that `work` more will take; negative if not known yet.
    double seconds_for(double work) const { return work_ > 0 ? seconds_ / work_ * work : -1; }

private:
    double work_ = 0, seconds_ = 0;
};

} // namespace denoir
