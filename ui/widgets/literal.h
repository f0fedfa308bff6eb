// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

namespace denoir::ui {

/// A text from elsewhere (a prompt, a file's name) for a button or a menu entry: its ampersands are themselves, and
/// mark no letter as a key.
inline QString literal(QString text) { return text.replace(QLatin1Char('&'), QLatin1String("&&")); }

/// The text of a menu entry or button as it is read there: without the marks of its key.
inline QString plain_text(const QString& text) {
    QString plain;
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (text[i] == QLatin1Char('&') && ++i == text.size()) break;
        plain += text[i];
    }
    return plain;
}

} // namespace denoir::ui
