// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/dtype.h"

namespace denoir {

/// A tensor as `torch._utils._rebuild_tensor_v2` was told to make it. Numbers are as in the pickle: the caller checks
/// them against the archive.
struct PickledTensor {
    std::string name; ///< key in the state dict
    DType dtype = DType::f32;
    std::string key;         ///< storage: the entry `<root>/data/<key>`
    std::int64_t count = 0;  ///< elements of the storage
    std::int64_t offset = 0; ///< first element inside the storage
    std::vector<std::int64_t> shape, strides;
};

/// Reads `data.pkl` of a state dict with the opcodes and names of spec/checkpoints.md 4.2 and nothing else: a GLOBAL
/// becomes an inert tag, no name is ever looked up or called. Memo, stack, values and strings are bounded. Values that
/// are no tensors are left out. A dict under `state_dict`, `model` or `module` is unwrapped. Throws Error naming
/// `file`.
std::vector<PickledTensor> read_pickled_state_dict(std::span<const std::byte> pickle, const std::string& file);

} // namespace denoir
