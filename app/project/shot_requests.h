// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>
#include <optional>

#include "app/project/project.h"
#include "engine/media/image.h"
#include "engine/pipeline/request.h"

namespace denoir::app {

// Requests that extend or retake a shot. If the model does diffusion forcing, their clip continues the shot's own
// video, so that motion goes on (spec/pipelines.md 7.5).

/// A request for a clip that continues the shot. It begins with the shot's last frames (`forcing->overlap`), which the
/// cut does not show again. Everything else is as in `request`, without its seed.
Request extension_of(const Shot& shot, const Request& request);

/// The picture of `take` at `frame`, or its last one if the clip turns out to be shorter. Throws Error.
Image frame_of(const Take& take, int frame);

/// The request and model that the user has chosen.
struct ChosenModel {
    Request request;
    bool takes_image = false, forcing = false; ///< the model can start with an image; does diffusion forcing
};
/// How to extend a shot.
struct Continuation {
    bool possible = false;          ///< the shot's model, or the chosen one, takes an image
    std::optional<Request> request; ///< of the shot's run, perhaps with the chosen model; empty: use the chosen one
    QImage last;                    ///< the shot's last picture, for a model without diffusion forcing to begin with
};
/// Reads the shot's run and picture. Throws Error.
Continuation continuation_of(const Shot& shot, const ChosenModel& chosen);

struct Retake {
    Request request;         ///< no seed
    std::optional<int> part; ///< the Take::part of its result
    std::optional<int> end;  ///< the frame of the take that is to follow, to be `last_image`; empty if none follows
};
/// A request that makes the frames that the shot shows again, to fit between those before and after them in its take.
/// If the shot shows everything that its request made, or the model does no diffusion forcing, the whole take is made
/// again. `made` is the request of the take. May read the headers of the model's files.
Retake retake_of(const Shot& shot, const Request& made);

/// Where the result of a queue entry belongs on the timeline. Kept as the entry's tag, so that it is still known for a
/// run that was stopped, or waited while the studio was closed. A shot that was split meanwhile is replaced by its
/// parts, in their order, for which split() must be called.
struct ResultPlace {
    QStringList shots;       ///< the result becomes a take of these, or a shot after the last one that is left
    std::optional<int> part; ///< Take::part, if it becomes a take
    /// Empty if the result becomes a take. Otherwise the shot that the first of several copies became, of which the
    /// others become takes; until then an id that they share.
    QStringList placed;

    /// To be called when the shot `first` was split and `second` is its new part. Returns whether this place changed.
    bool split(const QString& first, const QString& second);
    QString tag() const;
    /// The place in a tag; empty if the tag is for something else.
    static std::optional<ResultPlace> of_tag(const QString& tag);
};

} // namespace denoir::app
