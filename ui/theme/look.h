// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStyle>
#include <QVariant>
#include <QWidget>

namespace denoir::ui {

/// Gives a widget one of the looks that the style sheet has by a property ("quiet", "warning", "error", "invalid" …),
/// or takes it back, at once: Qt asks for properties only where a widget is made ready to be shown.
inline void set_look(QWidget& widget, const char* look, bool on) {
    if (widget.property(look).toBool() == on) return;
    widget.setProperty(look, on);
    widget.style()->unpolish(&widget);
    widget.style()->polish(&widget);
}

} // namespace denoir::ui
