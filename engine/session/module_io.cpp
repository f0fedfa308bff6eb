// SPDX-License-Identifier: Apache-2.0
#include "engine/session/module_io.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/log.h"
#include "engine/core/suggest.h"
#include "engine/core/text.h"
#include "engine/pipeline/stored.h"
#include "engine/weights/safetensors.h"

namespace denoir {
namespace {

/// The axes of "[Cin, T, 224, 224]".
std::vector<std::string> axes(std::string_view shape) {
    std::vector<std::string> out;
    std::string word;
    for (const char c : shape) {
        if (c == ',' || c == ']') {
            if (!word.empty()) out.push_back(word);
            word.clear();
        } else if (c != '[' && c != ' ') {
            word += c;
        }
    }
    return out;
}

bool fits(const Shape& found, std::string_view wanted) {
    const auto names = axes(wanted);
    if (int(names.size()) != found.rank()) return false;
    for (int i = 0; i < found.rank(); ++i) {
        const bool fixed = is_ascii_digit(names[i][0]);
        if (found[i] < 1 || (fixed && std::to_string(found[i]) != names[i])) return false;
    }
    return true;
}

/// What to do about a tensor of this shape where none of `wanted` fits.
std::string_view shape_hint(const Shape& found, std::initializer_list<std::string_view> wanted) {
    for (int i = 0; i < found.rank(); ++i)
        if (found[i] < 1) return "give at least one value along each axis";
    for (const std::string_view shape : wanted)
        if (found.rank() == int(axes(shape).size()) + 1 && found[0] == 1) return "give it without a batch axis";
    return "store it in that shape";
}

} // namespace

ModuleInputs::ModuleInputs(const ModuleCall& call) : file_(call.inputs.string()) {
    if (call.inputs.empty())
        throw UsageError("", "--inputs", fmt::format("{} needs input tensors", call.name),
                         "give --inputs FILE.safetensors");
    tensors_ = read_safetensors(call.inputs);
}

void ModuleInputs::refuse(const std::string& name, std::string message, std::string hint) const {
    throw Error(file_, name, std::move(message), std::move(hint));
}

Tensor ModuleInputs::find(const std::string& name, std::initializer_list<std::string_view> shapes, DType dtype) {
    const auto it = tensors_.find(name);
    asked_.insert(name);
    if (it == tensors_.end()) return {};
    const Tensor& tensor = it->second;
    if (tensor.dtype() != dtype)
        refuse(name, fmt::format("is {}, expected {}", info(tensor.dtype()).name, info(dtype).name),
               "store it in that type");
    if (std::none_of(shapes.begin(), shapes.end(), [&](auto shape) { return fits(tensor.shape(), shape); }))
        refuse(name, fmt::format("has shape {}, expected {}", to_string(tensor.shape()), fmt::join(shapes, " or ")),
               std::string(shape_hint(tensor.shape(), shapes)));
    return tensor;
}

Tensor ModuleInputs::get(const std::string& name, std::initializer_list<std::string_view> shapes, DType dtype) {
    const Tensor tensor = find(name, shapes, dtype);
    if (tensor) return tensor;
    std::vector<std::string_view> names;
    for (const auto& [key, value] : tensors_) names.push_back(key);
    const std::string near = closest(name, names);
    refuse(name, fmt::format("is missing (expected {})", fmt::join(shapes, " or ")),
           near.empty() ? "add this tensor to the file"
                        : fmt::format("the file has '{}': rename it", printable(near, 40)));
}

void ModuleInputs::check_finite() const {
    for (const auto& [name, tensor] : tensors_) {
        if (!asked_.contains(name) || tensor.dtype() != DType::f32) continue;
        if (const auto at = first_not_finite(tensor))
            refuse(name, fmt::format("is {} at element {}", tensor.span<const float>()[*at], *at),
                   "give finite numbers");
    }
}

void ModuleInputs::finish() const {
    for (const auto& [name, tensor] : tensors_)
        if (!asked_.contains(name))
            log::warning(fmt::format("{}: {}: this tensor is not used", printable(file_, 100), printable(name, 60)));
}

ModuleSettings::ModuleSettings(const ModuleCall& call, std::initializer_list<std::string_view> known) : call_(call) {
    for (const auto& [key, value] : call.set) {
        if (std::find(known.begin(), known.end(), key) != known.end()) continue;
        const std::vector<std::string_view> all(known);
        throw UsageError(
            "", "--set " + printable(key, 40), fmt::format("{} has no such key", call.name),
            did_you_mean(key, all, all.empty() ? "it takes none" : fmt::format("known are {}", fmt::join(all, ", "))));
    }
}

void ModuleSettings::refuse(const std::string& key, std::string message, std::string hint) const {
    throw UsageError("", "--set " + key, std::move(message), std::move(hint));
}

void ModuleSettings::missing(const std::string& key) const {
    refuse(key, fmt::format("{} needs it", call_.name), fmt::format("give --set {}=…", key));
}

std::optional<std::string> ModuleSettings::text(const std::string& key) const {
    const auto it = call_.set.find(key);
    return it == call_.set.end() ? std::nullopt : std::optional(it->second);
}

std::optional<std::int64_t> ModuleSettings::whole(const std::string& key, std::int64_t low, std::int64_t high) const {
    const auto said = text(key);
    if (!said) return {};
    const auto value = read_whole<std::int64_t>(*said);
    if (!value || *value < low || *value > high)
        refuse(key, fmt::format("'{}' is not a whole number in range", printable(*said, 40)),
               fmt::format("use {} to {}", low, high));
    return value;
}

std::int64_t ModuleSettings::whole(const std::string& key, std::int64_t low, std::int64_t high,
                                   std::int64_t otherwise) const {
    return whole(key, low, high).value_or(otherwise);
}

std::optional<double> ModuleSettings::number(const std::string& key, double low, double high) const {
    const auto said = text(key);
    if (!said) return {};
    const auto value = read_double(*said);
    if (!value || !(*value >= low && *value <= high))
        refuse(key, fmt::format("'{}' is not a number in range", printable(*said, 40)),
               fmt::format("use {} to {}", low, high));
    return value;
}

} // namespace denoir
