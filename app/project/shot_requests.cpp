// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/project/shot_requests.h"

#include <algorithm>
#include <filesystem>

#include "app/base/text.h"
#include "app/clips/clip_source.h"
#include "app/runs/run_history.h"
#include "engine/core/error.h"
#include "engine/core/units.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/variant.h"
#include "engine/session/model_lookup.h"
#include "engine/weights/model_folder.h"

namespace denoir::app {
namespace {

constexpr int usual_overlap = 17;  // frames; what SkyReels recommends (spec/pipelines.md 6)
constexpr int most_room = 1 << 20; // latent frames; stands for a length that is not fixed

const QString retake_tag = QStringLiteral("retake|"), extend_tag = QStringLiteral("extend|");
constexpr QLatin1Char bar('|'), plus('+'); // no shot's id contains these

Request anew(const Request& request) {
    Request r = request;
    r.start.reset();
    r.seed.reset();
    if (r.noise.kind == NoiseSource::Kind::file) r.noise = {}; // it may be of another length
    return r;
}

/// Lets the request's clip begin with the last of the take's first `frames`, and returns how many of them: at most
/// usual_overlap, and so few that one of `room` latent frames (or of a window's) is left to make. They are a whole
/// number of blocks; if that is not possible, the request makes one latent frame at a time.
int continue_take(Request& r, const Take& take, int frames, int room) {
    if (!r.forcing) r.forcing.emplace();
    if (r.forcing->base) room = std::min(room, latent_frames(*r.forcing->base));
    const int most = std::max(1, std::min({latent_frames(usual_overlap), latent_frames(frames), room - 1}));
    if (r.forcing->block > most) r.forcing->block = 1;
    const int overlap = video_frames(most / r.forcing->block * r.forcing->block);
    r.forcing->video = to_path(take.video);
    r.forcing->video_frames.reset();       // the take's length is from headers, which may be wrong
    if (take.kind == Take::Kind::frames) { // a folder does not say its rate, and may still grow
        r.forcing->video_frames = frames;
        if (!r.fps) r.fps = std::clamp(take.fps, 1.0, 240.0);
    } else if (frames < take.frames) {
        r.forcing->video_frames = frames;
    }
    r.forcing->overlap = overlap;
    r.image.clear();
    return overlap;
}

/// The number of frames, in whole latent frames and blocks, that a clip needs to have at least `frames`.
int frames_for(int frames, int block) {
    const int latent = latent_frames(frames + 3);
    return video_frames((latent + block - 1) / block * block);
}

void keep_one_window(Request& made) {
    if (!made.forcing) return;
    try {
        const ModelFolder model = ModelFolder::open(find_model(made.model), made.parts);
        Pipeline::keep_one_window(made, Pipeline::defaults(made, model));
    } catch (const Error&) { // starting the run says what is wrong with the model
    }
}

/// Whether the model of a run without diffusion forcing can begin with an image, such as the last picture of the run.
bool begins_with_image(const Request& made) {
    try {
        const Variant variant = Variant::guess(ModelFolder::open(find_model(made.model), made.parts));
        return variant.condition > 0 || variant.clean_image();
    } catch (const Error&) { // the model may be gone
        return false;
    }
}

} // namespace

bool ResultPlace::split(const QString& first, const QString& second) {
    bool has = false;
    for (QStringList* parts : {&shots, &placed}) {
        const qsizetype at = parts->indexOf(first);
        if (at < 0) continue;
        parts->insert(at + 1, second);
        has = true;
    }
    return has;
}

QString ResultPlace::tag() const {
    const QString where = shots.join(plus) + bar;
    return placed.isEmpty() ? retake_tag + where + (part ? QString::number(*part) : QString())
                            : extend_tag + where + placed.join(plus);
}

std::optional<ResultPlace> ResultPlace::of_tag(const QString& tag) {
    const bool extends = tag.startsWith(extend_tag);
    const QStringList words = tag.split(bar);
    if (words.size() != 3 || (!extends && !tag.startsWith(retake_tag))) return {};
    ResultPlace place{words[1].split(plus, Qt::SkipEmptyParts), {}, {}};
    if (extends) {
        place.placed = words[2].split(plus, Qt::SkipEmptyParts);
    } else {
        bool is_number = false;
        const int part = words[2].toInt(&is_number);
        if (is_number) place.part = part;
    }
    if (place.shots.isEmpty() || (extends && place.placed.isEmpty())) return {};
    return place;
}

Request extension_of(const Shot& shot, const Request& request) {
    Request r = anew(request);
    if (shot.current().part) r.frames.reset(); // that number was meant for the part only
    const int room = r.frames ? std::max(2, latent_frames(*r.frames)) : most_room;
    if (r.frames) r.frames = std::max(*r.frames, video_frames(2)); // one latent frame is given, one is made
    continue_take(r, shot.current(), shot.out, room);
    r.last_image.clear();
    return r;
}

Image frame_of(const Take& take, int frame) {
    const auto frames = open_clip(take.video);
    return frames->read(std::clamp(take.picture(frame), 0, frames->info().frames - 1));
}

Continuation continuation_of(const Shot& shot, const ChosenModel& chosen) {
    const Take& take = shot.current();
    Continuation out{chosen.takes_image, {}, {}};
    // A still has no motion to continue, so a clip begins with it as its image.
    bool forcing = chosen.forcing && !take.still();
    if (!take.run.isEmpty()) {
        const Request made = RunHistory::record(take.run).request;
        if (made.mode == Mode::forcing || begins_with_image(made)) {
            out.possible = true;
            out.request = made;
            forcing = made.mode == Mode::forcing;
        } else {
            out.request = chosen.request;
            out.request->prompt = made.prompt;
            out.request->width = made.width, out.request->height = made.height;
        }
        out.request->start.reset();
        out.request->seed.reset();
    }
    if (out.possible && !forcing && !take.still()) out.last = to_qimage(frame_of(take, shot.out - 1));
    return out;
}

Retake retake_of(const Shot& shot, const Request& made) {
    const Take& take = shot.current();
    Retake again{anew(made), take.part, {}};
    Request& r = again.request;
    if (made.mode != Mode::forcing) return again;
    const bool after = made.forcing && !made.forcing->video.empty();
    const int given = after ? made.forcing->overlap : 0;
    constexpr int trimmed = 3; // frames; trimming less than a latent frame does not count
    const bool all = shot.in <= given + trimmed && shot.out + trimmed >= take.frames;
    std::error_code code;
    const bool gone = after && given <= usual_overlap && !std::filesystem::exists(made.forcing->video, code);
    if (gone) continue_take(r, take, given, latent_frames(*made.frames)); // the take begins with the same pictures
    if (all) {
        keep_one_window(r);
        return again;
    }
    int first = 0; // the frame of the take with which the new clip begins
    if (shot.in > given) {
        const int overlap = continue_take(r, take, shot.in, most_room);
        first = shot.in - overlap;
        r.frames = frames_for(overlap + shot.frames(), r.forcing->block);
    } else {
        const int least = given + 1; // at least one frame must be made
        r.frames = frames_for(std::max(shot.out, least), r.forcing->block);
    }
    again.part = take.part.value_or(0) + first;
    if (const int end = first + *r.frames; end < take.frames) {
        again.end = end;
        r.forcing->block = 1; // the image at the end is a single latent frame
    }
    return again;
}

} // namespace denoir::app
