// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QCoreApplication>
#include <QString>

#include "app/base/issue.h"

namespace denoir::app {

/// A sentence of the engine (an error's message or hint, a note, a field) in the studio's language, or unchanged if
/// there is no translation. Only for showing: what is stored keeps the engine's words.
inline QString engine_text(const QString& sentence) {
    return sentence.isEmpty() ? sentence : QCoreApplication::translate("Engine", sentence.toUtf8().constData());
}

/// Whether the studio speaks English, the language of the engine. Then a sentence that the studio words differently may
/// stand beside one that it shows unchanged.
inline bool speaks_as_the_engine() {
    const QString language = QStringLiteral("the engine's language");
    return engine_text(language) == language;
}

/// "message; hint" in one language: if either has no translation, both stay as the engine wrote them.
inline QString words(const Issue& issue) {
    const QString message = engine_text(issue.message), hint = engine_text(issue.hint);
    if (hint.isEmpty()) return message;
    const bool both = speaks_as_the_engine() || (message != issue.message && hint != issue.hint);
    return both ? QStringLiteral("%1; %2").arg(message, hint) : QStringLiteral("%1; %2").arg(issue.message, issue.hint);
}

} // namespace denoir::app
