// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include "app/base/text.h"

namespace denoir::app {

/// A file of a run's or a sweep's folder by its name (engine/pipeline/run_layout.h).
inline QString file_in(const QString& folder, const char* name) { return folder + u'/' + QLatin1String(name); }

/// Where a path leads through links, as far as it is there: two spellings of one folder are then equal.
inline QString real_path(const QString& path) {
    std::error_code code;
    const std::filesystem::path real = std::filesystem::weakly_canonical(to_path(path), code);
    return code ? path : to_qstring(real);
}

} // namespace denoir::app
