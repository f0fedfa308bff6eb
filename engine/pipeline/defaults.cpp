// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/defaults.h"

namespace denoir {
namespace {

// spec/pipelines.md 1.2. For its image tasks Wan puts camera clauses in front: each of these ends with the next.
constexpr std::string_view wan_flf2v_negative = "镜头切换，镜头晃动，色调艳丽，过曝，静态，细节模糊不清，字幕，风格，作"
                                                "品，画作，画面，静止，整体发灰，最差质量，低质量，"
                                                "JPEG压缩残留，丑陋的，残缺的，多余的手指，画得不好的手部，画得不好的脸"
                                                "部，畸形的，毁容的，形态畸形的肢体，手指融合，"
                                                "静止不动的画面，杂乱的背景，三条腿，背景人很多，倒着走";
constexpr std::string_view wan_i2v_negative = wan_flf2v_negative.substr(std::string_view("镜头切换，").size());
constexpr std::string_view wan_negative = wan_i2v_negative.substr(std::string_view("镜头晃动，").size());
constexpr std::string_view skyreels_negative = "Bright tones, overexposed, static, blurred details, subtitles, style, "
                                               "works, paintings, images, static, overall gray, worst quality, "
                                               "low quality, JPEG compression residue, ugly, incomplete, extra "
                                               "fingers, poorly drawn hands, poorly drawn faces, deformed, disfigured, "
                                               "misshapen limbs, fused fingers, still picture, messy background, three "
                                               "legs, many people in the background, walking backwards";

Defaults skyreels(Mode mode, bool p720) {
    // For image-to-video the README's table; the command line's own numbers are meant for text.
    const bool image = mode == Mode::i2v || mode == Mode::flf2v;
    return {.steps = 30,
            .shift = image ? 5.0 : 8.0,
            .guidance = image ? 5.0 : 6.0,
            .frames = p720 ? 121 : 97,
            .fps = 24,
            .width = p720 ? 1280 : 960,
            .height = p720 ? 720 : 544,
            .negative_prompt = skyreels_negative};
}

Defaults wan21(Mode mode, bool p480) {
    Defaults d{.steps = 50,
               .shift = 5.0,
               .guidance = 5.0,
               .frames = 81,
               .fps = 16,
               .width = p480 ? 832 : 1280,
               .height = p480 ? 480 : 720,
               .negative_prompt = wan_negative};
    if (mode == Mode::i2v) {
        d.steps = 40;
        d.shift = p480 ? wan_480p_shift : wan_720p_shift;
        d.negative_prompt = wan_i2v_negative;
    } else if (mode == Mode::flf2v) {
        d.shift = 16.0;
        d.width = 1280, d.height = 720;
        d.negative_prompt = wan_flf2v_negative;
    }
    return d;
}

Defaults wan22(Mode mode) {
    const bool text = mode == Mode::t2v;
    return {.steps = 40,
            .shift = text ? 12.0 : 5.0,
            .guidance = text ? 4.0 : 3.5,
            .guidance_low = text ? 3.0 : 3.5,
            .frames = 81,
            .fps = 16,
            .width = 1280,
            .height = 720,
            .negative_prompt = wan_negative};
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
        return wan22(mode);
    case Family::wan:
        break;
    }
    return wan21(mode, p480);
}

Defaults ti2v_defaults() {
    return {.steps = 50,
            .shift = 5.0,
            .guidance = 5.0,
            .frames = 121,
            .fps = 24,
            .width = 1280,
            .height = 704,
            .negative_prompt = wan_negative};
}

} // namespace denoir
