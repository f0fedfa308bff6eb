// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

namespace denoir::ui {

// Set what a screen reader says of a widget, only if it differs. Qt reports every call as a change, even to the same
// text: of widgets updated with every frame the reader would get dozens a second, and could say nothing else.

inline void set_spoken_name(QWidget& widget, const QString& name) {
    if (name != widget.accessibleName()) widget.setAccessibleName(name);
}

inline void set_spoken_description(QWidget& widget, const QString& text) {
    if (text != widget.accessibleDescription()) widget.setAccessibleDescription(text);
}

} // namespace denoir::ui
