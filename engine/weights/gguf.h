// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "engine/weights/container.h"

namespace denoir {

/// The table of contents of a GGUF file, version 2 or 3 (spec/checkpoints.md 5). Shapes come in PyTorch order; a shape
/// recorded under `comfy.gguf.orig_shape.<name>` wins over the stored one. Arrays of the metadata are skipped, scalars
/// become text.
Container read_gguf(std::shared_ptr<MappedFile> file);

} // namespace denoir
