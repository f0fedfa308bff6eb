// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include <memory>
#include <vector>

#include "engine/pipeline/request.h"
#include "engine/session/sweep.h"

namespace denoir::app {

struct ProjectContent;

/// What a file or folder from outside is to the studio, and what has been read of it so that it can be opened.
struct Found {
    enum class Kind {
        nothing, ///< there is no such file or folder
        refused, ///< damaged: `refusal` says how
        project,
        request, ///< a file of one
        axes,    ///< a file of a sweep that has not been rendered: `request` and what varies
        sweep,   ///< a rendered one; `path` is its folder
        run,     ///< a run's folder; one whose record cannot be read has a `refusal`
        trace,
        lora,
        models, ///< a file of weights, or a folder with models
        still,
        clip, ///< a video or a folder of frames, or nothing known: whoever shows it says so
    };
    Kind kind = Kind::nothing;
    QString path;    ///< absolute
    QString refusal; ///< one line for the user
    Request request; ///< its paths are absolute
    std::vector<SweepAxis> axes;
    std::shared_ptr<const ProjectContent> project; ///< of one
};

/// Looks at a path as it was dropped, or named on the command line, and reads what opening it takes: records,
/// requests (up to 16 MiB) and projects whole, the headers of weights, the beginning of anything else. May take long on
/// a slow disk: not for the window's thread. Never throws.
Found look_at(const QString& path);

/// A run, a video, a picture, a folder of frames.
bool is_clip(Found::Kind);

} // namespace denoir::app
