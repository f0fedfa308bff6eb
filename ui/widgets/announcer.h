// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

namespace denoir::ui {

/// Makes a screen reader say something, as a notification, that can otherwise only be seen. Invisible, without focus.
class Announcer : public QWidget {
    Q_OBJECT
public:
    explicit Announcer(QWidget* parent);
    void announce(const QString& text);
};

} // namespace denoir::ui
