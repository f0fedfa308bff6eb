// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QTranslator>

#include "ui/window/engine_words.h"

class QCoreApplication;

namespace denoir::ui {

/// Translates texts of the studio, Qt and the engine into the desktop's language, if there is a translation (German).
/// DENOIR_LANGUAGE ("de", "en") overrides the desktop.
class Translation {
public:
    explicit Translation(QCoreApplication&); ///< must be made after the application
    bool loaded() const { return !ours_.isEmpty(); }

private:
    QTranslator ours_, qt_;
    EngineWords engine_;
};

} // namespace denoir::ui
