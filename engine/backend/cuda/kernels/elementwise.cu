// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/kernels/elementwise.h"

#include "engine/backend/cuda/kernels/dispatch.h"
#include "engine/backend/cuda/launch.h"

namespace denoir::cuda {
namespace {

constexpr unsigned threads = 256;

/// Finds the place of this thread's pack; false past the last one.
template <int V> __device__ bool place(const Walk& w, Offsets& at) {
    const std::int64_t packs = w.elements() / V;
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
    if (i >= packs) return false;
    // 32-bit divisions cost a quarter. With at most eight values in a pack, the number of values fits into 32 bits too.
    at = packs <= 0x1FFFFFFF ? offsets_of(w, static_cast<std::uint32_t>(i), V) : offsets_of(w, i, V);
    return true;
}

/// Loads V values, or one value V times if the last axis repeats it.
template <int V, class T>
__device__ void load_operand(const Walk& w, const Operand& x, std::int64_t at, float* values) {
    const T* from = static_cast<const T*>(x.data) + at;
    if (V > 1 && x.stride[w.axes - 1] == 0)
        for (int i = 0; i < V; ++i) values[i] = widen(*from);
    else
        load<V>(from, values);
}

template <class A, class Out, int V> __global__ void __launch_bounds__(threads) copy_kernel(Walk w) {
    Offsets at;
    if (!place<V>(w, at)) return;
    float values[V];
    load_operand<V, A>(w, w.a, at.a, values);
    store<V>(static_cast<Out*>(w.out.data) + at.out, values);
}

template <class T> __global__ void __launch_bounds__(threads) copy_raw_kernel(Walk w) {
    Offsets at;
    if (place<1>(w, at)) static_cast<T*>(w.out.data)[at.out] = static_cast<const T*>(w.a.data)[at.a];
}

struct alignas(16) Sixteen {
    std::uint64_t half[2];
};
constexpr int sixteens_each = 4; ///< packs of 16 bytes that a thread copies
constexpr std::int64_t sixteens = std::int64_t{threads} * sixteens_each;

/// Block: one piece of one stretch.
__global__ void __launch_bounds__(threads) copy_all_kernel(Stretches all) {
    const std::int64_t block = blockIdx.x;
    int first = 0, end = all.count; // the last stretch that does not begin after this block
    while (end - first > 1) {
        const int middle = (first + end) / 2;
        if (all.one[middle].block <= block)
            first = middle;
        else
            end = middle;
    }
    const Stretches::One& s = all.one[first];
    const std::int64_t begin = (block - s.block) * sixteens + threadIdx.x;
    const Sixteen* from = reinterpret_cast<const Sixteen*>(s.from);
    Sixteen* to = reinterpret_cast<Sixteen*>(s.to);
    Sixteen moved[sixteens_each];
    for (int i = 0; i < sixteens_each; ++i)
        if (begin + i * threads < s.packs) moved[i] = from[begin + i * threads];
    for (int i = 0; i < sixteens_each; ++i)
        if (begin + i * threads < s.packs) to[begin + i * threads] = moved[i];
}

template <class Out, int V> __global__ void __launch_bounds__(threads) fill_kernel(Walk w, float value) {
    Offsets at;
    if (!place<V>(w, at)) return;
    float values[V];
    for (int i = 0; i < V; ++i) values[i] = value;
    store<V>(static_cast<Out*>(w.out.data) + at.out, values);
}

template <class A, class B, class Out, int V> __global__ void __launch_bounds__(threads)
    combine_kernel(Walk w, Pair pair) {
    Offsets at;
    if (!place<V>(w, at)) return;
    float a[V], b[V];
    load_operand<V, A>(w, w.a, at.a, a);
    load_operand<V, B>(w, w.b, at.b, b);
    for (int i = 0; i < V; ++i) a[i] = pair == Pair::sum ? a[i] + b[i] : a[i] * b[i];
    store<V>(static_cast<Out*>(w.out.data) + at.out, a);
}

template <class A, class Out, int V> __global__ void __launch_bounds__(threads) activate_kernel(Walk w, Curve kind) {
    Offsets at;
    if (!place<V>(w, at)) return;
    float values[V];
    load_operand<V, A>(w, w.a, at.a, values);
    for (int i = 0; i < V; ++i) values[i] = curve(kind, values[i]);
    store<V>(static_cast<Out*>(w.out.data) + at.out, values);
}

template <int V> __global__ void __launch_bounds__(threads) gelu_in_steps_kernel(Walk w) {
    Offsets at;
    if (!place<V>(w, at)) return;
    float values[V];
    load_operand<V, Bf16>(w, w.a, at.a, values);
    for (int i = 0; i < V; ++i) values[i] = gelu_tanh_in_steps(values[i]);
    store<V>(static_cast<Bf16*>(w.out.data) + at.out, values);
}

/// Whether every pack of eight of this operand is dense and aligned (or, with `may_repeat`, one repeated value).
bool in_eights(const Walk& w, const Operand& x, bool may_repeat) {
    const std::int64_t last = x.stride[w.axes - 1];
    if (last == 0 && may_repeat) return true;
    if (last != 1 || !in_eights(x.data, x.type, 0)) return false;
    for (int axis = 0; axis + 1 < w.axes; ++axis)
        if (x.stride[axis] % 8 != 0) return false;
    return true;
}

template <class F> void by_pack(bool eights, F f) {
    if (eights)
        f(Constant<8>{});
    else
        f(Constant<1>{});
}

std::int64_t blocks(const Walk& w, int pack) { return divide_up(w.elements() / pack, threads); }

template <class F> void with_type(Type type, F f) {
    if (type == Type::f16)
        f(F16{});
    else if (type == Type::i64)
        f(std::int64_t{});
    else
        with_float(type, f);
}

} // namespace

void copy(Runtime& runtime, const Walk& w) {
    if (w.elements() == 0) return;
    if (w.out.type == w.a.type && w.out.type != Type::f32 && w.out.type != Type::bf16)
        return copy_raw(runtime, w, w.out.type == Type::i64 ? 8 : 2);
    const bool eights = w.size[w.axes - 1] % 8 == 0 && in_eights(w, w.out, false) && in_eights(w, w.a, true);
    by_pack(eights, [&](auto pack) {
        constexpr int V = decltype(pack)::value;
        with_type(w.a.type, [&](auto a) {
            with_float(w.out.type, [&](auto out) {
                launch(runtime, blocks(w, V), {threads}, 0, copy_kernel<decltype(a), decltype(out), V>, w);
            });
        });
    });
}

void copy_raw(Runtime& runtime, const Walk& w, int bytes) {
    if (w.elements() == 0) return;
    const auto run = [&](auto element) {
        launch(runtime, blocks(w, 1), {threads}, 0, copy_raw_kernel<decltype(element)>, w);
    };
    if (bytes == 1)
        run(std::uint8_t{});
    else if (bytes == 2)
        run(std::uint16_t{});
    else if (bytes == 4)
        run(std::uint32_t{});
    else
        run(std::uint64_t{});
}

bool Stretches::add(std::byte* to, const std::byte* from, std::size_t bytes) {
    constexpr std::uintptr_t pack = sizeof(Sixteen);
    const auto in_packs = [](const std::byte* at) { return reinterpret_cast<std::uintptr_t>(at) % pack == 0; };
    if (count == most || bytes % pack != 0 || !in_packs(to) || !in_packs(from)) return false;
    if (bytes == 0) return true;
    const auto packs = static_cast<std::int64_t>(bytes / pack);
    one[count++] = {to, from, packs, blocks};
    blocks += divide_up(packs, sixteens);
    return true;
}

void copy_all(Runtime& runtime, const Stretches& all) {
    if (all.count > 0) launch(runtime, all.blocks, {threads}, 0, copy_all_kernel, all);
}

void require_kernels(Runtime& runtime) { require_code(runtime, fill_kernel<float, 1>); }

void fill(Runtime& runtime, const Walk& w, float value) {
    if (w.elements() == 0) return;
    by_pack(w.size[w.axes - 1] % 8 == 0 && in_eights(w, w.out, false), [&](auto pack) {
        constexpr int V = decltype(pack)::value;
        with_float(w.out.type, [&](auto out) {
            launch(runtime, blocks(w, V), {threads}, 0, fill_kernel<decltype(out), V>, w, value);
        });
    });
}

void combine(Runtime& runtime, Pair pair, const Walk& w) {
    if (w.elements() == 0) return;
    const bool eights =
        w.size[w.axes - 1] % 8 == 0 && in_eights(w, w.out, false) && in_eights(w, w.a, true) && in_eights(w, w.b, true);
    by_pack(eights, [&](auto pack) {
        constexpr int V = decltype(pack)::value;
        with_float(w.a.type, [&](auto a) {
            with_float(w.b.type, [&](auto b) {
                with_float(w.out.type, [&](auto out) {
                    launch(runtime, blocks(w, V), {threads}, 0,
                           combine_kernel<decltype(a), decltype(b), decltype(out), V>, w, pair);
                });
            });
        });
    });
}

void activate(Runtime& runtime, Curve kind, const Walk& w) {
    if (w.elements() == 0) return;
    const bool eights = w.size[w.axes - 1] % 8 == 0 && in_eights(w, w.out, false) && in_eights(w, w.a, true);
    by_pack(eights, [&](auto pack) {
        constexpr int V = decltype(pack)::value;
        with_float(w.a.type, [&](auto a) {
            with_float(w.out.type, [&](auto out) {
                launch(runtime, blocks(w, V), {threads}, 0, activate_kernel<decltype(a), decltype(out), V>, w, kind);
            });
        });
    });
}

void gelu_in_steps(Runtime& runtime, const Walk& w) {
    if (w.elements() == 0) return;
    const bool eights = w.size[w.axes - 1] % 8 == 0 && in_eights(w, w.out, false) && in_eights(w, w.a, true);
    by_pack(eights, [&](auto pack) {
        constexpr int V = decltype(pack)::value;
        launch(runtime, blocks(w, V), {threads}, 0, gelu_in_steps_kernel<V>, w);
    });
}

} // namespace denoir::cuda
