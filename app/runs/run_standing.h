// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace denoir::app {

/// The state of a run in the list. `interrupted`: it was neither ended nor is a process at work on it. `unreadable`:
/// its record cannot be read.
enum class RunStanding { waiting, running, done, failed, cancelled, interrupted, unreadable };

} // namespace denoir::app
