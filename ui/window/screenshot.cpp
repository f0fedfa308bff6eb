// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/screenshot.h"

#include <QFileInfo>
#include <QPixmap>
#include <QSaveFile>

#include <cstdio>

#include "app/base/wait_until.h"
#include "app/request/model_catalogue.h"
#include "app/request/request_document.h"
#include "app/runs/run_history.h"
#include "ui/preview/preview_view.h"
#include "ui/tune/sweep_grid.h"
#include "ui/tune/sweep_view.h"
#include "ui/window/main_window.h"

namespace denoir::ui {

namespace {

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
    app::wait_until([&] { return preview.info(app::Side::a) != nullptr; }, 8000);
    if (arguments.paths.size() == 2 && arguments.layout == Layout::compare) {
        auto& comparison = preview.comparison();
        app::wait_until([&] { return preview.info(app::Side::b) != nullptr; }, 8000);
        const auto curves = [&] {
            return !preview.info(app::Side::b) || !comparison.issue().isEmpty() ||
                   (comparison.done() > 0 && comparison.done() >= comparison.comparable());
        };
        app::wait_until(curves, 60000);
    }
    if (preview.info(app::Side::a)) {
        preview.player().pause();
        preview.player().go_to(preview.player().frames() * 2 / 3);
    }
    if (arguments.layout == Layout::tune) {
        auto& tune = *window.findChild<SweepView*>();
        auto& player = tune.player();
        app::wait_until([&] { return player.frames() > 0; }, 3000);
        player.pause();
        player.go_to(player.frames() * 2 / 3);
        app::wait_until([&] { return tune.grid().clips().settled(); }, 8000);
    }
    app::wait_until([] { return false; }, 1500); // thumbnails, steps, token counts
    const QImage picture = window.grab().toImage();
    QSaveFile file(arguments.screenshot);
    if (!file.open(QIODevice::WriteOnly) || !picture.save(&file, "PNG") || !file.commit())
        return fail(QStringLiteral("%1: cannot be written; choose another folder").arg(arguments.screenshot));
    std::printf("%s\n", qPrintable(arguments.screenshot));
    return 0;
}

} // namespace denoir::ui
