// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractItemModel>

namespace denoir::ui {

/// Calls `act` after any change of the model's rows or their data, until `context` is destroyed.
template <class Act> void on_row_changes(const QAbstractItemModel& rows, QObject* context, Act act) {
    using Rows = QAbstractItemModel;
    for (const auto change : {&Rows::rowsInserted, &Rows::rowsRemoved})
        QObject::connect(&rows, change, context, [act] { act(); });
    QObject::connect(&rows, &Rows::modelReset, context, [act] { act(); });
    QObject::connect(&rows, &Rows::dataChanged, context, [act] { act(); });
}

} // namespace denoir::ui
