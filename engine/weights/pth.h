// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <span>

#include "engine/weights/container.h"

namespace denoir {

/// The table of contents of a PyTorch zip file (spec/checkpoints.md 4). Refused: TorchScript, pickles that ask for
/// anything but plain tensors, tensors outside their storage, views (expanded ones too) that would need more memory
/// than the file has bytes.
Container read_pth(std::shared_ptr<MappedFile> file);

/// Whether a file begins as PyTorch's did before 1.6.
bool is_old_pth(std::span<const std::byte> file);
/// The table of contents of such a file (torchvision's VGG-16, the heads of LPIPS): pickles one after the other, then
/// the storages. The same refusals as read_pth().
Container read_old_pth(std::shared_ptr<MappedFile> file);

} // namespace denoir
