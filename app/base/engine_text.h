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

/// What is wrong and what to do, in one language: as the engine said both where the studio has no words for one.
inline QString words(const Issue& issue) {
    const QString message = engine_text(issue.message), hint = engine_text(issue.hint);
    if (hint.isEmpty()) return message;
    const bool both = message != issue.message && hint != issue.hint;
    return both ? QStringLiteral("%1; %2").arg(message, hint) : QStringLiteral("%1; %2").arg(issue.message, issue.hint);
}

} // namespace denoir::app
