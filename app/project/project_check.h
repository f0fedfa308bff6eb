// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

namespace denoir::app {

/// Throws Error where Project::open() would read nothing from this file.
void check_project(const QString& file);

} // namespace denoir::app
