// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string_view>

namespace denoir {

/// Reports the progress of long work: `done` of `total` frames, bytes or steps (total 0: unknown). Called on the thread
/// that does the work.
using ProgressCall = std::function<void(double done, double total)>;
/// The same for work in several parts. `what` names the part for the user: "comparing", 12 of 97.
using WorkCall = std::function<void(std::string_view what, double done, double total)>;

} // namespace denoir
