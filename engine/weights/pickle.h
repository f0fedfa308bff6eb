// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/dtype.h"

namespace denoir {

/// A tensor as the pickle describes it to `torch._utils._rebuild_tensor_v2` or `_v3`. The caller must check the numbers
/// against the archive.
struct PickledTensor {
    std::string name; ///< key in the state dict
    DType dtype = DType::f32;
    std::string key;         ///< storage: the entry `<root>/data/<key>`
    std::int64_t count = 0;  ///< elements of the storage
    std::int64_t offset = 0; ///< first element inside the storage
    std::vector<std::int64_t> shape, strides;
};

/// A storage that a pickle names, whether a tensor of the state dict lies in it or not.
struct PickledStorage {
    std::string key;
    DType dtype = DType::f32;
    std::int64_t count = 0;
};

struct PickledStateDict {
    std::vector<PickledTensor> tensors;
    std::vector<PickledStorage> storages; ///< each once, in the order in which they are named
    std::size_t bytes = 0;                ///< length of the pickle
};

/// Reads `data.pkl` of a state dict. Knows the opcodes and names of spec/checkpoints.md 4.2 and those that PyTorch
/// before 1.6 wrote under Python 2, and refuses all others: a GLOBAL becomes an inert tag, no name is ever looked up or
/// called. Memo, stack, values, strings, tensors and copies are bounded. Values that are not tensors are left out. A
/// dict under `generator_ema`, `generator`, `generator_lora` (as in Self-Forcing), `state_dict`, `model` or `module` is
/// unwrapped; names are without_wrappers(). Throws Error naming `file`.
PickledStateDict read_pickled_state_dict(std::span<const std::byte> pickle, const std::string& file);

struct PickledFlags {
    std::map<std::string, bool> flags;
    std::size_t bytes = 0; ///< length of the pickle
};
/// Reads a pickled dict and returns its entries that are true or false. Throws Error naming `file`.
PickledFlags read_pickled_flags(std::span<const std::byte> pickle, const std::string& file);

struct PickledNames {
    std::vector<std::string> names;
    std::size_t bytes = 0; ///< length of the pickle
};
/// Reads a pickled list of strings. Throws Error naming `file`.
PickledNames read_pickled_names(std::span<const std::byte> pickle, const std::string& file);

} // namespace denoir
