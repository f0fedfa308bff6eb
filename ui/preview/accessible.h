// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace denoir::ui {

/// Lets screen readers take the canvas for a picture and the metrics for a chart. May be called more than once.
void install_preview_roles();

} // namespace denoir::ui
