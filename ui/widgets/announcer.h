// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

namespace denoir::ui {

/// Says through a screen reader what others see without looking for it: as a notification that appears. Nothing of it
/// is seen, and it takes no focus.
class Announcer : public QWidget {
    Q_OBJECT
public:
    explicit Announcer(QWidget* parent);
    void announce(const QString& text);
};

} // namespace denoir::ui
