// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QRandomGenerator>

namespace denoir::app {

/// A random seed of at most six digits: it is shown in a narrow field and may have to be typed again. Any thread.
inline quint64 short_seed() { return QRandomGenerator::global()->bounded(1'000'000); }

} // namespace denoir::app
