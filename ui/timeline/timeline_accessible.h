// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace denoir::ui {

/// Makes timelines known to assistive technology as a value: the playhead within the cut. Safe to call again.
void install_timeline_accessibility();

} // namespace denoir::ui
