// SPDX-License-Identifier: Apache-2.0
// What tests of the layout Compare share.
#pragma once
#include <QTest>

#include "tests/app/clips.h"
#include "tests/app/tiny.h"
#include "ui/preview/preview_view.h"

namespace denoir::ui {

/// Renders a run of the tiny model. Two of these differ in nothing but their guidance.
inline QString run_with(const QString& folder, double guidance) {
    Request r = app::tiny_request();
    r.prompt = "a red balloon";
    r.steps = 2;
    r.guidance = guidance;
    r.seed = 7;
    return app::rendered(r, folder);
}

/// Waits until both clips of a pair are open. A clip that was shown before, like the newest run when the window opens,
/// does not count.
inline bool both_open(PreviewView& preview) {
    const auto is_open = [&](app::Side side) { return preview.info(side) && !preview.is_opening(side); };
    return QTest::qWaitFor([&] { return is_open(app::Side::a) && is_open(app::Side::b); }, 30000);
}

} // namespace denoir::ui
