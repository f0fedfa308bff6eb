// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>
#include <optional>

#include "app/project/project.h"
#include "engine/media/image.h"
#include "engine/pipeline/request.h"

namespace denoir::app {

// Requests that extend or retake a shot. If the model does diffusion forcing, their clip continues the shot's own
// video, so that what moves keeps moving (spec/pipelines.md 7.5).

/// A clip that goes on where the shot ends. It begins with the shot's last frames (`forcing->overlap`), which the cut
/// does not show again. Everything else is as in `request`; no seed.
Request extension_of(const Shot& shot, const Request& request);

/// The picture of `take` at that frame, or its last one if the clip turns out to be shorter. Throws Error.
Image frame_of(const Take& take, int frame);

/// What is chosen in the parameters.
struct ChosenModel {
    Request request;
    bool takes_image = false, forcing = false; ///< the model can start with an image; does diffusion forcing
};
/// How to extend a shot.
struct Continuation {
    bool possible = false;          ///< the shot's model, or the one chosen, takes an image
    std::optional<Request> request; ///< of the shot's run, perhaps with the chosen model; empty: use what is chosen
    QImage last;                    ///< of a shot that moves, for a model without diffusion forcing: what to begin with
};
/// Reads the shot's run and picture. Throws Error.
Continuation continuation_of(const Shot& shot, const ChosenModel& chosen);

struct Retake {
    Request request;         ///< no seed
    std::optional<int> part; ///< the Take::part of its result
    std::optional<int> end;  ///< frame of the shot's take that is to follow: becomes `last_image`. Empty: nothing does
};
/// A request that makes the part of its take which the shot shows again, to fit between what comes before and after it
/// in the take. If the shot shows everything that its request made, or the model does no diffusion forcing, makes all
/// of it anew. `made`: the request of the take. May read the headers of the model's files.
Retake retake_of(const Shot& shot, const Request& made);

/// Where the result of a queue entry belongs on the timeline. Kept as the entry's tag, so that it holds for a run that
/// was stopped, or waited while the studio was closed. A shot that has been split since is all of its parts, in the
/// order in which they lay in it: whoever keeps a place tells it of splits.
struct ResultPlace {
    QStringList shots;       ///< get the result as a take, or the last of them that is there is followed by it
    std::optional<int> part; ///< of a take: Take::part
    /// Where it follows: the shot that the first of its copies became, and the others become takes of; until then a
    /// name that they share.
    QStringList placed;

    /// The first of the two shots has been split, the second is its other part. True: this place has it as well now.
    bool split(const QString& first, const QString& second);
    QString tag() const;
    /// Nothing: the entry was put in line for something else.
    static std::optional<ResultPlace> of_tag(const QString& tag);
};

} // namespace denoir::app
