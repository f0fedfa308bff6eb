// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QDir>
#include <QStringList>
#include <QTemporaryDir>
#include <QtGlobal>

#include "app/desktop/session_bus.h"

namespace denoir::app {

/// A data folder of its own for one test.
class Home {
public:
    Home() {
        use();
        never_start_a_session_bus();
    }
    ~Home() { qunsetenv("DENOIR_HOME"); }
    void use() const { qputenv("DENOIR_HOME", folder_.path().toUtf8()); }
    QString path() const { return folder_.path(); }
    QString file(const QString& name) const { return folder_.filePath(name); }

    /// In its data folder: the queue, the index, runs and autosaves.
    QString data(const QString& name) const { return folder_.filePath(QStringLiteral("data/") + name); }
    /// Of projects: each follows half a second after an edit.
    QStringList autosaves() const {
        return QDir(data(QStringLiteral("autosave"))).entryList({QStringLiteral("*.json")}, QDir::Files);
    }

private:
    QTemporaryDir folder_;
};

/// What comes with the program is looked for in its folder "resources": only what the test puts there.
class BareHome : public Home {
public:
    BareHome() { qputenv("DENOIR_RESOURCES", file(QStringLiteral("resources")).toUtf8()); }
    ~BareHome() { qunsetenv("DENOIR_RESOURCES"); }
};

} // namespace denoir::app
