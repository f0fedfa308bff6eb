// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "engine/weights/container.h"

namespace denoir {

/// The table of contents of a PyTorch zip file (spec/checkpoints.md 4). Refused: TorchScript, pickles that ask for
/// anything but plain tensors, tensors outside their storage, views that would need more memory than the file has
/// bytes.
Container read_pth(std::shared_ptr<MappedFile> file);

} // namespace denoir
