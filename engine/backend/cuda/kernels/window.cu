// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/kernels/window.h"

#include "engine/backend/cuda/kernels/dispatch.h"
#include "engine/backend/cuda/launch.h"

namespace denoir::cuda {
namespace {

constexpr unsigned threads = 256;

template <class Out, int V> __device__ void move(const Window& w, bool inside, int t, Pixel at, int c, Out* to) {
    float values[V];
    for (int i = 0; i < V; ++i) values[i] = 0;
    const Window::Frame& frame = w.frame[t];
    if (inside && frame.data) {
        const std::int64_t from = at.y * frame.row + at.x * frame.pixel + c;
        if (frame.type == Type::bf16)
            load<V>(static_cast<const Bf16*>(frame.data) + from, values);
        else
            load<V>(static_cast<const float*>(frame.data) + from, values);
    }
    store<V>(to, values);
}

template <class Out, int V> __global__ void __launch_bounds__(threads)
    unfold_kernel(Window w, std::int64_t out_width, std::int64_t first, std::int64_t pixels, Out* out) {
    const int packs = w.channels / V, taps = w.time * w.taps_down * w.taps_across;
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
    if (i >= pixels * taps * packs) return;
    const std::int64_t group = i / packs, pixel = group / taps;
    int t = 0;
    Pixel at{};
    const bool inside = tap_source(w, out_width, first + pixel, static_cast<int>(group - pixel * taps), t, at);
    move<Out, V>(w, inside, t, at, static_cast<int>(i - group * packs) * V, out + i * V);
}

/// A line of the padded input is `blocks` blocks: one division serves all threads of a block, each adds small ones.
template <class Out, int V> __global__ void __launch_bounds__(threads)
    gather_kernel(Window w, unsigned blocks, unsigned height, unsigned width, bool stacked, Out* out) {
    const unsigned packs = static_cast<unsigned>(w.channels) / V, line = blockIdx.x / blocks;
    const unsigned i = (blockIdx.x - line * blocks) * threads + threadIdx.x;
    if (i >= width * packs) return;
    const unsigned x = i / packs, frame = line / height;
    Pixel at{};
    const bool inside = source(w, line - frame * height, x, at);
    const int c = static_cast<int>(i - x * packs) * V;
    const std::int64_t time = w.time, pixel = static_cast<std::int64_t>(line - frame * height) * width + x,
                       to = stacked ? pixel * time + frame : static_cast<std::int64_t>(line) * width + x;
    move<Out, V>(w, inside, static_cast<int>(frame), at, c, out + to * w.channels + c);
}

bool in_eights(const Window& w, const void* out, Type type) {
    bool all = w.channels % 8 == 0 && in_eights(out, type, 0);
    for (int t = 0; t < w.time; ++t) {
        const Window::Frame& f = w.frame[t];
        if (f.data) all = all && in_eights(f.data, f.type, f.row) && f.pixel % 8 == 0;
    }
    return all;
}

template <class F> void choose(const Window& w, const void* out, Type type, F f) {
    with_float(type, [&](auto element) {
        if (in_eights(w, out, type))
            f(element, Constant<8>{});
        else
            f(element, Constant<1>{});
    });
}

} // namespace

void unfold(Runtime& runtime, const Window& w, std::int64_t out_width, std::int64_t first, std::int64_t pixels,
            void* out, Type type) {
    const std::int64_t elements = pixels * w.time * w.taps_down * w.taps_across * w.channels;
    if (elements == 0) return;
    choose(w, out, type, [&](auto element, auto pack) {
        using T = decltype(element);
        constexpr int V = decltype(pack)::value;
        launch(runtime, divide_up(elements / V, threads), {threads}, 0, unfold_kernel<T, V>, w, out_width, first,
               pixels, static_cast<T*>(out));
    });
}

void gather_frames(Runtime& runtime, const Window& w, std::int64_t padded_height, std::int64_t padded_width,
                   bool stacked, void* out, Type type) {
    const std::int64_t elements = w.time * padded_height * padded_width * w.channels;
    if (elements == 0) return;
    choose(w, out, type, [&](auto element, auto pack) {
        using T = decltype(element);
        constexpr int V = decltype(pack)::value;
        const std::int64_t blocks = divide_up(padded_width * (w.channels / V), threads);
        launch(runtime, w.time * padded_height * blocks, {threads}, 0, gather_kernel<T, V>, w,
               static_cast<unsigned>(blocks), static_cast<unsigned>(padded_height), static_cast<unsigned>(padded_width),
               stacked, static_cast<T*>(out));
    });
}

} // namespace denoir::cuda
