// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDropEvent>

namespace denoir::ui {

/// Accepts a drag or drop of files as a copy: whoever offers them to be moved must not delete them afterwards.
inline void take_copy(QDropEvent& event) {
    event.setDropAction(Qt::CopyAction);
    event.accept();
}

} // namespace denoir::ui
