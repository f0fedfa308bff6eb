// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>

/// The layout of a run's folder, for code that recognises runs without opening them. RunFolder reads and writes the
/// files.
namespace denoir {

/// Names inside a run's folder (CONTRACT.md, "The run folder").
namespace run_file {
inline constexpr const char record[] = "run.json"; ///< written first: a folder that holds one is a run
inline constexpr const char video[] = "video.mp4";
inline constexpr const char conditioning[] = "conditioning.safetensors";
inline constexpr const char metrics[] = "metrics.json";
inline constexpr const char thumbnail[] = "thumbnail.png";
inline constexpr const char latents[] = "latents"; ///< a folder: step_NNN.safetensors
inline constexpr const char solver[] = "solver";   ///< a folder: step_NNN.safetensors
} // namespace run_file

/// Whether `folder` holds a run.json, whatever that says. False if the folder cannot be read.
bool is_run_folder(const std::filesystem::path& folder);

/// Whether `folder` also holds a run's folders, as every run does that was begun by this program: other programs write
/// a run.json, too.
bool is_whole_run_folder(const std::filesystem::path& folder);

/// The folder of the run whose video `file` is (by its name, with a run.json beside it); "." for a bare file name.
/// Empty if it is no run's video. The video itself need not exist.
std::optional<std::filesystem::path> run_of_video(const std::filesystem::path& file);

} // namespace denoir
