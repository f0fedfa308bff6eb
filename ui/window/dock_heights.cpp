// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/dock_heights.h"

#include <QDockWidget>
#include <QEvent>
#include <QMainWindow>
#include <algorithm>

namespace denoir::ui {

DockHeights::DockHeights(QMainWindow& window, QObject* parent) : QObject(parent), window_(window) {
    soon_.setSingleShot(true);
    connect(&soon_, &QTimer::timeout, this, &DockHeights::look);
}

void DockHeights::watch(QDockWidget& dock) { dock.installEventFilter(this); }

void DockHeights::forget() {
    settled_.clear();
    came_.clear();
    grown_.clear();
}

/// Has look() called once Qt has laid out all docks.
bool DockHeights::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest) soon_.start(0);
    return QObject::eventFilter(watched, event);
}

DockHeights::Heights DockHeights::heights() const {
    Heights all;
    for (auto* dock : window_.findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly))
        if (dock->widget()->isVisible() && !dock->isFloating()) all.insert(dock, dock->height());
    return all;
}

/// The height that a dock needs; for docks in one set of tabs, that of the tallest one.
int DockHeights::least(QDockWidget& dock) const {
    int height = dock.minimumSizeHint().height();
    for (const QDockWidget* other : window_.tabifiedDockWidgets(&dock))
        if (!other->isHidden()) height = std::max(height, other->minimumSizeHint().height());
    return height;
}

DockHeights::Heights DockHeights::beside(QDockWidget& dock, const Heights& all) const {
    Heights side;
    const auto area = window_.dockWidgetArea(&dock);
    for (auto it = all.begin(); it != all.end(); ++it)
        if (window_.dockWidgetArea(it.key()) == area) side.insert(it.key(), it.value());
    return side;
}

void DockHeights::leave_room(const Heights& now) {
    const auto all_in = [](const Heights& some, const Heights& all) {
        return std::ranges::all_of(some.keys(), [&](QDockWidget* dock) { return all.contains(dock); });
    };
    if (settled_.isEmpty()) return;
    const QList<QDockWidget*> were = settled_.keys();
    if (all_in(settled_, now))
        for (QDockWidget* dock : now.keys())
            if (!were.contains(dock)) came_.insert(dock, {beside(*dock, settled_), beside(*dock, now)});
    if (!all_in(now, settled_)) return; // a dock was opened or another tab is in front, so none was only closed
    QList<QDockWidget*> gone;
    for (QDockWidget* dock : were)
        if (!now.contains(dock) && window_.dockWidgetArea(dock) == Qt::BottomDockWidgetArea) gone << dock;
    if (gone.isEmpty()) return;
    Heights left = beside(*gone[0], now), before = beside(*gone[0], settled_);
    // If several were closed, the heights are wound back from the one opened last, as each knows those before it.
    for (;;) {
        const auto last =
            std::ranges::find_if(gone, [&](QDockWidget* dock) { return came_.value(dock).second == before; });
        if (last == gone.end()) break;
        before = came_.take(*last).first;
        gone.erase(last);
    }
    for (QDockWidget* dock : gone) came_.remove(dock);
    for (auto it = left.begin(); it != left.end(); ++it) it.value() = before.value(it.key(), settled_[it.key()]);
    window_.resizeDocks(left.keys(), left.values(), Qt::Vertical);
}

void DockHeights::look() {
    const int window = window_.height();
    if (window == window_height_) leave_room(heights());
    const Heights now = heights();
    const bool same_room = window == window_height_ && now.keys() == settled_.keys();
    bool by_itself = false; // whether a dock grew, or shrank again
    for (auto it = now.begin(); it != now.end() && same_room; ++it) {
        const int needed = least(*it.key()), was = settled_.value(it.key());
        if (was >= needed || it.value() != needed) continue;
        grown_.insert(it.key(), {needed, beside(*it.key(), settled_), window});
        by_itself = true;
    }
    for (QDockWidget* dock : grown_.keys()) {
        const Grown& g = grown_[dock];
        const bool stands = g.window == window && now.value(dock) == g.height;
        if (stands && least(*dock) > g.before.value(dock)) continue;
        const Heights before = grown_.take(dock).before;
        if (!stands || beside(*dock, now).keys() != before.keys()) continue; // the user has changed it since
        window_.resizeDocks(before.keys(), before.values(), Qt::Vertical);
        by_itself = true;
    }
    const Heights then = heights();
    for (auto it = came_.begin(); (by_itself || was_by_itself_) && it != came_.end(); ++it)
        if (it->second == beside(*it.key(), settled_)) it->second = beside(*it.key(), then);
    // The docks beside it are laid out in the next turn of the event loop, which is not the user's doing either.
    was_by_itself_ = by_itself;
    if (by_itself) soon_.start(0);
    settled_ = then;
    window_height_ = window;
}

} // namespace denoir::ui
