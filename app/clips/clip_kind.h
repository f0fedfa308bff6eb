// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

namespace denoir::app {

/// What a path means to the studio: something that is shown frame by frame, or is opened in another way.
enum class ClipKind {
    run,    ///< a run's folder
    video,  ///< a video, or a file of an unknown kind, which gives an error when it is opened
    still,  ///< a picture, even if it is damaged; an animated one is a video
    frames, ///< a folder of pictures, or one of an unknown kind
    sweep,  ///< a sweep's folder
    model,  ///< a file of weights, a model's folder or a folder of models
    other,  ///< a project, a request, or a path that does not exist
};
/// Looks at names and at the first bytes of a file, so do not call it on the window's thread. Never throws.
ClipKind clip_kind(const QString& path);

/// A guess by the ending of the name, without asking the disk: a video if the ending is not known.
ClipKind kind_by_name(const QString& path);

/// True for a run, a video, a picture and a folder of frames.
bool is_clip(ClipKind kind);

} // namespace denoir::app
