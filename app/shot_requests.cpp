// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shot_requests.h"

#include <algorithm>

#include "app/text.h"

namespace denoir::app {
namespace {

constexpr int usual_overlap = 17; // frames: what SkyReels recommends (spec/pipelines.md 6)

/// As many frames of those before as a clip may begin with: 4n+1.
int overlap_of(int frames) { return (std::clamp(frames, 1, usual_overlap) - 1) / 4 * 4 + 1; }

int rounded_up(int frames, int unit) { return (frames + unit - 1) / unit * unit; }

Request anew(const Request& request) {
    Request r = request;
    r.start.reset();
    r.seed.reset();
    if (r.noise.kind == NoiseSource::Kind::file) r.noise = {}; // of another length
    return r;
}

/// Goes on after the first `frames` of the take.
void go_on(Request& r, const Take& take, int frames, int overlap) {
    if (!r.forcing) r.forcing.emplace();
    r.forcing->video = to_path(take.video);
    r.forcing->video_frames = frames;
    r.forcing->overlap = overlap;
    r.image.clear();
}

} // namespace

Request extension_of(const Shot& shot, const Request& request) {
    Request r = anew(request);
    const int room = r.frames ? *r.frames - 4 : usual_overlap; // something must be left to make
    go_on(r, shot.current(), shot.out, overlap_of(std::min(shot.out, room)));
    r.last_image.clear();
    return r;
}

Retake retake_of(const Shot& shot, const Request& made) {
    const Take& take = shot.current();
    Retake again{anew(made), {}, {}};
    Request& r = again.request;
    const int given = made.forcing && !made.forcing->video.empty() ? made.forcing->overlap : 0;
    const bool all = shot.in <= given && shot.out == take.frames;
    if (made.mode != Mode::forcing || all) return again;
    int first = 0; // frame of the take that the new clip begins with
    if (shot.in > given) {
        const int overlap = overlap_of(shot.in);
        first = shot.in - overlap;
        go_on(r, take, shot.in, overlap);
        r.frames = overlap + rounded_up(shot.frames(), 4);
    } else {
        r.frames = std::max(rounded_up(shot.out - 1, 4) + 1, given + 4);
    }
    again.part = take.part.value_or(0) + first;
    const int end = first + *r.frames;
    if (end < take.frames) {
        again.end = end;
        r.forcing->block = 1; // an image is one latent frame
    }
    return again;
}

} // namespace denoir::app
