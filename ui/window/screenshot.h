// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/studio.h"
#include "ui/window/arguments.h"

namespace denoir::ui {

class MainWindow;

/// Shows the window as the arguments say, waits for pictures and defaults, and writes it as PNG. Starts and changes
/// nothing. Returns the program's exit code; prints errors to stderr.
int take_screenshot(MainWindow& window, Studio& studio, const Arguments& arguments);

} // namespace denoir::ui
