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

/// The window's place and the arrangement of its docks in the settings: restored at the start and stored shortly after
/// each change, so that they are kept even if the program is killed. Borrows all.
class Place : public QObject {
    Q_OBJECT
public:
    Place(QMainWindow& window, Layouts& layouts, app::Settings& settings, QObject* parent = nullptr);
    void restore();  ///< puts the window where it was; to be called before it is shown
    void keep();     ///< begins to store every change
    void remember(); ///< stores the present state now

private:
    bool eventFilter(QObject* watched, QEvent* event) override;

    QMainWindow& window_;
    Layouts& layouts_;
    app::Settings& settings_;
    QTimer soon_;
    bool with_window_ = false; ///< whether a dock's next visibilityChanged() comes from the window, not from the user
};

} // namespace denoir::ui
