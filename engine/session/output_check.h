// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <span>
#include <string>

namespace denoir {

/// What an `--out` asks for: a video file (.mp4, .mkv) or a folder of PNG frames.
enum class OutputKind { video, frames };

/// Whether `path` is `folder` or lies below it, whatever the spelling and through links; neither has to exist.
bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder);

/// Whether two paths name one file, whatever the spelling and through links; it does not have to exist.
bool same_place(const std::filesystem::path& a, const std::filesystem::path& b);

/// Checks an output file before anything is computed. Throws Error naming `out` as given if
/// * it cannot be written: its folder is missing or not writable, or the name is that of a folder, pipe or device;
/// * it is one of `inputs`, whatever the spelling and through links. A folder stands for the files in it, except for
///   videos, pages and tables, which are outputs themselves;
/// * it belongs to a run (its video, latents, …) other than `own_run`, or to a sweep (its grid, tables, …).
/// Removes what a killed process left beside it under a temporary name.
void check_output_file(const std::filesystem::path& out, std::span<const std::filesystem::path> inputs,
                       const std::filesystem::path& own_run = {});

/// The same for an output folder, which must be new or empty apart from what a killed process left half-written. When a
/// run is resumed that may have been killed while it put its frames there, frame_00001.png … up to number `own_frames`
/// are allowed.
void check_output_folder(const std::filesystem::path& out, std::span<const std::filesystem::path> inputs,
                         int own_frames = 0);

/// Calls check_output_file() or check_output_folder() depending on the name of `out`, and returns which. Refuses an
/// existing folder with a video's name, and names of other media.
OutputKind check_output(const std::filesystem::path& out, std::span<const std::filesystem::path> inputs,
                        int own_frames = 0, const std::filesystem::path& own_run = {});

/// check_output() of a run that has begun. It keeps its `out`: where something is in the way there, the hint names what
/// helps such a run.
OutputKind check_output_of_run(const std::filesystem::path& out, std::span<const std::filesystem::path> inputs,
                               int own_frames, const std::filesystem::path& run);

} // namespace denoir
