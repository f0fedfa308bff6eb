// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <span>

#include "engine/weights/weights.h"

namespace denoir {

/// As Weights::load, for callers that need names, shapes and types alone, such as to check a network's shapes before
/// its gigabytes are copied: a tensor that would have to be copied, because it is not aligned or not stored row by row,
/// has undefined values.
Weights load_headers(std::span<const std::filesystem::path> paths, Component component);

/// As Weights::load, for callers that copy bytes: a tensor that is not aligned to its elements stays where it lies in
/// its file (Container::in_place).
Weights load_in_place(std::span<const std::filesystem::path> paths, Component component);

} // namespace denoir
