// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "engine/core/tensor.h"
#include "engine/session/module_runner.h"

namespace denoir {

using Tensors = std::map<std::string, Tensor>;

/// The tensors of an inputs file, asked for by name, dtype and shape.
class ModuleInputs {
public:
    explicit ModuleInputs(const ModuleCall&);

    /// The tensor `name`, of any of these shapes, each like "[Cin, T, 224, 224]": numbers must match, letters only name
    /// the axis. Throws Error naming file and tensor if it is missing or does not fit.
    Tensor get(const std::string& name, std::initializer_list<std::string_view> shapes, DType dtype = DType::f32);
    /// As get(), but undefined if there is no such tensor.
    Tensor find(const std::string& name, std::initializer_list<std::string_view> shapes, DType dtype = DType::f32);
    /// Warns of tensors that nobody asked for.
    void finish() const;
    /// Throws Error if any f32 tensor that was asked for is not finite. To be called after the checks of shapes, since
    /// reading the values may take seconds.
    void check_finite() const;
    /// Throws Error naming the file and the tensor `name`.
    [[noreturn]] void refuse(const std::string& name, std::string message, std::string hint) const;

private:
    std::string file_;
    Tensors tensors_;
    std::set<std::string> asked_;
};

/// The `--set key=value` of a call, asked for by key. A key that was not given has no value. A value that is no number,
/// or not from `low` to `high`, is a UsageError naming the key.
class ModuleSettings {
public:
    /// Throws UsageError for a key that is not in `known`.
    ModuleSettings(const ModuleCall&, std::initializer_list<std::string_view> known);
    std::optional<std::int64_t> whole(const std::string& key, std::int64_t low, std::int64_t high) const;
    std::int64_t whole(const std::string& key, std::int64_t low, std::int64_t high, std::int64_t otherwise) const;
    std::optional<double> number(const std::string& key, double low, double high) const;
    std::optional<std::string> text(const std::string& key) const;
    /// Throws UsageError: the module needs this key.
    [[noreturn]] void missing(const std::string& key) const;
    /// Throws UsageError naming the key.
    [[noreturn]] void refuse(const std::string& key, std::string message, std::string hint) const;

private:
    const ModuleCall& call_;
};

// The modules. Each returns its output tensors; throws as run_module() does.
Tensors run_transformer(const ModuleCall&, std::stop_token);
Tensors run_vae_encode(const ModuleCall&, std::stop_token);
Tensors run_vae_decode(const ModuleCall&, std::stop_token);
Tensors run_umt5(const ModuleCall&, std::stop_token);
Tensors run_clip(const ModuleCall&, std::stop_token);
Tensors run_scheduler(const ModuleCall&, std::stop_token);
Tensors run_timestep_matrix(const ModuleCall&, std::stop_token);
Tensors run_noise(const ModuleCall&, std::stop_token);

} // namespace denoir
