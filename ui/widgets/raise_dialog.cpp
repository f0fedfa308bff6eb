// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/raise_dialog.h"

#include <QDialog>

namespace denoir::ui {

bool raise_dialog(const QWidget& parent, const QString& title) {
    for (auto* dialog : parent.findChildren<QDialog*>(QString(), Qt::FindDirectChildrenOnly)) {
        if (!dialog->isVisible() || dialog->windowTitle() != title) continue;
        dialog->raise();
        dialog->activateWindow();
        return true;
    }
    return false;
}

bool AskedDialog::again(const QWidget& parent, const QString& title, QFileDialog::AcceptMode mode, const Take& take) {
    for (auto* open : parent.findChildren<QFileDialog*>(QString(), Qt::FindDirectChildrenOnly)) {
        auto* same = dynamic_cast<AskedDialog*>(open);
        if (!same || !same->isVisible() || same->windowTitle() != title || same->acceptMode() != mode) continue;
        same->take = take;
        return raise_dialog(parent, title);
    }
    return false;
}

} // namespace denoir::ui
