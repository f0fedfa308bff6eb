// SPDX-License-Identifier: Apache-2.0
// Sweeps that are there, for tests of the layout Tune.
#pragma once
#include <QMenu>
#include <QTimer>

#include <filesystem>
#include <functional>
#include <vector>

#include "app/base/folder.h"
#include "app/base/text.h"
#include "app/sweep/open_sweep.h"
#include "app/sweep/sweep_document.h"
#include "engine/session/sweep_folder.h"
#include "tests/app/clips.h"
#include "tests/app/fake_runs.h"
#include "tests/ui/studio_fixture.h"
#include "ui/tune/sweep_grid.h"
#include "ui/tune/sweep_view.h"

namespace denoir::ui {

/// Makes a sweep of these axes in the home's data folder. All of its clips are there and differ, and each is compared
/// with the first.
inline QString made_sweep(const app::Home& home, const char* name, const std::vector<SweepAxis>& axes, int frames = 4) {
    Sweep sweep;
    sweep.request = app::tiny_request();
    sweep.axes = axes;
    sweep.reference.assign(axes.size(), 0);
    SweepFolder folder = SweepFolder::create(app::to_path(home.file(QLatin1String(name))), sweep);
    const auto runs = app::to_path(home.data(QStringLiteral("runs")));
    std::filesystem::create_directories(runs);
    for (std::size_t i = 0; i < sweep.size(); ++i) {
        const auto run = app::fake_run(runs, int(1000 * frames + i), false);
        app::write_clip(app::to_qstring(run / "video.mp4"), 64, 48, frames, int(5 * i));
        SweepCell& cell = folder.record().cells[i];
        cell.state = SweepCell::State::done;
        cell.run = run;
        cell.seconds = 1 + double(i);
    }
    folder.save();
    return home.file(QLatin1String(name));
}

/// Opens the sweep in the layout Tune.
inline SweepGrid& show_sweep(StudioFixture& studio, const QString& sweep) {
    auto& sweeps = studio.core().sweeps();
    sweeps.open(sweep);
    [&] { QTRY_VERIFY_WITH_TIMEOUT(sweeps.shown() && sweeps.shown()->path() == app::real_path(sweep), 20000); }();
    return studio.window().findChild<SweepView*>()->grid();
}

/// Opens the menu of a cell, calls `use` and closes it.
inline void with_menu(SweepView& view, std::size_t cell, const std::function<void(QMenu&)>& use) {
    bool used = false;
    QTimer::singleShot(0, &view, [&] {
        for (auto* menu : view.findChildren<QMenu*>())
            if (menu->isVisible()) {
                used = true;
                use(*menu);
                menu->close();
            }
    });
    view.show_menu(cell, {50, 50});
    QVERIFY(used);
}

} // namespace denoir::ui
