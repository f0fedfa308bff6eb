// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractItemView>
#include <QFocusEvent>

namespace denoir::ui {

/// Makes a list choose a row when it gets the focus by keyboard. Otherwise nothing would show that it has the focus,
/// and the first press of Down would go to the second row.
inline void choose_row_when_focused(QAbstractItemView& list) {
    struct Chooser : QObject {
        using QObject::QObject;
        bool eventFilter(QObject* watched, QEvent* event) override {
            auto* view = static_cast<QAbstractItemView*>(watched);
            if (event->type() != QEvent::FocusIn || view->selectionModel()->hasSelection() ||
                static_cast<QFocusEvent*>(event)->reason() == Qt::MouseFocusReason)
                return false;
            const QModelIndex current = view->currentIndex();
            view->setCurrentIndex(current.isValid() ? current : view->model()->index(0, 0));
            return false;
        }
    };
    list.installEventFilter(new Chooser(&list));
}

} // namespace denoir::ui
