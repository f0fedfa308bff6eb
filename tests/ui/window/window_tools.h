// SPDX-License-Identifier: Apache-2.0
// What tests of the whole window share.
#pragma once
#include <QFile>
#include <QLabel>
#include <QTest>
#include <QToolButton>

#include "app/request/request_document.h"
#include "tests/app/clips.h"
#include "tests/app/fake_runs.h"
#include "tests/app/projects.h"
#include "tests/ui/studio_fixture.h"
#include "ui/widgets/elided_label.h"

namespace denoir::ui {

/// Everything that the window says at the moment, wherever it does so.
inline QString said(StudioFixture& studio) {
    return (studio.window().banners().texts() << studio.find<ElidedLabel>("status-stage")->whole()).join('\n');
}

/// The content of a file, or nothing if it cannot be read.
inline QByteArray read(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

inline void write(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
}

/// Docks are placed in one turn of the event loop and checked in the next, in which they may be placed again.
inline void settle_docks() {
    for (int turn = 0; turn < 4; ++turn) QCoreApplication::processEvents();
}

/// Closes a banner with its cross; it is found by its key.
inline void close_banner(StudioFixture& studio, const char* banner) {
    for (auto* line : studio.window().banners().findChildren<QFrame*>(QLatin1String(banner)))
        if (line->isVisible()) return line->findChild<QToolButton*>(QStringLiteral("banner-close"))->click();
    QFAIL(banner);
}

/// Puts the tiny model's request into the parameters and waits until it is resolved.
inline void load_tiny(StudioFixture& studio) {
    studio.core().document.load(app::tiny_request());
    QVERIFY(studio.core().document.wait_resolved(20000));
}

/// Puts a finished run of the tiny model into the history, with a name, a number of steps and a seed.
inline QString listed_run(const app::Home& home, const QString& name, int steps, quint64 seed) {
    QDir().mkpath(home.data(QStringLiteral("runs")));
    return app::tiny_run(home.data(QStringLiteral("runs/") + name), steps, seed);
}

} // namespace denoir::ui
