// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <sys/resource.h>
#include <unistd.h>

namespace denoir::app {

/// Sets the priority of the calling thread and of every thread that it starts from now on: 0 is the window's, 19 the
/// lowest.
inline void lower_priority(int nice) { ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), nice); }

} // namespace denoir::app
