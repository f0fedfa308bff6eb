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

/// What a dialog lists as videos and as pictures, for a filter of it. A GIF, which may be either, is among the
/// pictures.
inline const QString video_endings = QStringLiteral("*.mp4 *.mkv *.mov *.webm *.avi"),
                     picture_endings = QStringLiteral("*.png *.jpg *.jpeg *.webp *.bmp *.tif *.tiff *.gif *.ppm *.pgm "
                                                      "*.pbm");

struct ToOpen {
    enum class Kind { file, files, folder };
    /// What is to be opened: for each sort, the folder of the last choice is remembered.
    enum class Sort { images, loras, models, projects, traces, videos };
    Kind kind = Kind::file;
    Sort sort = Sort::videos;
    QString filters; ///< "LoRA (*.safetensors);;All files (*)"; empty: any file
    QString place;   ///< the folder to begin in; empty: where such a thing was chosen last, in this session or before,
                     ///< and as long as none was, where the desktop keeps them
};

/// Asks what to open, not modally; the dialog is a child of `parent`, and comes to the front if it is asked for again.
/// Calls `chosen` once, with one path unless several may be chosen, or not at all if the dialog is cancelled.
void ask_to_open(QWidget* parent, app::Settings& settings, const QString& title, const ToOpen& what,
                 const std::function<void(const QStringList&)>& chosen);

} // namespace denoir::ui
