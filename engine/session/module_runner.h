// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/pipeline/request.h"

namespace denoir {

/// A call of one network, solver, timestep plan or generator on tensors from a file (CONTRACT.md, "`module`").
struct ModuleCall {
    std::string name;
    std::vector<std::filesystem::path> weights; ///< files or folders
    std::filesystem::path inputs, out;          ///< safetensors; inputs may be empty where a module needs none
    std::map<std::string, std::string> set;
    DType dtype = DType::f32;
    std::optional<PrecisionPolicy> precision;
    Device device;
    int threads = 0;
};

const std::vector<std::string_view>& module_names();

/// Checks everything that is cheap to check, computes, and writes the output tensors to `out`.
/// Throws UsageError for unknown names and keys, Error naming file and tensor for inputs that do not fit, Cancelled.
void run_module(const ModuleCall&, std::stop_token);

} // namespace denoir
