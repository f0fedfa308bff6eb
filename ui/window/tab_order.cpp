// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/tab_order.h"

#include <QDockWidget>
#include <QMainWindow>
#include <QTabBar>

#include <algorithm>

namespace denoir::ui {
namespace {

/// Widgets that follow each other: a single one, or a dock and its tabs.
struct Part {
    QRect place;
    QWidgetList widgets;
};

bool by_left(const Part& a, const Part& b) { return a.place.left() < b.place.left(); }

/// Sorts row by row, each from left to right. A part belongs to a row if it begins above the middle of the row's first
/// part.
void sort_as_read(QList<Part>& parts) {
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Part& a, const Part& b) { return a.place.top() < b.place.top(); });
    for (auto row = parts.begin(); row != parts.end();) {
        const int middle = row->place.center().y();
        const auto next = std::find_if(row + 1, parts.end(), [&](const Part& p) { return p.place.top() >= middle; });
        std::stable_sort(row, next, by_left);
        row = next;
    }
}

void collect(QWidget& widget, QWidgetList& out) {
    if (!widget.focusProxy() && (widget.focusPolicy() & Qt::TabFocus)) out << &widget;
    QList<Part> parts;
    for (auto* child : widget.findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
        if (!child->isWindow() && child->isVisible()) parts.append({child->geometry(), {child}});
    sort_as_read(parts);
    for (const Part& part : std::as_const(parts)) collect(*part.widgets.constFirst(), out);
}

/// The tabs above a dock; null if it has none.
QTabBar* tabs_of(const QMainWindow& window, const QDockWidget& dock) {
    if (window.tabifiedDockWidgets(const_cast<QDockWidget*>(&dock)).isEmpty()) return nullptr;
    for (auto* tabs : window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
        const int gap = dock.y() - tabs->geometry().bottom();
        if (tabs->isVisible() && gap >= 0 && gap < tabs->height() && tabs->x() >= dock.x() &&
            tabs->x() < dock.geometry().right())
            return tabs;
    }
    return nullptr;
}

} // namespace

void order_tabs(QMainWindow& window) {
    if (!window.centralWidget()) return; // the window is being destroyed, which moves the focus
    QList<Part> left, above, below, right;
    for (auto* dock : window.findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
        if (dock->isFloating() || !dock->isVisible() || !dock->widget()->isVisible()) continue;
        Part part{dock->geometry(), {dock}};
        if (QTabBar* tabs = tabs_of(window, *dock)) {
            part.place |= tabs->geometry();
            part.widgets.prepend(tabs);
        }
        const Qt::DockWidgetArea area = window.dockWidgetArea(dock);
        (area == Qt::LeftDockWidgetArea    ? left
         : area == Qt::RightDockWidgetArea ? right
         : area == Qt::TopDockWidgetArea   ? above
                                           : below)
            .append(part);
    }
    for (QList<Part>* parts : {&left, &above, &below, &right}) sort_as_read(*parts);
    QWidgetList order;
    for (const Part& part : left + above + QList<Part>{{{}, {window.centralWidget()}}} + below + right)
        for (QWidget* widget : part.widgets) collect(*widget, order);
    for (qsizetype i = 1; i < order.size(); ++i) QWidget::setTabOrder(order[i - 1], order[i]);
}

} // namespace denoir::ui
