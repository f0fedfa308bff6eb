// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "engine/pipeline/request.h"

namespace denoir {

/// The generator that `text` names: "torch-cpu", or "torch-cuda:N", which repeats a card with N multiprocessors
/// (1 … 1024). Empty for any other text.
std::optional<NoiseSource> read_noise_kind(std::string_view text);

/// The text that read_noise_kind() reads. `noise` must not be a file (asserted).
std::string noise_kind_text(const NoiseSource&);

/// The hint of an error about text that names no generator.
inline constexpr const char* noise_kind_hint = "use torch-cpu, or torch-cuda:N with N multiprocessors, 1 to 1024";

} // namespace denoir
