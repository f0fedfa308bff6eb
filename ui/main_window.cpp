// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window.h"

namespace denoir::ui {

MainWindow::MainWindow() {
    setWindowTitle(QStringLiteral("Denoir"));
    resize(1280, 800);
}

} // namespace denoir::ui
