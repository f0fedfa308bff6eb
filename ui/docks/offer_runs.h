// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>

#include "ui/studio.h"

class QMenu;
class QString;
class QWidget;

namespace denoir::ui {

enum class AskFor { file, folder };
/// Asks for a video or picture, or for a folder of frames. The dialog is a child of `parent` and does not block.
void ask_for_clip(QWidget* parent, app::Settings& settings, AskFor what,
                  const std::function<void(const QString&)>& chosen);

/// Fills a menu with what something can be compared with: the newest runs that have a video (all but `except`), and
/// entries that ask for a file or a folder of frames, in a dialog above `parent`. What distinguishes runs with the same
/// text is read meanwhile and added to it. Calls `chosen` with the path.
void offer_runs(QMenu& menu, Studio& studio, const QString& except, QWidget* parent,
                const std::function<void(const QString&)>& chosen);

} // namespace denoir::ui
