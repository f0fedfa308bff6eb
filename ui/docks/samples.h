// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>

namespace denoir::ui {

/// What the bundled model was trained to draw, ready to be tried: resources/prompts.json, else a
/// few that any model understands.
QStringList sample_prompts();
/// What a first start offers: the prompt that samples/first.mp4 was made of, else the first of them.
QString first_prompt();

} // namespace denoir::ui
