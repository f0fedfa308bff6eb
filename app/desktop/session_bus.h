// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace denoir::app {

/// Whether the desktop has a message bus to talk to. Asking D-Bus for one where there is none makes it start one, and
/// the asking thread waits for that program: seen to take minutes, and sometimes for ever.
bool has_session_bus();

/// Before the QApplication: where there is no bus, Qt's own parts shall not start one either.
void never_start_a_session_bus();

} // namespace denoir::app
