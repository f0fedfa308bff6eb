// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace denoir {

/// What inner loops are compiled for (cmake/InstructionSets.cmake), from narrow to wide: each set has all before it.
enum class InstructionSet { baseline, avx2, avx512, avx512_bf16, amx };

/// True where this processor has the set and the system lets this process use it.
bool has(InstructionSet);

/// The widest that is there; DENOIR_ISA=baseline|avx2|avx512|avx512_bf16|amx in the environment asks for a narrower one
/// (tests).
InstructionSet widest_instruction_set();

} // namespace denoir
