// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace denoir::app {

/// Whether the desktop has a message bus. If there is none, asking D-Bus for it starts one, and the asking thread waits
/// for that program, sometimes for minutes or for ever.
bool has_session_bus();

/// Prevents Qt's own parts from starting a bus if there is none. Call it before making the QApplication.
void never_start_a_session_bus();

} // namespace denoir::app
