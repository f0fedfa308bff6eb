// SPDX-License-Identifier: Apache-2.0
#include "engine/core/instruction_set.h"

#include <array>
#include <string_view>

#include "engine/core/environment.h"
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace denoir {
namespace {

#if defined(__x86_64__)
/// Asks the processor itself, as not every compiler's __builtin_cpu_supports knows the name.
bool has_f16c() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c(); }

bool has_avx512() {
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

bool has_avx512_bf16() { return has_avx512() && __builtin_cpu_supports("avx512bf16"); }

/// Whether the processor has bf16 tiles and the kernel lets this process use them. Permission must be requested once.
bool has_amx() {
#if defined(__linux__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    const bool there = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d >> 22 & 1) && (d >> 24 & 1); // AMX-BF16, AMX-TILE
    constexpr long request_permission = 0x1023, tile_data = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
    return has_avx512_bf16() && there && syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
#else
    return false;
#endif
}
#endif

constexpr std::array<std::string_view, 5> names{"baseline", "avx2", "avx512", "avx512_bf16", "amx"};

} // namespace

bool has(InstructionSet set) {
#if defined(__x86_64__)
    static const std::array<bool, names.size()> there{true, has_avx2(), has_avx512(), has_avx512_bf16(), has_amx()};
    return there[static_cast<std::size_t>(set)];
#else
    return set == InstructionSet::baseline;
#endif
}

InstructionSet widest_instruction_set() {
    static const InstructionSet chosen = [] {
        const std::string_view wish = environment_word("DENOIR_ISA", names);
        // Goes down to the first set that is there, from the one that was asked for or, without a wish, the widest.
        std::size_t set = names.size() - 1;
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i] == wish) set = i;
        while (!has(InstructionSet(set))) --set; // every processor has the first
        return InstructionSet(set);
    }();
    return chosen;
}

} // namespace denoir
