// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/sweep_accessible.h"

#include <QAccessibleWidget>

#include "ui/tune/sweep_grid.h"
#include "ui/tune/sweep_plot.h"

namespace denoir::ui {
namespace {

/// The value is the text of the current cell, so that a screen reader says it when the cell changes.
class GridInterface : public QAccessibleWidget {
public:
    explicit GridInterface(SweepGrid* grid) : QAccessibleWidget(grid, QAccessible::Table) {}
    QString text(QAccessible::Text what) const override {
        return what == QAccessible::Value ? widget()->accessibleDescription() : QAccessibleWidget::text(what);
    }
};

QAccessibleInterface* make(const QString&, QObject* object) {
    if (auto* grid = qobject_cast<SweepGrid*>(object)) return new GridInterface(grid);
    if (auto* plot = qobject_cast<SweepPlot*>(object)) return new QAccessibleWidget(plot, QAccessible::Chart);
    return nullptr;
}

} // namespace

void install_sweep_roles() { QAccessible::installFactory(make); }

} // namespace denoir::ui
