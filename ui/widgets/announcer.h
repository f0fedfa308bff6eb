// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

namespace denoir::ui {

/// Lets a screen reader say what others notice on the screen by themselves, as a notification. Invisible, and takes no
/// focus.
class Announcer : public QWidget {
    Q_OBJECT
public:
    explicit Announcer(QWidget* parent);
    void announce(const QString& text);
};

} // namespace denoir::ui
