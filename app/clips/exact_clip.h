// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <stop_token>

#include "engine/core/progress.h"

namespace denoir::app {

/// True where a run still has its last latents: its frames can be had without a codec in between.
bool has_exact_clip(const QString& run);

/// The frames of a finished run decoded from its last latents into a lossless video of the cache folder, made once for
/// these latents and this VAE; the folder is bounded, what was used longest ago goes first, but for the four used last.
/// Blocks: for a background thread. `progress` gets frames done and in all. Throws Error, Cancelled.
QString exact_clip(const QString& run, std::stop_token stop, const ProgressCall& progress);

} // namespace denoir::app
