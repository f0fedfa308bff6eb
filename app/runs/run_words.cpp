// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/run_words.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QLocale>

#include "app/base/engine_text.h"

namespace denoir::app::run_words {

QString steps(int steps) { return QCoreApplication::translate("Runs", "%n step(s)", nullptr, steps); }

QString guidance(double guidance) {
    return QCoreApplication::translate("Runs", "CFG %1").arg(QLocale().toString(guidance, 'g', 6));
}

QString seed(quint64 seed) { return QCoreApplication::translate("Runs", "seed %1").arg(seed); }

QString frames(int frames) { return QCoreApplication::translate("Runs", "%1 f").arg(frames); }

QString state(const QString& name, int steps_done, int steps, const Issue& issue) {
    if (name == QLatin1String("running") && steps_done > 0 && steps_done == steps)
        return QCoreApplication::translate("Runs", "running · decoding");
    if (name == QLatin1String("running"))
        return QCoreApplication::translate("Runs", "running · step %1/%2").arg(steps_done).arg(steps);
    if (name == QLatin1String("interrupted"))
        return QCoreApplication::translate("Runs", "interrupted %1/%2").arg(steps_done).arg(steps);
    if (name == QLatin1String("cancelled"))
        return QCoreApplication::translate("Runs", "stopped %1/%2").arg(steps_done).arg(steps);
    const QString message = engine_text(issue.message);
    if (name == QLatin1String("failed"))
        return QCoreApplication::translate("Runs", "failed: %1")
            .arg(issue.file.isEmpty() ? message : QFileInfo(issue.file).fileName() + QStringLiteral(": ") + message);
    if (name == QLatin1String("unreadable")) return QCoreApplication::translate("Runs", "unreadable: %1").arg(message);
    if (name == QLatin1String("waiting")) return QCoreApplication::translate("Runs", "not begun");
    return {};
}

} // namespace denoir::app::run_words
