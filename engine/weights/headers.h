// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <span>

#include "engine/weights/weights.h"

namespace denoir {

/// As Weights::load, for who asks for names, shapes and types alone: what would have to be copied, because it is not
/// aligned or not stored row by row, is not, and its values are anything. So a network's shapes are compared before its
/// gigabytes are copied.
Weights load_headers(std::span<const std::filesystem::path> paths, Component component);

/// As Weights::load, for who reads bytes: what is not aligned to its elements stays where it lies in its file
/// (Container::in_place).
Weights load_in_place(std::span<const std::filesystem::path> paths, Component component);

} // namespace denoir
