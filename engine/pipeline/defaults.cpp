// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/defaults.h"

namespace denoir {
namespace {

// spec/pipelines.md 1.2. Wan's image tasks put a camera clause in front.
#define DENOIR_WAN_NEGATIVE                                                                                                                                                    \
    "色调艳丽，过曝，静态，细节模糊不清，字幕，风格，作品，画作，画面，静止，整体发灰，最差质量，低质量，JPEG压缩残留"   \
    "，丑陋的，残缺的，多余的手指，"                                                                                                                            \
    "画得不好的手部，画得不好的脸部，畸形的，毁容的，形态畸形的肢体，手指融合，静止不动的画面，杂乱的背景，三条腿，背" \
    "景人很多，倒着走"
constexpr std::string_view wan_negative = DENOIR_WAN_NEGATIVE;
constexpr std::string_view wan_i2v_negative = "镜头晃动，" DENOIR_WAN_NEGATIVE;
constexpr std::string_view wan_flf2v_negative = "镜头切换，镜头晃动，" DENOIR_WAN_NEGATIVE;
#undef DENOIR_WAN_NEGATIVE
constexpr std::string_view skyreels_negative = "Bright tones, overexposed, static, blurred details, subtitles, style, "
                                               "works, paintings, images, static, overall gray, worst quality, "
                                               "low quality, JPEG compression residue, ugly, incomplete, extra "
                                               "fingers, poorly drawn hands, poorly drawn faces, deformed, disfigured, "
                                               "misshapen limbs, fused fingers, still picture, messy background, three "
                                               "legs, many people in the background, walking backwards";

Defaults skyreels(Mode mode, bool p720) {
    const int frames = p720 ? 121 : 97, width = p720 ? 1280 : 960, height = p720 ? 720 : 544;
    // The README's table for image-to-video; the command line's own numbers are meant for text.
    if (mode == Mode::i2v || mode == Mode::flf2v)
        return {30, 5.0, 5.0, 5.0, frames, 24, width, height, skyreels_negative};
    return {30, 8.0, 6.0, 6.0, frames, 24, width, height, skyreels_negative};
}

Defaults wan21(Mode mode, bool p480) {
    const int width = p480 ? 832 : 1280, height = p480 ? 480 : 720;
    if (mode == Mode::i2v)
        return {40, p480 ? wan_480p_shift : wan_720p_shift, 5.0, 5.0, 81, 16, width, height, wan_i2v_negative};
    if (mode == Mode::flf2v) return {50, 16.0, 5.0, 5.0, 81, 16, 1280, 720, wan_flf2v_negative};
    return {50, 5.0, 5.0, 5.0, 81, 16, width, height, wan_negative};
}

} // namespace

Defaults defaults_for(Family family, Mode mode, bool p720, bool p480) {
    switch (family) {
    case Family::skyreels:
        return skyreels(mode, p720);
    case Family::skyreels_df: {
        Defaults d = skyreels(Mode::forcing, p720);
        d.negative_prompt = wan_negative; // this entry point of SkyReels uses Wan's
        return d;
    }
    case Family::wan22:
        if (mode != Mode::t2v) return {40, 5.0, 3.5, 3.5, 81, 16, 1280, 720, wan_negative};
        return {40, 12.0, 4.0, 3.0, 81, 16, 1280, 720, wan_negative};
    case Family::wan:
        break;
    }
    return wan21(mode, p480);
}

Defaults ti2v_defaults() { return {50, 5.0, 5.0, 5.0, 121, 24, 1280, 704, wan_negative}; }

} // namespace denoir
