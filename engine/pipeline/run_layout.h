// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>

/// Where things lie in a run's folder: for who looks at runs without opening them. RunFolder reads and writes them.
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

/// Whether `folder` holds a run.json, whoever wrote it and whatever it says. False where that cannot be found out.
bool is_run_folder(const std::filesystem::path& folder);

/// The folder of the run that `file` is the video of, "." for one without a folder; nothing where it is none's: another
/// name, or no run.json beside it. The video itself need not be there.
std::optional<std::filesystem::path> run_of_video(const std::filesystem::path& file);

} // namespace denoir
