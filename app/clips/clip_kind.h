// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

namespace denoir::app {

/// What a path is to the studio: what is shown frame by frame, and what is opened in another way.
enum class ClipKind {
    run,    ///< a run's folder
    video,  ///< or a file that is nothing known: whoever opens it says so
    still,  ///< a picture, be it damaged; an animated one is a video
    frames, ///< a folder of pictures, or one that holds nothing known
    sweep,  ///< a sweep's folder
    model,  ///< a file of weights, a model's folder or a folder of models
    other,  ///< a project, a request, nothing that is there
};
/// Looks at names, and at the first bytes of a file: not for the window's thread. Any path will do.
ClipKind clip_kind(const QString& path);

/// What it seems to be before anyone has looked: by the ending of its name, and a video where that says nothing.
ClipKind kind_by_name(const QString& path);

/// A run, a video, a picture, a folder of frames.
bool is_clip(ClipKind kind);

} // namespace denoir::app
