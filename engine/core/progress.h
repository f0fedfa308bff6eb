// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string_view>

namespace denoir {

/// Reports how far long work has come: `done` of `total` frames, bytes or steps (total 0: unknown). Called on the
/// thread that works.
using ProgressCall = std::function<void(double done, double total)>;
/// The same for work in several parts; `what` names the part for people: "comparing", 12 of 97.
using WorkCall = std::function<void(std::string_view what, double done, double total)>;

} // namespace denoir
