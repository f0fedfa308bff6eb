// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDropEvent>
#include <QMimeData>
#include <QStringList>
#include <QUrl>

namespace denoir::ui {

/// Accepts a drag or drop of files as a copy, so that a program that offers to move them does not delete them.
inline void take_copy(QDropEvent& event) {
    event.setDropAction(Qt::CopyAction);
    event.accept();
}

/// The local files and folders among what is dragged.
inline QStringList dropped_files(const QMimeData& data) {
    QStringList out;
    for (const QUrl& url : data.urls())
        if (url.isLocalFile()) out << url.toLocalFile();
    return out;
}

} // namespace denoir::ui
