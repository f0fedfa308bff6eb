// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLabel>

namespace denoir::ui {

/// A wrapping label with one of the style sheet's looks. Its text is plain, as it may contain file names or typed text.
inline QLabel* make_note(QWidget* parent, const char* look) {
    auto* note = new QLabel(parent);
    note->setProperty(look, true);
    note->setWordWrap(true);
    note->setTextFormat(Qt::PlainText);
    return note;
}

} // namespace denoir::ui
