// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include "app/base/text.h"

namespace denoir::app {

/// The path of a file in a run's or a sweep's folder; names are in engine/pipeline/run_layout.h.
inline QString file_in(const QString& folder, const char* name) { return folder + u'/' + QLatin1String(name); }

/// `path` with links resolved as far as it exists, so that two spellings of one folder become equal.
inline QString real_path(const QString& path) {
    std::error_code code;
    const std::filesystem::path real = std::filesystem::weakly_canonical(to_path(path), code);
    return code ? path : to_qstring(real);
}

} // namespace denoir::app
