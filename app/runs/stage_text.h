// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QModelIndex>
#include <QString>

#include "engine/pipeline/observer.h"

namespace denoir::app {

/// What a stage does, for people: "loading the transformer".
QString stage_text(Stage stage);
/// "8.2 s left", of denoising alone "8.2 s left, then decoding"; empty where it is not known (negative), or less than
/// can be told.
QString time_left(double seconds, bool of_denoising = false);
/// Of an entry of the queue.
QString time_left(const QModelIndex& entry);

} // namespace denoir::app
