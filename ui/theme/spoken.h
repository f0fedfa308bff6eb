// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

namespace denoir::ui {

// Set what a screen reader says of a widget, only if it differs. Qt reports every call as a change, even with the same
// text, so that a reader would get dozens per second from widgets updated with every frame, and could say nothing else.

inline void set_spoken_name(QWidget& widget, const QString& name) {
    if (name != widget.accessibleName()) widget.setAccessibleName(name);
}

inline void set_spoken_description(QWidget& widget, const QString& text) {
    if (text != widget.accessibleDescription()) widget.setAccessibleDescription(text);
}

} // namespace denoir::ui
