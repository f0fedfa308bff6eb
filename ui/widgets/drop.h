// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDropEvent>
#include <QMimeData>
#include <QStringList>
#include <QUrl>

namespace denoir::ui {

/// Accepts a drag or drop of files as a copy: whoever offers them to be moved must not delete them afterwards.
inline void take_copy(QDropEvent& event) {
    event.setDropAction(Qt::CopyAction);
    event.accept();
}

/// The files and folders of this machine among what is dragged.
inline QStringList dropped_files(const QMimeData& data) {
    QStringList out;
    for (const QUrl& url : data.urls())
        if (url.isLocalFile()) out << url.toLocalFile();
    return out;
}

} // namespace denoir::ui
