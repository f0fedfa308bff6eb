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

} // namespace denoir::ui
