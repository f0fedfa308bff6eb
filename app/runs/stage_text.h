// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include "engine/pipeline/observer.h"

namespace denoir::app {

/// What a stage does, for people: "loading the transformer".
QString stage_text(Stage stage);

} // namespace denoir::app
