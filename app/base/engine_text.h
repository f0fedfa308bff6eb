// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QCoreApplication>
#include <QString>

#include "app/base/issue.h"

namespace denoir::app {

/// A sentence of the engine (an error's message or hint, a note, a field) in the studio's language; as it is where that
/// has no words for it. For showing only: what is stored stays as the engine said it.
inline QString engine_text(const QString& sentence) {
    return sentence.isEmpty() ? sentence : QCoreApplication::translate("Engine", sentence.toUtf8().constData());
}

/// True where the studio speaks English, too: its words for the engine's sentences stand beside those that it has none
/// for.
inline bool speaks_as_the_engine() {
    const QString language = QStringLiteral("the engine's language");
    return engine_text(language) == language;
}

/// What is wrong and what to do, in one language: as the engine said both where the studio has no words for one.
inline QString words(const Issue& issue) {
    const QString message = engine_text(issue.message), hint = engine_text(issue.hint);
    if (hint.isEmpty()) return message;
    const bool both = speaks_as_the_engine() || (message != issue.message && hint != issue.hint);
    return both ? QStringLiteral("%1; %2").arg(message, hint) : QStringLiteral("%1; %2").arg(issue.message, issue.hint);
}

} // namespace denoir::app
