// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLabel>

namespace denoir::ui {

/// Words in as many lines as they need, with one of the style sheet's looks. They may name files, or what was typed:
/// nothing in them is markup.
inline QLabel* make_note(QWidget* parent, const char* look) {
    auto* note = new QLabel(parent);
    note->setProperty(look, true);
    note->setWordWrap(true);
    note->setTextFormat(Qt::PlainText);
    return note;
}

} // namespace denoir::ui
