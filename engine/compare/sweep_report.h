// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "engine/media/image.h"
#include "engine/session/sweep_folder.h"

namespace denoir {

/// A page that stands alone: the grid (empty: none), what varies, every cell with its time and figures, and curves of
/// these over the axes whose values are numbers.
std::string sweep_report(const SweepRecord&, const Image& grid);

} // namespace denoir
