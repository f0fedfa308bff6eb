// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string_view>

namespace denoir {

/// Told how far long work has come: `done` of `total` of what it counts (frames, bytes, steps; total 0: nobody knows).
/// Called on the thread that works.
using ProgressCall = std::function<void(double done, double total)>;
/// The same of work in several parts; `what` is for people: "comparing", 12 of 97.
using WorkCall = std::function<void(std::string_view what, double done, double total)>;

} // namespace denoir
