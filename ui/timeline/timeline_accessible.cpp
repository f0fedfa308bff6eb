// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_accessible.h"

#include "ui/timeline/timeline_view.h"
#include "ui/widgets/frame_accessible.h"

namespace denoir::ui {
namespace {

QAccessibleInterface* make_interface(const QString&, QObject* object) {
    auto* view = qobject_cast<TimelineView*>(object);
    if (!view) return nullptr;
    // The playhead may be at the end, after the last frame.
    return new FrameInterface(view, {.now = [view] { return view->playhead(); },
                                     .last = [view] { return view->project().frames(); },
                                     .go_to = [view](int frame) { view->set_playhead(frame); }});
}

} // namespace

void install_timeline_accessibility() { QAccessible::installFactory(make_interface); }

} // namespace denoir::ui
