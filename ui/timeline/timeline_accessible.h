// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace denoir::ui {

/// Presents timelines to assistive technology as a value: the playhead within the cut. May be called more than once.
void install_timeline_accessibility();

} // namespace denoir::ui
