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
#include "ui/window/opener.h"

namespace denoir::ui {

namespace {

int fail(const QString& text) {
    std::fprintf(stderr, "denoir: %s\n", qPrintable(text));
    return 1;
}

/// The longest times to wait, so that a slow disk does not hold it up for ever. What is not ready by then is missing in
/// the picture.
constexpr int read_ms = 10'000, open_ms = 8'000, compare_ms = 60'000, sweep_ms = 3'000, rest_ms = 1'500;

/// Pauses at a frame well into the clip, as there is often little to see at its beginning.
template <class Player> void stand_still(Player& player) {
    player.pause();
    player.go_to(player.frames() * 2 / 3);
}

void wait_for_comparison(PreviewView& preview) {
    const app::Comparison& comparison = preview.comparison();
    app::wait_until([&] { return preview.info(app::Side::b) != nullptr; }, open_ms);
    const auto curves = [&] {
        return !preview.info(app::Side::b) || !comparison.issue().isEmpty() ||
               (comparison.done() > 0 && comparison.done() >= comparison.comparable());
    };
    app::wait_until(curves, compare_ms);
}

void wait_for_sweep(SweepView& tune) {
    app::wait_until([&] { return tune.player().frames() > 0; }, sweep_ms);
    stand_still(tune.player());
    app::wait_until([&] { return tune.grid().clips().settled(); }, open_ms);
}

/// Arranges the window. Its size is set again after each step, as docks that need more room make it grow.
void lay_out(MainWindow& window, const Arguments& arguments) {
    const auto resize = [&] {
        if (arguments.size) window.resize(*arguments.size);
    };
    resize();
    window.begin_for_picture(arguments.layout.value_or(Layout::create));
    resize();
    window.layouts().reset_for_picture();
    resize();
    window.layouts().focus_middle();
}

} // namespace

int take_screenshot(MainWindow& window, Studio& studio, const Arguments& arguments) {
    const QFileInfo out(arguments.screenshot);
    if (!QFileInfo(out.absolutePath()).isDir())
        return fail(QStringLiteral("%1: there is no such folder").arg(out.absolutePath()));
    for (const QString& path : arguments.paths)
        if (!QFileInfo::exists(path)) return fail(QStringLiteral("%1: there is no such file or folder").arg(path));
    window.show();
    studio.history.wait_scanned(read_ms);
    lay_out(window, arguments);
    window.open_paths(arguments.paths);
    app::wait_until([&opener = *window.findChild<Opener*>()] { return !opener.busy(); }, open_ms);
    studio.document.wait_resolved(read_ms);
    studio.models.wait_looked(read_ms);
    PreviewView& preview = window.preview();
    app::wait_until([&] { return preview.info(app::Side::a) != nullptr; }, open_ms);
    if (arguments.paths.size() == 2 && arguments.layout == Layout::compare) wait_for_comparison(preview);
    if (preview.info(app::Side::a)) stand_still(preview.player());
    if (arguments.layout == Layout::tune) wait_for_sweep(*window.findChild<SweepView*>());
    app::wait_until([] { return false; }, rest_ms); // thumbnails, steps, token counts

    const QImage picture = window.grab().toImage();
    QSaveFile file(arguments.screenshot);
    if (!file.open(QIODevice::WriteOnly) || !picture.save(&file, "PNG") || !file.commit())
        return fail(QStringLiteral("%1: cannot be written; choose another folder").arg(arguments.screenshot));
    std::printf("%s\n", qPrintable(arguments.screenshot));
    return 0;
}

} // namespace denoir::ui
