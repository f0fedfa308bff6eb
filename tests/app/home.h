// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QDir>
#include <QStringList>
#include <QTemporaryDir>
#include <QtGlobal>

#include "app/desktop/session_bus.h"

namespace denoir::app {

/// Gives a test a home of its own, with a data folder.
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

    /// A file in the data folder, where the queue, the index, runs and autosaves lie.
    QString data(const QString& name) const { return folder_.filePath(QStringLiteral("data/") + name); }
    /// The autosaves of projects; each one follows an edit after half a second.
    QStringList autosaves() const {
        return QDir(data(QStringLiteral("autosave"))).entryList({QStringLiteral("*.json")}, QDir::Files);
    }

private:
    QTemporaryDir folder_;
};

/// A home whose folder "resources" stands for what comes with the program, so that nothing is there but what the test
/// puts in it.
class BareHome : public Home {
public:
    BareHome() { qputenv("DENOIR_RESOURCES", file(QStringLiteral("resources")).toUtf8()); }
    ~BareHome() { qunsetenv("DENOIR_RESOURCES"); }
};

} // namespace denoir::app
