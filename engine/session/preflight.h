// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <span>
#include <stop_token>
#include <vector>

#include "engine/pipeline/request.h"

namespace denoir {

struct ModelFolder;

/// Which parts of a model a run will still use: a resumed run needs no encoders.
enum class Needs { everything, no_encoders };

/// Everything that can be refused before the first heavy work: images that cannot be decoded, parts whose tensors are
/// missing, wrongly shaped or do not fit each other, an unreadable tokenizer. Reads headers and pictures only. Throws
/// Error naming the file, Cancelled.
void preflight(const Request& resolved, const ModelFolder&, Needs, const std::stop_token& stop = {});

/// Refuses a disk that cannot hold the latents and solver states of the run. Throws Error naming `run`.
void check_disk_space(const Request& resolved, const ModelFolder&, const std::filesystem::path& run);

/// All that the steps of a run are computed from: model_files() and the noise file. Later windows read that again.
std::vector<std::filesystem::path> files_of_steps(const ModelFolder&, const Request&);

/// All files of a model that the run reads, those of its LoRAs too.
std::vector<std::filesystem::path> model_files(const ModelFolder&, std::span<const Lora> loras = {});

} // namespace denoir
