// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "engine/pipeline/request.h"

namespace denoir {

/// The generator that `text` names: "torch-cpu", or "torch-cuda:N" with the N multiprocessors of the card that is
/// repeated, 1 … 1024. Nothing for other text.
std::optional<NoiseSource> read_noise_kind(std::string_view text);

/// What `read_noise_kind` reads; of a noise that is no file.
std::string noise_kind_text(const NoiseSource&);

/// What to do about a text that names no generator, for a refusal.
inline constexpr const char* noise_kind_hint = "use torch-cpu, or torch-cuda:N with N multiprocessors, 1 to 1024";

} // namespace denoir
