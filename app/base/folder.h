// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

namespace denoir::app {

/// A file of a run's or a sweep's folder by its name (engine/pipeline/run_layout.h).
inline QString file_in(const QString& folder, const char* name) { return folder + u'/' + QLatin1String(name); }

} // namespace denoir::app
