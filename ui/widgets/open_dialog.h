// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStandardPaths>
#include <QString>
#include <QStringList>
#include <functional>

class QWidget;

namespace denoir::app {
class Settings;
}

namespace denoir::ui {

struct ToOpen {
    enum class Kind { file, files, folder };
    Kind kind = Kind::file;
    QString filters; ///< "LoRA (*.safetensors);;All files (*)"; empty: any file
    QString place;   ///< the folder to begin in; empty: the one that Qt was in last
};

/// The folder that was told to remember_folder() last for this `sort` of files ("images"), in this session or before;
/// else, as long as there is none, where the desktop keeps such files.
QString last_folder(const app::Settings& settings, const QString& sort, QStandardPaths::StandardLocation usual);
void remember_folder(app::Settings& settings, const QString& sort, const QString& file);

/// Asks what to open, without blocking: the dialog is a child of `parent`, and comes to the front where it is asked for
/// again. `chosen` is called once, with one path unless several may be named; never when the dialog is left.
void ask_to_open(QWidget* parent, const QString& title, const ToOpen& what,
                 const std::function<void(const QStringList&)>& chosen);

} // namespace denoir::ui
