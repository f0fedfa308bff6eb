// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/studio.h"
#include "ui/window/arguments.h"

namespace denoir::ui {

class MainWindow;

/// Shows the window as the arguments say, waits until pictures and defaults are there, and writes it as PNG. Nothing is
/// started or changed. Returns the program's exit code; what is wrong goes to stderr.
int take_screenshot(MainWindow& window, Studio& studio, const Arguments& arguments);

} // namespace denoir::ui
