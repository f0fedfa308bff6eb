// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/kernels.h"

#include <array>
#include <cstdlib>
#include <utility>
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace denoir::cpu {

// Defined by the builds of simd/table.cpp.
namespace baseline {
extern const Kernels table;
}
#if defined(__x86_64__)
namespace avx2 {
extern const Kernels table;
}
namespace avx512 {
extern const Kernels table;
}
namespace avx512_bf16 {
extern const Kernels table;
}
namespace amx {
extern const Kernels table;
}

namespace {

/// Whether the processor has tiles of bf16 and the kernel lets this process use them, which it must ask for once.
bool has_amx() {
#if defined(__linux__)
    static const bool answer = [] {
        unsigned a = 0, b = 0, c = 0, d = 0;
        const bool there = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d >> 22 & 1) && (d >> 24 & 1);
        constexpr long request_permission = 0x1023, tile_data = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
        return there && syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
    }();
    return answer;
#else
    return false;
#endif
}

/// Asked of the processor itself: not every compiler's __builtin_cpu_supports knows the name.
bool has_f16c() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

} // namespace
#endif

const Kernels* kernels(Isa isa) {
    if (isa == Isa::baseline) return &baseline::table;
#if defined(__x86_64__)
    static const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
    if (isa == Isa::avx2) return has_avx2 ? &avx2::table : nullptr;
    const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (isa == Isa::avx512) return has_avx512 ? &avx512::table : nullptr;
    const bool has_bf16 = has_avx512 && __builtin_cpu_supports("avx512bf16");
    if (isa == Isa::avx512_bf16) return has_bf16 ? &avx512_bf16::table : nullptr;
    if (isa == Isa::amx) return has_bf16 && has_amx() ? &amx::table : nullptr;
#endif
    return nullptr;
}

const Kernels& kernels() {
    static const Kernels& chosen = []() -> const Kernels& {
        constexpr std::array<std::pair<std::string_view, Isa>, 5> sets = {{{"amx", Isa::amx},
                                                                           {"avx512_bf16", Isa::avx512_bf16},
                                                                           {"avx512", Isa::avx512},
                                                                           {"avx2", Isa::avx2},
                                                                           {"baseline", Isa::baseline}}};
        const char* wish = std::getenv("DENOIR_ISA");
        // From the set that was asked for down to the first that is there; any other word asks for the widest.
        std::size_t first = 0;
        for (std::size_t i = 0; wish && i < sets.size(); ++i)
            if (sets[i].first == wish) first = i;
        while (!kernels(sets[first].second)) ++first; // the last is everywhere
        return *kernels(sets[first].second);
    }();
    return chosen;
}

} // namespace denoir::cpu
