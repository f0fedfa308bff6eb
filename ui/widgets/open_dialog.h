// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <QStringList>
#include <functional>

class QWidget;

namespace denoir::app {
class Settings;
}

namespace denoir::ui {

/// The files that dialogs list as videos and as pictures. A GIF, which may be either, is among the pictures.
inline const QString video_endings = QStringLiteral("*.mp4 *.mkv *.mov *.webm *.avi"),
                     picture_endings = QStringLiteral("*.png *.jpg *.jpeg *.webp *.bmp *.tif *.tiff *.gif *.ppm *.pgm "
                                                      "*.pbm");

struct ToOpen {
    enum class Kind { file, files, folder };
    /// For each sort of things, the folder of the last choice is remembered.
    enum class Sort { images, loras, models, projects, traces, videos };
    Kind kind = Kind::file;
    Sort sort = Sort::videos;
    QString filters; ///< "LoRA (*.safetensors);;All files (*)"; empty for any file
    /// The folder to begin in. If it is empty: that of the last choice of this sort, in this session or before, or if
    /// there was none, where the desktop keeps such files.
    QString place;
};

/// Asks what to open. The dialog is a child of `parent`, not modal, and comes to the front if it is asked for again.
/// Calls `chosen` once, with a single path unless several may be chosen, or not at all if the dialog is cancelled.
void ask_to_open(QWidget* parent, app::Settings& settings, const QString& title, const ToOpen& what,
                 const std::function<void(const QStringList&)>& chosen);

} // namespace denoir::ui
