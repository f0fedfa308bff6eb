// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace denoir {

/// The instruction sets for which inner loops are compiled (cmake/InstructionSets.cmake), from narrow to wide; each
/// includes all before it.
enum class InstructionSet { baseline, avx2, avx512, avx512_bf16, amx };

/// Whether this processor has the set and the system lets this process use it.
bool has(InstructionSet);

/// The widest available set, but none wider than the environment variable
/// DENOIR_ISA=baseline|avx2|avx512|avx512_bf16|amx says (for tests).
InstructionSet widest_instruction_set();

} // namespace denoir
