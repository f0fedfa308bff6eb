// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>

#include "engine/session/run_folder.h"

/// Taking over files from another run: as hard links if the file system allows it, else as copies.
namespace denoir {

struct ModelFolder;

/// Takes over the steps up to the start of the branch `run` and, with `conditioning`, the encoded prompt and images.
/// Throws Error.
void take_over(RunFolder& run, const RunFolder& parent, bool conditioning);

/// For a branch that was killed before it had all steps of its parent: takes over the rest now. (They cannot be
/// computed again, since the branch's prompt and guidance may differ.) Throws Error if the parent has other steps by
/// now.
void take_over_again(RunFolder& run, const ModelFolder&);

/// Throws Error if steps before `last`, which a branch takes over too, are missing.
void check_steps_before(const RunFolder& parent, int last);

/// Takes over the encoded prompt and images of the run `other` if this run's would be the same. Does nothing if
/// anything is wrong with them: this run can encode its own.
void take_conditioning_of(const std::filesystem::path& other, RunFolder& run, const ModelFolder&);

} // namespace denoir
