// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QModelIndex>
#include <QString>

#include "engine/pipeline/observer.h"

namespace denoir::app {

/// What a stage does, in the studio's language: "loading the transformer".
QString stage_text(Stage stage);
/// "8.2 s left", or "8.2 s left, then decoding" if only denoising is counted. Empty if it is not known (negative) or
/// rounds to zero.
QString time_left(double seconds, bool of_denoising = false);
/// The same for an entry of the queue.
QString time_left(const QModelIndex& entry);

} // namespace denoir::app
