// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStyle>
#include <QVariant>
#include <QWidget>

namespace denoir::ui {

/// Sets or clears one of the properties that the style sheet looks at ("quiet", "warning", "error", "invalid" …), with
/// effect at once: Qt itself evaluates properties only when it polishes a widget.
inline void set_look(QWidget& widget, const char* look, bool on) {
    if (widget.property(look).toBool() == on) return;
    widget.setProperty(look, on);
    widget.style()->unpolish(&widget);
    widget.style()->polish(&widget);
}

} // namespace denoir::ui
