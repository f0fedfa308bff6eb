// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QTimer>

class QMainWindow;

namespace denoir::app {
class Settings;
}

namespace denoir::ui {

class Layouts;

/// Where the window stands and how its docks are arranged, in the settings: put back at the start, and stored a moment
/// after each change, so that a session that is killed keeps them, too. Borrows all.
class Place : public QObject {
    Q_OBJECT
public:
    Place(QMainWindow& window, Layouts& layouts, app::Settings& settings, QObject* parent = nullptr);
    void restore();  ///< puts the window back where it was; before it is shown
    void keep();     ///< begins to store every change
    void remember(); ///< stores now

private:
    bool eventFilter(QObject* watched, QEvent* event) override;

    QMainWindow& window_;
    Layouts& layouts_;
    app::Settings& settings_;
    QTimer soon_;
    bool with_window_ = false; ///< the dock's next visibilityChanged() is due to the window, not to the user
};

} // namespace denoir::ui
