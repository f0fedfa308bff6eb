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

/// Checks everything that can be checked before the heavy work begins: that images can be decoded, that the model's
/// parts have all tensors in the right shapes and fit each other, that the tokenizer can be read. Reads headers and
/// pictures only. Throws Error naming the file, Cancelled.
void preflight(const Request& resolved, const ModelFolder&, Needs, const std::stop_token& stop = {});

/// Throws NoSpace naming `run` if its disk has no room for the run's latents and solver states.
void check_disk_space(const Request& resolved, const ModelFolder&, const std::filesystem::path& run);

/// All files of a model that a run reads, and its LoRAs; sorted, each once.
std::vector<std::filesystem::path> model_files(const ModelFolder&, std::span<const Lora> loras = {});

/// The files that a run's steps are computed from: model_files() and the noise file, which later windows read again.
std::vector<std::filesystem::path> files_of_steps(const ModelFolder&, const Request&);

} // namespace denoir
