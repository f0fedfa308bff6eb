// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <span>

#include "engine/weights/container.h"

namespace denoir {

/// The table of contents of a PyTorch zip file (spec/checkpoints.md 4). Throws Error for TorchScript, pickles that ask
/// for anything but plain tensors, tensors outside their storage, and views (also expanded ones) that would need more
/// memory than the file has bytes.
Container read_pth(std::shared_ptr<MappedFile> file);

/// Whether a file begins like those of PyTorch before 1.6.
bool is_old_pth(std::span<const std::byte> file);
/// The table of contents of such a file (torchvision's VGG-16, the heads of LPIPS): several pickles, then the storages.
/// Throws Error as read_pth() does.
Container read_old_pth(std::shared_ptr<MappedFile> file);

} // namespace denoir
