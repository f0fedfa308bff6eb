// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

namespace denoir::ui {

/// Makes a text from elsewhere (a prompt, a file's name) fit for a button or a menu entry, where an ampersand would
/// mark the next letter as a key.
inline QString literal(QString text) { return text.replace(QLatin1Char('&'), QLatin1String("&&")); }

/// The text of a menu entry or button as people read it, without the ampersand that marks a key.
inline QString plain_text(const QString& text) {
    QString plain;
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (text[i] == QLatin1Char('&') && ++i == text.size()) break;
        plain += text[i];
    }
    return plain;
}

} // namespace denoir::ui
