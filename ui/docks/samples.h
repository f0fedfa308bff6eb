// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>

namespace denoir::ui {

/// Prompts for what the bundled model was trained to draw, from resources/prompts.json, or a few that any model
/// understands if that is missing.
QStringList sample_prompts();
/// The prompt that a first start offers: that of samples/first.mp4, or the first of sample_prompts().
QString first_prompt();

} // namespace denoir::ui
