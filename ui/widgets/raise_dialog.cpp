// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/raise_dialog.h"

#include <QDialog>
#include <QHeaderView>
#include <QTreeView>

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

/// Qt gives size, kind and date a width by which they are cut; names get what they leave. A desktop's own dialog has no
/// such list.
void AskedDialog::showEvent(QShowEvent* event) {
    if (const auto* list = findChild<QTreeView*>(QStringLiteral("treeView"))) {
        QHeaderView& head = *list->header();
        head.setStretchLastSection(false);
        for (int column = 0; column < head.count(); ++column)
            head.setSectionResizeMode(column, column == 0 ? QHeaderView::Stretch : QHeaderView::ResizeToContents);
    }
    QFileDialog::showEvent(event);
}

} // namespace denoir::ui
