// SPDX-License-Identifier: Apache-2.0
#include "engine/session/module_runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/mapped_file.h"
#include "engine/core/suggest.h"
#include "engine/session/inputs.h"
#include "engine/session/module_io.h"
#include "engine/session/output_check.h"
#include "engine/weights/safetensors_writer.h"

namespace denoir {
namespace {

struct Entry {
    std::string_view name;
    bool weights, inputs;
    Tensors (*run)(const ModuleCall&, std::stop_token);
};

constexpr Entry entries[] = {
    {"wan-transformer", true, true, run_transformer},
    {"wan-vae-encode", true, true, run_vae_encode},
    {"wan-vae-decode", true, true, run_vae_decode},
    {"umt5", true, true, run_umt5},
    {"clip-vision", true, true, run_clip},
    {"scheduler", false, true, run_scheduler},
    {"timestep-matrix", false, false, run_timestep_matrix},
    {"noise", false, false, run_noise},
};

const Entry& entry(const std::string& name) {
    for (const Entry& e : entries)
        if (e.name == name) return e;
    throw UsageError("", "module", fmt::format("'{}' is unknown", printable(name, 40)),
                     did_you_mean(name, module_names(), fmt::format("known are {}", fmt::join(module_names(), ", "))));
}

/// Checks the dtype and the precision, which only modules with weights use.
void check_arithmetic(const ModuleCall& call) {
    if (call.dtype != DType::f32 && call.dtype != DType::bf16)
        throw UsageError("", "--dtype", "only f32 and bf16 are supported", "use f32 or bf16");
    if (call.precision && (*call.precision == PrecisionPolicy::f32) != (call.dtype == DType::f32))
        throw UsageError("", "--precision", "f32 goes with --dtype f32, wan and skyreels go with --dtype bf16",
                         "leave --precision out: the family decides");
}

} // namespace

const std::vector<std::string_view>& module_names() {
    static const std::vector<std::string_view> names = [] {
        std::vector<std::string_view> out;
        for (const Entry& e : entries) out.push_back(e.name);
        return out;
    }();
    return names;
}

void run_module(const ModuleCall& call, std::stop_token stop) {
    const Entry& module = entry(call.name);
    if (!module.weights && !call.weights.empty())
        throw UsageError("", "--weights", fmt::format("{} takes none", call.name), "leave it out");
    if (!module.inputs && !call.inputs.empty())
        throw UsageError("", "--inputs", fmt::format("{} takes none", call.name), "leave it out");
    if (module.weights) check_arithmetic(call);
    if (call.out.empty()) throw UsageError("", "--out", "is missing", "give --out FILE.safetensors");
    std::vector<std::filesystem::path> inputs;
    for (const std::filesystem::path& weights : call.weights)
        for (std::filesystem::path& path : weights_inputs(weights)) inputs.push_back(std::move(path));
    if (!call.inputs.empty()) inputs.push_back(call.inputs);
    check_output_file(call.out, inputs);
    const MappedFileWatch mapped;
    const auto result = module.run(call, std::move(stop));
    mapped.check();
    write_safetensors(call.out, result);
}

} // namespace denoir
