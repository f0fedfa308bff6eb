// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/preview/accessible.h"

#include "ui/preview/canvas.h"
#include "ui/preview/metrics_view.h"
#include "ui/preview/preview_view.h"
#include "ui/preview/scrubber.h"
#include "ui/widgets/frame_accessible.h"

namespace denoir::ui {
namespace {

QAccessibleInterface* make(const QString&, QObject* object) {
    if (auto* scrubber = qobject_cast<Scrubber*>(object))
        return new FrameInterface(scrubber, {.now = [scrubber] { return scrubber->sliderPosition(); },
                                             .last = [scrubber] { return scrubber->maximum(); },
                                             .go_to = [scrubber](int frame) { scrubber->seek_to(frame); }});
    if (auto* canvas = qobject_cast<Canvas*>(object)) return new QAccessibleWidget(canvas, QAccessible::Graphic);
    if (auto* metrics = qobject_cast<MetricsView*>(object)) return new QAccessibleWidget(metrics, QAccessible::Chart);
    if (auto* preview = qobject_cast<PreviewView*>(object))
        return new QAccessibleWidget(preview, QAccessible::Animation);
    return nullptr;
}

} // namespace

void install_preview_roles() { QAccessible::installFactory(make); }

} // namespace denoir::ui
