// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>

#include "ui/studio.h"

class QMenu;
class QString;
class QWidget;

namespace denoir::ui {

/// Fills a menu with what something can be compared with: the newest runs that have a video (all but `except`), and a
/// file that is asked for, with `parent` below the dialog. `chosen` is given the run folder or the file.
void offer_runs(QMenu& menu, Studio& studio, const QString& except, QWidget* parent,
                const std::function<void(const QString&)>& chosen);

} // namespace denoir::ui
