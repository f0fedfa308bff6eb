// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/kernels.h"

#include <cstdlib>

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
#endif

const Kernels* kernels(Isa isa) {
    if (isa == Isa::baseline) return &baseline::table;
#if defined(__x86_64__)
    const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (isa == Isa::avx2) return has_avx2 ? &avx2::table : nullptr;
    const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (isa == Isa::avx512) return has_avx512 ? &avx512::table : nullptr;
    if (isa == Isa::avx512_bf16)
        return has_avx512 && __builtin_cpu_supports("avx512bf16") ? &avx512_bf16::table : nullptr;
#endif
    return nullptr;
}

const Kernels& kernels() {
    static const Kernels& chosen = []() -> const Kernels& {
        const char* wish = std::getenv("DENOIR_ISA");
        const std::string_view limit = wish ? wish : "avx512_bf16";
        const Kernels* found = limit == "avx512_bf16" ? kernels(Isa::avx512_bf16) : nullptr;
        if (!found && limit.starts_with("avx512")) found = kernels(Isa::avx512);
        if (!found && limit != "baseline") found = kernels(Isa::avx2);
        return found ? *found : *kernels(Isa::baseline);
    }();
    return chosen;
}

} // namespace denoir::cpu
