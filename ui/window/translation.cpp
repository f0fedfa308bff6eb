// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/translation.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>

namespace denoir::ui {

Translation::Translation(QCoreApplication&) {
    const QString asked = qEnvironmentVariable("DENOIR_LANGUAGE");
    if (!asked.isEmpty()) QLocale::setDefault(QLocale(asked));
    const QLocale locale;
    const QString folder = QStringLiteral(":/denoir/translations"), name = QStringLiteral("denoir"),
                  before = QStringLiteral("_");
    // English has a file as well, for "1 run" and "2 runs".
    if (ours_.load(locale, name, before, folder) || ours_.load(QStringLiteral("denoir_en"), folder))
        QCoreApplication::installTranslator(&ours_);
    if (qt_.load(locale, QStringLiteral("qtbase"), before, QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        QCoreApplication::installTranslator(&qt_);
    const QString language = locale.name().section(QLatin1Char('_'), 0, 0);
    const QString engine = QStringLiteral("%1/engine_%2.json");
    // English has a file as well, since messages about options of the command line must name fields of the window.
    if (engine_.read(engine.arg(folder, language)) || engine_.read(engine.arg(folder, QStringLiteral("en"))))
        QCoreApplication::installTranslator(&engine_);
}

} // namespace denoir::ui
