// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace denoir::app {

/// How a run of the list stands. `interrupted`: no process is at it, and none ended it; `unreadable`: its record cannot
/// be read.
enum class RunStanding { waiting, running, done, failed, cancelled, interrupted, unreadable };

} // namespace denoir::app
