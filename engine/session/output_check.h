// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <span>
#include <string>

namespace denoir {

/// What an `--out` asks for: a video file (.mp4, .mkv) or a folder of PNG frames.
enum class OutputKind { video, frames };

/// True where `path` lies below `folder` or is it, through links and other spellings; neither has to exist.
bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder);

/// True for one file under two spellings, or through links; it does not have to exist.
bool same_place(const std::filesystem::path& a, const std::filesystem::path& b);

/// Refuses, before anything is computed, an output file that cannot appear later: no folder there, not writable, a
/// folder, pipe or device of that name, or one of `inputs` (through links or other spellings; folders stand for the
/// files in them that somebody could read, not for films, pages and tables that were made there), or a file that a run
/// keeps (its video, latents, …), unless that is `own_run`, or a sweep (its grid, tables, …). Throws Error naming `out`
/// as given. What a process that was ended had written beside it under a temporary name is removed.
void check_output_file(const std::filesystem::path& out, std::span<const std::filesystem::path> inputs,
                       const std::filesystem::path& own_run = {});

/// A folder that must be new or empty; what a killed process left half-written there does not count. It may hold
/// frame_00001.png … up to number `own_frames`, where a run goes on that may have been ended while it put them there.
void check_output_folder(const std::filesystem::path& out, std::span<const std::filesystem::path> inputs,
                         int own_frames = 0);

/// check_output_file or check_output_folder, by the name of `out`; returns which. An existing folder named like a video
/// and names of other media are refused.
OutputKind check_output(const std::filesystem::path& out, std::span<const std::filesystem::path> inputs,
                        int own_frames = 0, const std::filesystem::path& own_run = {});

} // namespace denoir
