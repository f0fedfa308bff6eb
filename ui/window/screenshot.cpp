// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/screenshot.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QPixmap>
#include <QSaveFile>
#include <QThread>

#include <cstdio>

#include "app/request/model_catalogue.h"
#include "app/request/request_document.h"
#include "app/runs/run_history.h"
#include "ui/preview/preview_view.h"
#include "ui/tune/sweep_grid.h"
#include "ui/tune/sweep_view.h"
#include "ui/window/main_window.h"

namespace denoir::ui {

namespace {

/// Lets the window work until `done`, at most this long.
template <class Done> bool settle(int milliseconds, Done done) {
    QElapsedTimer clock;
    clock.start();
    while (!done()) {
        if (clock.elapsed() > milliseconds) return false;
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        QThread::msleep(5);
    }
    return true;
}

void settle_for(int milliseconds) {
    QElapsedTimer clock;
    clock.start();
    settle(milliseconds + 1000, [&] { return clock.elapsed() > milliseconds; });
}

int fail(const QString& text) {
    std::fprintf(stderr, "denoir: %s\n", qPrintable(text));
    return 1;
}

} // namespace

int take_screenshot(MainWindow& window, Studio& studio, const Arguments& arguments) {
    const QFileInfo out(arguments.screenshot);
    if (!QFileInfo(out.absolutePath()).isDir())
        return fail(QStringLiteral("%1: there is no such folder").arg(out.absolutePath()));
    for (const QString& path : arguments.paths)
        if (!QFileInfo::exists(path)) return fail(QStringLiteral("%1: there is no such file or folder").arg(path));
    window.setAttribute(Qt::WA_DontShowOnScreen, false);
    window.show();
    studio.history.wait_scanned(10000);
    if (arguments.size) window.resize(*arguments.size);
    window.begin_for_picture(arguments.layout.value_or(Layout::create));
    if (arguments.size) window.resize(*arguments.size); // what is remembered may have needed more
    window.layouts().reset_for_picture();
    if (arguments.size) window.resize(*arguments.size);
    window.layouts().focus_middle();
    window.open_paths(arguments.paths);
    studio.document.wait_resolved(10000);
    studio.models.wait_looked(10000);
    auto& preview = window.preview();
    settle(8000, [&preview] { return preview.info(app::Side::a) != nullptr; });
    if (arguments.paths.size() == 2 && arguments.layout == Layout::compare) {
        auto& comparison = preview.comparison();
        settle(8000, [&preview] { return preview.info(app::Side::b) != nullptr; });
        settle(60000, [&] { // the curves
            return !preview.info(app::Side::b) || !comparison.issue().isEmpty() ||
                   (comparison.done() > 0 && comparison.done() >= comparison.comparable());
        });
    }
    if (preview.info(app::Side::a)) {
        preview.player().pause();
        preview.player().go_to(preview.player().frames() * 2 / 3);
    }
    if (arguments.layout == Layout::tune) {
        auto& tune = *window.findChild<SweepView*>();
        auto& player = tune.player();
        settle(3000, [&] { return player.frames() > 0; });
        player.pause();
        player.go_to(player.frames() * 2 / 3);
        settle(8000, [&] { return tune.grid().clips().settled(); });
    }
    settle_for(1500); // thumbnails, steps, token counts
    const QImage picture = window.grab().toImage();
    QSaveFile file(arguments.screenshot);
    if (!file.open(QIODevice::WriteOnly) || !picture.save(&file, "PNG") || !file.commit())
        return fail(QStringLiteral("%1: cannot be written; choose another folder").arg(arguments.screenshot));
    std::printf("%s\n", qPrintable(arguments.screenshot));
    return 0;
}

} // namespace denoir::ui
