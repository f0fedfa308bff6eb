// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/project/project.h"

namespace denoir::app {

/// A take whose file and run do not exist.
inline Take take(int frames, const char* name = "t") {
    Take t;
    t.video = QStringLiteral("/videos/%1.mp4").arg(QString::fromLatin1(name));
    t.run = QStringLiteral("/runs/%1").arg(QString::fromLatin1(name));
    t.name = QString::fromLatin1(name);
    t.frames = frames;
    t.width = 48, t.height = 32;
    return t;
}

} // namespace denoir::app
