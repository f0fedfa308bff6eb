// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/run_words.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QLocale>

#include "app/base/engine_text.h"

namespace denoir::app::run_words {

QString title(const QString& name, const QString& prompt) {
    const QString told = name.isEmpty() ? prompt.simplified() : name;
    return told.isEmpty() ? QCoreApplication::translate("Runs", "(no prompt)") : told;
}

QString steps(int steps) { return QCoreApplication::translate("Runs", "%n step(s)", nullptr, steps); }

QString guidance(double guidance) {
    return QCoreApplication::translate("Runs", "CFG %1").arg(QLocale().toString(guidance, 'g', 6));
}

QString seed(quint64 seed) { return QCoreApplication::translate("Runs", "seed %1").arg(seed); }

QString frames(int frames) { return QCoreApplication::translate("Runs", "%1 f").arg(frames); }

QString summary(const Request& r) {
    QStringList parts;
    if (r.width && r.height) parts << QStringLiteral("%1×%2").arg(*r.width).arg(*r.height);
    if (r.frames) parts << frames(*r.frames);
    if (r.steps) parts << steps(*r.steps);
    if (r.guidance) parts << guidance(*r.guidance);
    if (r.seed) parts << seed(*r.seed);
    return parts.join(QStringLiteral(" · "));
}

QString standing(RunStanding standing, int steps_done, int steps, const Issue& issue) {
    const auto words = [](const char* text) { return QCoreApplication::translate("Runs", text); };
    const QString message = engine_text(issue.message);
    switch (standing) {
    case RunStanding::waiting:
        return words(QT_TRANSLATE_NOOP("Runs", "not begun"));
    case RunStanding::running:
        return steps_done > 0 && steps_done == steps
                   ? words(QT_TRANSLATE_NOOP("Runs", "running · decoding"))
                   : words(QT_TRANSLATE_NOOP("Runs", "running · step %1/%2")).arg(steps_done).arg(steps);
    case RunStanding::done:
        break;
    case RunStanding::failed:
        return words(QT_TRANSLATE_NOOP("Runs", "failed: %1"))
            .arg(issue.file.isEmpty() ? message : QFileInfo(issue.file).fileName() + QStringLiteral(": ") + message);
    case RunStanding::cancelled:
        return words(QT_TRANSLATE_NOOP("Runs", "stopped %1/%2")).arg(steps_done).arg(steps);
    case RunStanding::interrupted:
        return words(QT_TRANSLATE_NOOP("Runs", "interrupted %1/%2")).arg(steps_done).arg(steps);
    case RunStanding::unreadable:
        return words(QT_TRANSLATE_NOOP("Runs", "unreadable: %1")).arg(message);
    }
    return {};
}

} // namespace denoir::app::run_words
