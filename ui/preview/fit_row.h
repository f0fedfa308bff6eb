// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <initializer_list>

class QWidget;

namespace denoir::ui {

/// The width that a row's widgets need together, as its layout has them; those marked with leave_out() do not count.
int needed_width(const QWidget& row);

/// Shows as many of these as fit into `room` beside the others of the row, hiding the least needed first. False: the
/// others alone are too wide.
bool fit_row(QWidget& row, int room, std::initializer_list<QWidget*> least_needed_first);

/// Not in use now: fit_row() hides it.
void leave_out(QWidget& widget, bool out);

} // namespace denoir::ui
