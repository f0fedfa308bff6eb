// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

namespace denoir::ui {

/// A text such as a prompt or a file name for a button or a menu entry, in which an ampersand would mark the next
/// letter as a key.
inline QString literal(QString text) { return text.replace(QLatin1Char('&'), QLatin1String("&&")); }

/// The text of a menu entry or button without the ampersand that marks a key.
inline QString plain_text(const QString& text) {
    QString plain;
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (text[i] == QLatin1Char('&') && ++i == text.size()) break;
        plain += text[i];
    }
    return plain;
}

} // namespace denoir::ui
