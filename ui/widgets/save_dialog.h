// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <functional>

class QWidget;

namespace denoir::app {
class Settings;
}

namespace denoir::ui {

/// Asks where to write, in the folder written to last. `name`, without its ending, is proposed, with a number where it
/// is taken; the ending follows the filter. `filters`: "Video (*.mp4 *.mkv);;Folder of pictures (*)", the first ending
/// of each is its own. `accepted` is called once, with the path; never when the dialog is left.
void ask_where_to_save(QWidget* parent, app::Settings& settings, const QString& title, const QString& name,
                       const QString& filters, const std::function<void(const QString&)>& accepted);

} // namespace denoir::ui
