// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMainWindow>

namespace denoir::ui {

/// The studio's window.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    MainWindow();
};

} // namespace denoir::ui
