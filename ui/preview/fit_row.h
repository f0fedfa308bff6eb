// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QList>

class QWidget;

namespace denoir::ui {

/// The width in pixels that the widgets of a row and its layout need, without those marked by leave_out().
int needed_width(const QWidget& row);

/// Shows as many of these as fit into `room` pixels beside the row's other widgets, hiding the least needed ones first.
/// Returns false if the others alone are too wide.
bool fit_row(QWidget& row, int room, const QList<QWidget*>& least_needed_first);

/// Marks a widget that is of no use at present, so that fit_row() hides it.
void leave_out(QWidget& widget, bool out);

} // namespace denoir::ui
