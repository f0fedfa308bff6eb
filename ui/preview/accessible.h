// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace denoir::ui {

/// Makes the canvas a picture and the metrics a chart for who reads the window aloud. Any number of times.
void install_preview_roles();

} // namespace denoir::ui
