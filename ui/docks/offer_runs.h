// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>

#include "ui/studio.h"

class QMenu;
class QString;
class QWidget;

namespace denoir::ui {

enum class AskFor { file, folder };
/// Asks for a video or picture, or for a folder of frames; the dialog is a child of `parent` and does not block.
void ask_for_clip(QWidget* parent, app::Settings& settings, AskFor what,
                  const std::function<void(const QString&)>& chosen);

/// Fills a menu with what something can be compared with: the newest runs that have a video (all but `except`), and a
/// file or folder of frames that is asked for, with `parent` below the dialog. Runs of one look are told apart by what
/// differs, which is read meanwhile. `chosen` is given the path.
void offer_runs(QMenu& menu, Studio& studio, const QString& except, QWidget* parent,
                const std::function<void(const QString&)>& chosen);

} // namespace denoir::ui
