// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <stop_token>

#include "engine/core/progress.h"

namespace denoir::app {

/// Whether a run still has its last latents, so that its frames can be decoded without a codec in between.
bool has_exact_clip(const QString& run);

/// The path of a lossless video with the frames of a finished run, decoded from its last latents. It is made once for
/// these latents and this VAE in the cache folder, whose size is limited: those used longest ago are removed, but never
/// the four used last. Blocks, so call it on a background thread. `progress` gets frames done and in all. Throws Error,
/// Cancelled.
QString exact_clip(const QString& run, std::stop_token stop, const ProgressCall& progress);

} // namespace denoir::app
