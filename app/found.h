// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include <memory>
#include <vector>

#include "engine/pipeline/request.h"
#include "engine/session/sweep.h"

namespace denoir::app {

struct ProjectContent;

/// What a dropped or named file or folder is to the studio, with everything that is needed to open it.
struct Found {
    enum class Kind {
        nothing, ///< there is no such file or folder
        refused, ///< it is damaged; `refusal` says how
        project,
        request, ///< a request file
        axes,    ///< the file of a sweep that has not been rendered: `request` and `axes`
        sweep,   ///< a rendered sweep; `path` is its folder
        run,     ///< a run's folder; if its record cannot be read, `refusal` says so
        trace,
        lora,
        models, ///< a file of weights, or a folder with models
        still,
        clip, ///< a video, a folder of frames, or a file of an unknown kind, which gives an error when it is opened
    };
    Kind kind = Kind::nothing;
    QString path;    ///< absolute
    QString refusal; ///< one line for the user
    Request request; ///< its paths are absolute
    std::vector<SweepAxis> axes;
    std::shared_ptr<const ProjectContent> project; ///< null for other kinds
};

/// Looks at a path that was dropped or named on the command line, and reads what opening it takes: all of a record,
/// request (up to 16 MiB) or project, the headers of weights, the beginning of anything else. May take long on a slow
/// disk, so do not call it on the window's thread. Never throws.
Found look_at(const QString& path);

/// True for a run, a video, a picture and a folder of frames.
bool is_clip(Found::Kind);

} // namespace denoir::app
