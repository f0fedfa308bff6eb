// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace denoir::ui {

/// Makes screen readers present the canvas as a picture and the metrics as a chart. May be called more than once.
void install_preview_roles();

} // namespace denoir::ui
