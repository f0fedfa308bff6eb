// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

namespace denoir::ui {

/// Keeps single keys for the widget that has the focus: letters never trigger an action inside a text field, and Space,
/// Enter and the arrows go to the focused button, list or slider first. A widget's own keys (QShortcut), and those of
/// actions that belong to a part of the window (ActionTable::keep_to), come before the window's while the focus is
/// there. Installed on the application.
class ShortcutGuard : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace denoir::ui
