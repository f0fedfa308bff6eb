// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/backend/cuda/kernels/number.h"
#include "engine/backend/cuda/runtime.h"

namespace denoir::cuda {

/// One output frame of a convolution over kt frames [H,W,C], channels last.
struct Window {
    static constexpr int max_time = 8;
    struct Frame {
        const void* data = nullptr;      ///< null: all zeros
        std::int64_t row = 0, pixel = 0; ///< strides
        Type type = Type::f32;
    };
    Frame frame[max_time];
    std::int64_t height = 0, width = 0; ///< of a frame
    int channels = 0, time = 1, taps_down = 1, taps_across = 1, stride = 1, pad_top = 0, pad_left = 0;
    bool duplicate = false;
};

/// out [pixels, kt, kh, kw, C]: what output pixels [first, first + pixels) of an output `out_width` wide see.
void unfold(Runtime&, const Window&, std::int64_t out_width, std::int64_t first, std::int64_t pixels, void* out, Type);

/// out [kt, padded height, padded width, C]: the frames behind each other, dense, with their zero border and
/// duplication. `stacked`: out [padded height, padded width, kt, C], each pixel with those of all frames.
void gather_frames(Runtime&, const Window&, std::int64_t padded_height, std::int64_t padded_width, bool stacked,
                   void* out, Type);

/// Place in the frame of position (y, x) of the padded, duplicated input; false in the border.
struct Pixel {
    std::int64_t y, x;
};
DENOIR_HD bool source(const Window& w, std::int64_t y, std::int64_t x, Pixel& at) {
    const std::int64_t grown = w.duplicate ? 2 : 1;
    y -= w.pad_top;
    x -= w.pad_left;
    if (y < 0 || x < 0 || y >= w.height * grown || x >= w.width * grown) return false;
    at = {y / grown, x / grown};
    return true;
}

/// Where `tap`, that is (t, dy, dx), of output pixel `pixel` reads: place `at` in frame `t`; false in the border.
DENOIR_HD bool tap_source(const Window& w, std::int64_t out_width, std::int64_t pixel, int tap, int& t, Pixel& at) {
    const int plane = w.taps_down * w.taps_across;
    t = tap / plane;
    const int dy = tap % plane / w.taps_across, dx = tap % w.taps_across;
    return source(w, pixel / out_width * w.stride + dy, pixel % out_width * w.stride + dx, at);
}

} // namespace denoir::cuda
