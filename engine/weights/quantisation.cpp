// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/quantisation.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <set>

#include "engine/core/json.h"
#include "engine/weights/config_file.h"
#include "engine/weights/names.h"

namespace denoir {
namespace {

constexpr const char* use_other = "use the bf16, fp16, fp8 (per layer), quanto int8 or GGUF file of this model";

void check_format(const Json& entry, std::string_view layer, const std::string& file) {
    const auto it = entry.is_object() ? entry.find("format") : entry.end();
    if (it == entry.end() || !it->is_string())
        throw Error(file, std::string(layer), "its quantisation has no format", use_other);
    const std::string& format = it->get_ref<const std::string&>();
    if (format != "float8_e4m3fn" && format != "float8_e5m2")
        throw Error(file, std::string(layer), fmt::format("quantised as {}, which is not read", printable(format, 40)),
                    use_other);
}

/// Whether this is one of quanto's kinds with a number in each byte.
bool is_quanto_type(const FileTensor& t) {
    return t.dtype == DType::i8 || t.dtype == DType::f8_e4m3 || t.dtype == DType::f8_e5m2;
}

[[noreturn]] void refuse_quanto_type(const FileTensor& t, const std::string& file) {
    throw Error(file, t.name,
                fmt::format("quantised with quanto as {}, which is not read", printable(t.dtype_name, 24)), use_other);
}

} // namespace

bool is_scale_leaf(std::string_view leaf) { return leaf == "scale_weight" || leaf == "weight_scale"; }

void refuse_unknown_quantisation(std::string_view name, const std::string& file) {
    struct Mark {
        std::string_view part, scheme;
    };
    static constexpr std::array marks{Mark{".weight_scale_2", "nvfp4"},
                                      Mark{".quant_state.", "bitsandbytes (nf4 / fp4)"},
                                      Mark{".absmax", "bitsandbytes (nf4 / fp4)"},
                                      Mark{".quant_map", "bitsandbytes (nf4 / fp4)"},
                                      Mark{".SCB", "bitsandbytes int8"},
                                      Mark{".qweight", "GPTQ / AWQ"},
                                      Mark{".qzeros", "GPTQ / AWQ"},
                                      Mark{".smooth_factor", "SVDQuant"},
                                      Mark{".wscales", "SVDQuant"},
                                      Mark{".weight._data._data", "quanto in 4 or 2 bits"},
                                      Mark{".weight._shift", "quanto in 4 or 2 bits"},
                                      Mark{".weight_global_scale", "nvfp4"},
                                      Mark{".weight_scale_inv", "fp8 in tiles of 128 x 128"},
                                      Mark{"_quantizer._scale", "ModelOpt"},
                                      Mark{"_quantizer._amax", "ModelOpt"},
                                      Mark{"._weight_qdata", "torchao"},
                                      Mark{".zero_point", "SDNQ or alike"},
                                      Mark{".encoded_exponent", "DFloat11"},
                                      Mark{".int8_weight", "TurboDiffusion's int8"}};
    for (const Mark& mark : marks) {
        const bool inside =
            mark.part.ends_with('.') ? name.find(mark.part) != std::string_view::npos : name.ends_with(mark.part);
        if (inside)
            throw Error(file, std::string(name), fmt::format("quantised with {}, which is not read", mark.scheme),
                        use_other);
    }
}

void refuse_unknown_scale(std::string_view name, std::string_view scale, const std::string& file) {
    throw Error(file, std::string(name),
                fmt::format("its numbers are scaled by `{}`, in a way that is not read", printable(scale, 100)),
                use_other);
}

bool is_quanto(const FileTensor& weight, const FileTensor* scale, const std::string& file) {
    const bool numbers = weight.name.ends_with(quanto_numbers);
    if (numbers && !is_quanto_type(weight)) refuse_quanto_type(weight, file);
    if (numbers && !scale) throw Error(file, weight.name, "its scale is missing", "use the complete checkpoint");
    if (scale && numbers != scale->name.ends_with(quanto_scale)) refuse_unknown_scale(weight.name, scale->name, file);
    return numbers;
}

void refuse_whole_numbers(std::string_view name, DType type, bool scaled, const std::string& file) {
    if (type == DType::i8) throw Error(file, std::string(name), "quantised as int8, which is not read", use_other);
    if (type == DType::u8 && scaled)
        throw Error(file, std::string(name), "quantised with nvfp4 or alike, which is not read", use_other);
}

void check_comfy_quant(const Container& container, const FileTensor& described, std::string_view name,
                       const std::string& file) {
    if (described.dtype != DType::u8 || described.bytes > 65'536)
        throw Error(file, std::string(name), "its quantisation is described in an unknown way", use_other);
    const Tensor tensor = container.tensor(described);
    const std::string_view text(reinterpret_cast<const char*>(tensor.raw()), tensor.bytes());
    check_format(parse_carried_json(text, file, name, use_other), name, file);
}

void check_quantisation_metadata(const std::map<std::string, std::string>& metadata, const std::string& file) {
    constexpr const char* key = "_quantization_metadata";
    const auto it = metadata.find(key);
    if (it == metadata.end()) return;
    const Json json = parse_carried_json(it->second, file, key, use_other);
    if (!json.is_object() || !json.contains("layers") || !json["layers"].is_object()) return;
    for (const auto& [layer, entry] : json["layers"].items()) check_format(entry, layer, file);
}

void check_quantisation(const Container& container, const std::string& file) {
    check_quantisation_metadata(container.metadata, file);
    for (const FileTensor& t : container.tensors) {
        refuse_unknown_quantisation(t.name, file);
        if (t.name.ends_with(quanto_numbers) && !is_quanto_type(t)) refuse_quanto_type(t, file);
        if (t.name.ends_with(".comfy_quant")) check_comfy_quant(container, t, t.name, file);
    }
    std::set<std::string_view> scaled; // layers with a scale
    for (const FileTensor& t : container.tensors)
        if (const std::string_view layer = hangs_on(t.name); !layer.empty()) scaled.insert(layer);
    constexpr std::string_view weight = ".weight";
    for (const FileTensor& t : container.tensors)
        if (t.name.ends_with(weight) && t.dtype)
            refuse_whole_numbers(t.name, *t.dtype,
                                 scaled.contains(std::string_view(t.name).substr(0, t.name.size() - weight.size())),
                                 file);
}

Tensor read_scale(const Tensor& stored, const Shape& weight, std::string_view name, const std::string& file) {
    const auto refuse = [&](std::string what) { throw Error(file, std::string(name), std::move(what), use_other); };
    if (!is_float(stored.dtype()) || is_block(stored.dtype())) refuse("a scale that is not floating point");
    const Shape& s = stored.shape();
    const std::int64_t out = weight.rank() > 0 ? weight[0] : 1;
    Shape result;
    if (s.elements() != 1) {
        const bool rows = s.rank() >= 1 && s[0] == out;
        const std::int64_t columns = rows && s.rank() >= 2 ? s[1] : 1;
        const bool each_row = rows && s.elements() == out; // also [out, 1, 1, 1], of a convolution
        const bool fits = each_row || (rows && weight.rank() == 2 && s.rank() <= 3 && (s.rank() < 3 || s[2] == 1) &&
                                       columns > 0 && weight[1] % columns == 0);
        if (!fits)
            refuse(
                fmt::format("a scale of shape {} does not fit a weight of shape {}", to_string(s), to_string(weight)));
        result = columns > 1 ? Shape{out, columns} : Shape{out};
    }
    Tensor scale = Tensor::host(result);
    to_f32(stored.dtype(), stored.raw(), scale.data<float>(), stored.elements());
    for (const float v : scale.span<float>())
        if (!std::isfinite(v)) refuse("a scale that is not finite");
    return scale;
}

bool holds_floats(const Weight& weight) { return is_float(weight.stored().dtype()) || weight.scale; }

Tensor dequantised(const Tensor& weight, const Tensor& scale) {
    Tensor result = Tensor::host(weight.shape());
    to_f32(weight.dtype(), weight.raw(), result.data<float>(), weight.elements());
    if (!scale) return result;
    const std::int64_t rows = weight.rank() > 0 ? weight.size(0) : 1, columns = rows ? weight.elements() / rows : 0;
    const std::int64_t blocks = scale.rank() == 2 ? scale.size(1) : 1, width = columns / blocks;
    const float* factors = scale.data<float>();
    float* values = result.data<float>();
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t b = 0; b < blocks; ++b) {
            const float factor = scale.rank() == 0 ? factors[0] : factors[r * blocks + b];
            for (std::int64_t i = 0; i < width; ++i) *values++ *= factor;
        }
    return result;
}

} // namespace denoir
