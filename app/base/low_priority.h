// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <sys/resource.h>
#include <unistd.h>

namespace denoir::app {

/// The calling thread, and every thread it starts from now on, steps back behind the window's.
inline void lower_priority(int nice) { ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), nice); }

} // namespace denoir::app
