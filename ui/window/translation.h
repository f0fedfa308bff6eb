// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QTranslator>

#include "ui/window/engine_words.h"

class QCoreApplication;

namespace denoir::ui {

/// The words of the desktop's language, where there are some (German), Qt's and the engine's included. DENOIR_LANGUAGE
/// ("de", "en") overrides the desktop.
class Translation {
public:
    explicit Translation(QCoreApplication&); ///< which must be there
    bool loaded() const { return !ours_.isEmpty(); }

private:
    QTranslator ours_, qt_;
    EngineWords engine_;
};

} // namespace denoir::ui
