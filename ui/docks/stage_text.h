// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

namespace denoir::ui {

/// What a stage does, for people: of a key of run.json ("load_text") or its name ("denoise").
QString stage_text(const QString& stage);

} // namespace denoir::ui
