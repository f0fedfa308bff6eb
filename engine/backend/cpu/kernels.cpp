// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/kernels.h"

namespace denoir::cpu {

// Each is defined by one of the builds of simd/table.cpp.
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

#endif

const Kernels* kernels(InstructionSet set) {
    if (!has(set)) return nullptr;
    switch (set) {
    case InstructionSet::baseline:
        return &baseline::table;
#if defined(__x86_64__)
    case InstructionSet::avx2:
        return &avx2::table;
    case InstructionSet::avx512:
        return &avx512::table;
    case InstructionSet::avx512_bf16:
        return &avx512_bf16::table;
    case InstructionSet::amx:
        return &amx::table;
#endif
    default:
        return nullptr;
    }
}

const Kernels& kernels() { return *kernels(widest_instruction_set()); }

} // namespace denoir::cpu
