// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <functional>

class QWidget;

namespace denoir::app {
class Settings;
}

namespace denoir::ui {

/// Asks where to write, in a dialog that is not modal and begins in the folder written to last. Proposes `name`
/// (without ending), with a number if the file exists. `filters` are such as "Video (*.mp4 *.mkv);;Folder of pictures
/// (*)"; a name that has none of their endings gets the first ending of the chosen filter. Calls `accepted` once with
/// the path, or not at all if the dialog is cancelled.
void ask_where_to_save(QWidget* parent, app::Settings& settings, const QString& title, const QString& name,
                       const QString& filters, const std::function<void(const QString&)>& accepted);

} // namespace denoir::ui
