// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

namespace denoir::ui {

// What a screen reader says of a widget. Qt tells it every setting as a change, also to the same words; of what is set
// with every frame there would be dozens a second, and whatever else is to be said waits behind them.

inline void set_spoken_name(QWidget& widget, const QString& name) {
    if (name != widget.accessibleName()) widget.setAccessibleName(name);
}

inline void set_spoken_description(QWidget& widget, const QString& text) {
    if (text != widget.accessibleDescription()) widget.setAccessibleDescription(text);
}

} // namespace denoir::ui
