// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/resolve_forcing.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/units.h"
#include "engine/pipeline/refuse.h"
#include "engine/pipeline/variant.h"

namespace denoir {
namespace {

/// How many frames a video or the window before gives.
void check_overlap(const Forcing& f) {
    if (!is_frame_count(f.overlap))
        refuse("forcing.overlap", fmt::format("{} is not 4n+1", f.overlap),
               fmt::format("use {}", video_frames(latent_frames(std::max(1, f.overlap)))));
    const int ready = latent_frames(f.overlap);
    if (ready % f.block != 0)
        refuse(
            "forcing.block",
            fmt::format("the {} latent frames of an overlap of {} are not a whole number of blocks of {}", ready,
                        f.overlap, f.block),
            fmt::format("use block 1, or an overlap of {}", video_frames((ready + f.block - 1) / f.block * f.block)));
}

void check_video_before(const Request& r) {
    const Forcing& f = *r.forcing;
    if (!r.image.empty())
        refuse("forcing.video", "a clip continues a video or begins with an image, not both", "leave one of them out");
    if (ready_frames(r) >= latent_frames(*r.frames))
        refuse("forcing.overlap",
               fmt::format("{} of {} frames are the video's: nothing is left to make", f.overlap, *r.frames),
               fmt::format("use {} frames or more", f.overlap + 4));
}

/// A clip of several windows, whose overlap is of whole blocks: all are, if the first is and the clip.
void check_windows(const Request& r) {
    const Forcing& f = *r.forcing;
    const auto check = [&](const char* field, int frames) {
        const int latent = latent_frames(frames);
        if (latent % f.block != 0)
            refuse(field,
                   fmt::format("{} latent frames ({} frames) are not a whole number of blocks of {}", latent, frames,
                               f.block),
                   fmt::format("use block 1, or {}", video_frames((latent + f.block - 1) / f.block * f.block)));
    };
    check("forcing.base", *f.base);
    check("frames", *r.frames);
}

} // namespace

void choose_windows(Request& r, int usual) {
    if (!r.forcing) r.forcing = Forcing{};
    Forcing& f = *r.forcing;
    if (f.base || r.start || r.noise.kind == NoiseSource::Kind::file) return;
    if (*r.frames <= usual || usual < 5 || !is_frame_count(usual)) return;
    const auto whole_blocks = [&](int frames) { return f.block > 0 && latent_frames(frames) % f.block == 0; };
    if (f.overlap < usual && whole_blocks(usual) && whole_blocks(f.overlap) && whole_blocks(*r.frames)) f.base = usual;
}

void check_forcing(const Request& r, int frames) {
    const Forcing& f = *r.forcing;
    if (f.base && (*f.base < 5 || *f.base > FrameCount::max || !is_frame_count(*f.base)))
        refuse("forcing.base", fmt::format("{} is not 4n+1, 5 or more", *f.base),
               fmt::format("use {}", video_frames(std::clamp(*f.base, 5, FrameCount::max) / 4 + 1)));
    if (f.ar_step < 0 || f.ar_step > 1000)
        refuse("forcing.ar_step", fmt::format("{} is out of range", f.ar_step), "use 0 (all frames together) to 1000");
    if (f.block < 1 || f.block > frames)
        refuse("forcing.block", fmt::format("{} is out of range", f.block),
               fmt::format("use 1 to {} latent frames", frames));
    if (f.condition_noise < 0 || f.condition_noise > 999)
        refuse("forcing.condition_noise", fmt::format("{} is out of range", f.condition_noise),
               "use 0 to 999 thousandths, 20 is usual");
    const bool several = f.base && *f.base < *r.frames;
    if (several || goes_on(r)) check_overlap(f);
    if (several) check_windows(r);
    if (frames % f.block != 0 && !several)
        refuse("forcing.block",
               fmt::format("{} latent frames ({} frames) are not a whole number of blocks of {}", frames, *r.frames,
                           f.block),
               fmt::format("use block 1, or {} frames", video_frames(frames / f.block * f.block)));
    if (f.block > 1 && (!r.image.empty() || !r.last_image.empty()))
        refuse("forcing.block", "an image is one latent frame, which is not a whole block", "use block 1 with images");
    if (goes_on(r)) check_video_before(r);
    if (*r.frames == 1 && !r.image.empty())
        refuse("frames", "nothing is left to make besides the start image", "use 5 frames or more");
}

} // namespace denoir
