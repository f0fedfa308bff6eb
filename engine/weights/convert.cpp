// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>

#include "engine/core/disk.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/mapped_file.h"
#include "engine/core/text.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/config_file.h"
#include "engine/weights/gguf_writer.h"
#include "engine/weights/headers.h"
#include "engine/weights/lora.h"
#include "engine/weights/names.h"
#include "engine/weights/places.h"
#include "engine/weights/quantisation.h"
#include "engine/weights/safetensors_writer.h"
#include "engine/weights/weights.h"

namespace denoir {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t chunk = 1 << 20; // elements at a time; a multiple of every block
constexpr float f8_max = 448.0f;        // of e4m3

/// A piece of a stored tensor on its way to the output.
struct Item {
    const Weight* source = nullptr;
    std::int64_t first_row = 0; ///< along the first axis
    Shape shape;
    DType dtype = DType::f32;
    bool quantised = false; ///< divided by the scale before it is narrowed
    bool scale = false;     ///< the scale itself
};

/// Throws UsageError for a dtype that cannot be written, and for a name that promises another format.
void refuse_unwritable(const fs::path& out, const ConvertOptions& options) {
    if (options.dtype && *options.dtype != DType::f32 && *options.dtype != DType::bf16 && *options.dtype != DType::f16)
        throw UsageError("", "dtype", fmt::format("{} cannot be written", info(*options.dtype).name),
                         "use f32, bf16 or f16");
    const bool blocks = options.quantize == DType::q8_0;
    if (blocks != (lower_extension(out) == ".gguf"))
        throw UsageError(out.string(), "",
                         blocks ? "q8_0 is written to GGUF files" : "GGUF files are written with --quantize q8_0 only",
                         blocks ? "name it OUT.gguf" : "name it OUT.safetensors");
    static constexpr std::array<std::string_view, 7> others{".pth", ".pt", ".bin", ".ckpt", ".pkl", ".npz", ".onnx"};
    if (std::ranges::find(others, lower_extension(out)) != others.end())
        throw UsageError(out.string(), "", "a safetensors file is written, and the name says another format",
                         "name it OUT.safetensors");
}

void refuse_input_as_output(const fs::path& in, const fs::path& out) {
    for (const CheckpointFiles& files : list_checkpoints(in)) {
        const bool index = !files.index.empty() && same_file(files.index, out);
        if (index || std::ranges::any_of(files.files, [&](const fs::path& f) { return same_file(f, out); }))
            throw Error(out.string(), "", "the output is also an input", "choose another name");
    }
}

/// Whether a tensor may be a scale: it is none of those that any layer may have (weight, bias, statistics of a norm).
bool may_be_scale(std::string_view name) {
    static constexpr std::array<std::string_view, 5> others{".weight", ".bias", ".running_mean", ".running_var",
                                                            ".num_batches_tracked"};
    return std::ranges::none_of(others, [&](std::string_view leaf) { return name.ends_with(leaf); });
}

/// Throws Error for numbers that have their scales beside them under names that only their own program knows: they
/// cannot be given another type.
void refuse_scaled(const Checkpoint& checkpoint) {
    std::map<std::string, std::string_view> layers; // layer -> a tensor in it, in any shard, that may be its scale
    const auto layer_of = [](const std::string& name) { return name.substr(0, name.rfind('.')); };
    for (const auto& shard : checkpoint.containers) {
        check_quantisation(*shard, shard->file->name());
        for (const FileTensor& t : shard->tensors)
            if (const std::string name = plain_name(t.name); may_be_scale(name)) layers.emplace(layer_of(name), t.name);
    }
    for (const auto& shard : checkpoint.containers)
        for (const FileTensor& t : shard->tensors) {
            const std::string name = plain_name(t.name);
            const bool fp8 = t.dtype == DType::f8_e4m3 || t.dtype == DType::f8_e5m2;
            const bool few_bits = name.ends_with(".weight") && (fp8 || t.name.ends_with(quanto_numbers));
            if (const auto it = layers.find(layer_of(name)); few_bits && it != layers.end())
                refuse_unknown_scale(t.name, it->second, shard->file->name());
        }
}

/// Adds a file's metadata, and peft's config beside it: a LoRA's alpha may be in either.
void add_metadata(const Container& shard, std::map<std::string, std::string>& metadata) {
    if (shard.format == Container::Format::safetensors) metadata.insert(shard.metadata.begin(), shard.metadata.end());
    if (const fs::path config = peft_config_of(shard.file->name()); !config.empty())
        metadata.emplace(peft_config_key, read_json_object(config).dump());
}

struct Input {
    Weights weights;
    bool known = true;                           ///< its names are known; otherwise they are kept
    std::map<std::string, std::string> metadata; ///< to be written
};

/// Loads a file that holds no known network (a LoRA, another model): all of its tensors under their own names.
Input load_unknown(const fs::path& in, const Checkpoint& checkpoint, const ConvertOptions& options) {
    Input input;
    input.known = false;
    std::map<std::string, Weight, std::less<>> tensors;
    if (options.dtype) refuse_scaled(checkpoint);
    for (const auto& shard : checkpoint.containers) {
        add_metadata(*shard, input.metadata);
        for (const FileTensor& t : shard->tensors) tensors.emplace(t.name, Weight(t.name, shard->in_place(t)));
    }
    input.weights = Weights(Component::unknown, std::move(tensors), Json::object(), in.string());
    return input;
}

/// Loads the network in a folder or a file. A file, or the shards of an index, may also hold something else.
Input load_any(const fs::path& in, const ConvertOptions& options) {
    if (is_folder(in)) {
        if (has_regular_file(in / "model_index.json"))
            throw Error(in.string(), "", "is a model of several networks, and one is converted",
                        "name one of its networks, the folder vae or its file for example");
    } else {
        const Checkpoint c = Checkpoint::open(list_checkpoints(in).front());
        if (std::ranges::none_of(c.groups, is_network, &TensorGroup::component)) return load_unknown(in, c, options);
    }
    Input input;
    input.weights = load_in_place(std::span(&in, 1), Component::unknown);
    if (!input.weights.config().empty()) input.metadata[carried_config_key] = input.weights.config().dump();
    return input;
}

/// The tokenizer that a text encoder's file carries.
struct Tokenizer {
    fs::path file; ///< empty: there is none
    Weight bytes;  ///< if it is a tensor
};

Tokenizer tokenizer_in(const fs::path& in) {
    for (const CheckpointFiles& files : list_checkpoints(in))
        for (const fs::path& file : files.files) {
            try {
                const Container container = open_container(file);
                if (!carries_tokenizer(container)) continue;
                const FileTensor* bytes = tokenizer_tensor(container);
                return {file, bytes ? Weight(bytes->name, container.tensor(*bytes)) : Weight()};
            } catch (const Error&) { // another file in the folder, which is not converted
            }
        }
    return {};
}

Layout target_layout(ConvertOptions::Layout wanted, Component component) {
    const bool encoder = component == Component::umt5 || component == Component::clip;
    if (wanted == ConvertOptions::Layout::diffusers || (wanted == ConvertOptions::Layout::comfy && encoder))
        return Layout::diffusers;
    return Layout::original;
}

class Plan {
public:
    /// `tokenizer`: written as a tensor of bytes, if it is one and the format allows it.
    Plan(const Weights& weights, const Tokenizer& tokenizer, bool known, const ConvertOptions& options)
        : weights_(weights), options_(options) {
        refuse_unfit_options(known);
        layout_ = output_naming();
        for (const auto& [name, weight] : weights.all()) add(name, weight);
        const Weight& bytes = tokenizer.bytes;
        if (bytes.stored().defined() && options.quantize != DType::q8_0)
            put("spiece_model", {&bytes, 0, bytes.shape(), bytes.stored().dtype()});
        else if (!tokenizer.file.empty())
            left_out_ = tokenizer.file.filename().string();
    }
    const std::map<std::string, Item>& items() const { return items_; }
    int linears() const { return linears_; }
    int unfitting() const { return unfitting_; }
    /// Name of a file whose tokenizer is not written; empty: none.
    const std::string& without_tokenizer_of() const { return left_out_; }

private:
    [[noreturn]] void refuse(std::string field, std::string what, std::string hint) const {
        throw Error(weights_.origin(), std::move(field), std::move(what), std::move(hint));
    }

    void refuse_unfit_options(bool known) const {
        const bool diffusers = options_.layout == ConvertOptions::Layout::diffusers;
        if (!known && options_.layout != ConvertOptions::Layout::original)
            refuse("", "not a network whose names are known", "leave --layout out: the names stay as they are");
        if (options_.quantize == DType::q8_0 && diffusers)
            refuse("quantize", "GGUF files use the original names, or llama.cpp's for the text encoder",
                   "leave --layout out");
        const bool can_quantise =
            known && (weights_.component() == Component::transformer || weights_.component() == Component::umt5);
        if (options_.quantize && !can_quantise)
            refuse("quantize", "only transformers and text encoders are quantised", "leave --quantize out");
        if (options_.quantize && diffusers)
            refuse("quantize", "scaled fp8 files use the original or ComfyUI's names",
                   "use --layout original or comfy");
    }

    Naming output_naming() const {
        if (options_.quantize == DType::q8_0)
            return weights_.component() == Component::umt5 ? Layout::llama : Layout::original;
        std::vector<std::string_view> names;
        for (const auto& [name, weight] : weights_.all()) names.push_back(name);
        return {target_layout(options_.layout, weights_.component()), vae_depth(names).blocks};
    }

    /// The type of a tensor that is not quantised.
    DType plain_type(const Weight& w) const {
        const DType stored = w.stored().dtype();
        if (!holds_floats(w)) return stored;
        if (options_.dtype) return *options_.dtype;
        // GGUF files usually keep norms, biases and convolutions in f32.
        if (options_.quantize == DType::q8_0 && w.shape().rank() != 2) return DType::f32;
        return is_block(stored) || w.scale ? DType::f32 : stored;
    }
    bool quantises(const std::string& canonical, const Weight& w) {
        const bool linear = options_.quantize && canonical.starts_with("blocks.") && canonical.ends_with(".weight") &&
                            w.shape().rank() == 2 && holds_floats(w) &&
                            canonical.find("pos_embedding") == std::string::npos;
        const bool fits = options_.quantize != DType::q8_0 || w.shape()[-1] % info(DType::q8_0).block_elements == 0;
        linears_ += linear;
        unfitting_ += linear && !fits;
        return linear && fits;
    }

    void put(std::string name, const Item& item) {
        if (!items_.emplace(name, item).second)
            refuse(std::move(name), "two tensors would get this name", "use --layout original");
    }

    void add(const std::string& canonical, const Weight& w) {
        if (layout_.layout == Layout::original) return add_named(canonical, canonical, w, 0, w.shape());
        if (weights_.component() == Component::clip && canonical == "visual.head")
            return; // transformers' vision model has no projection
        const auto target = layout_name(weights_.component(), layout_, canonical);
        if (!target)
            refuse(canonical, fmt::format("the {} layout has no name for it", name(layout_.layout)),
                   "use --layout original");
        if (!is_split(weights_.component(), layout_, canonical))
            return add_named(*target, canonical, w, 0, layout_shape(canonical, w.shape()));
        Shape third = w.shape();
        if (third.rank() == 0 || third[0] % 3 != 0)
            refuse(canonical, "its rows cannot be cut in q, k and v", "use --layout original");
        third[0] /= 3;
        for (int part = 0; part < 3; ++part)
            add_named(*layout_name(weights_.component(), layout_, canonical, part), canonical, w, part * third[0],
                      third);
    }

    Shape layout_shape(const std::string& canonical, const Shape& s) const {
        if (weights_.component() == Component::clip && canonical == "visual.cls_embedding" && s.rank() == 3)
            return {s[2]};
        if (weights_.component() == Component::clip && canonical == "visual.pos_embedding" && s.rank() == 3)
            return {s[1], s[2]};
        return s;
    }

    void add_named(const std::string& name, const std::string& canonical, const Weight& w, std::int64_t row,
                   const Shape& shape) {
        if (!quantises(canonical, w)) return put(name, {&w, row, shape, plain_type(w)});
        if (options_.quantize == DType::q8_0) return put(name, {&w, row, shape, DType::q8_0});
        put(name, {&w, row, shape, *options_.quantize, true});
        const std::string layer = name.substr(0, name.size() - last_part(name).size());
        put(layer + "scale_weight", {&w, 0, Shape{}, DType::f32, false, true});
    }

    const Weights& weights_;
    const ConvertOptions& options_;
    Naming layout_ = Layout::original;
    std::map<std::string, Item> items_;
    std::string left_out_;
    int linears_ = 0;   ///< linear layers that were to be quantised
    int unfitting_ = 0; ///< those of them whose rows are not whole blocks
};

/// Walks over the elements of an item as f32, `chunk` at a time.
template <class Body>
void each_chunk(const Weight& w, std::int64_t first, std::int64_t count, std::stop_token stop, Body body) {
    const Tensor& t = w.stored();
    const DTypeInfo& type = info(t.dtype());
    const std::int64_t row = t.rank() > 1 ? t.elements() / std::max<std::int64_t>(t.size(0), 1) : 1;
    const float* scale = w.scale ? w.scale.data<float>() : nullptr;
    const bool per_row = scale && w.scale.elements() > 1;
    std::vector<float> values(static_cast<std::size_t>(std::min(chunk, count)));
    const bool misaligned = !is_block(t.dtype()) &&
                            reinterpret_cast<std::uintptr_t>(t.raw()) % static_cast<unsigned>(type.block_bytes) != 0;
    std::vector<std::byte> aligned(misaligned ? values.size() * static_cast<std::size_t>(type.block_bytes) : 0);
    for (std::int64_t at = 0; at < count; at += chunk) {
        if (stop.stop_requested()) throw Cancelled();
        const std::int64_t n = std::min(chunk, count - at);
        const std::byte* source = t.raw() + (first + at) / type.block_elements * type.block_bytes;
        if (!aligned.empty()) {
            std::copy_n(source, n * type.block_bytes, aligned.begin());
            source = aligned.data();
        }
        to_f32(t.dtype(), source, values.data(), n);
        for (std::int64_t i = 0; scale && i < n; ++i)
            values[static_cast<std::size_t>(i)] *= scale[per_row ? (first + at + i) / row : 0];
        body(values.data(), n);
    }
    drop_stored_pages(w); // they are not read again, and so the memory stays at one chunk
}

float scale_of(const Weight& w, std::stop_token stop) {
    float largest = 0;
    each_chunk(w, 0, w.stored().elements(), stop, [&](const float* v, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) {
            if (!std::isfinite(v[i]))
                throw Error("", w.name(), "holds values that are not finite", "this checkpoint cannot be quantised");
            largest = std::max(largest, std::fabs(v[i]));
        }
    });
    const float scale = largest / f8_max;
    return std::isfinite(1.0f / scale) ? scale : 1.0f; // all values are zero, or nearly
}

class Output {
public:
    using Sink = std::function<void(const void*, std::size_t)>;
    Output(Sink sink, const ConvertOptions& options, const MappedFileWatch& mapped, std::uint64_t total)
        : sink_(std::move(sink)), options_(options), mapped_(mapped), total_(total) {}

    void write(const Item& item) {
        if (item.scale) {
            const float scale = scale_of(*item.source, options_.stop);
            scales_[item.source] = scale;
            return put(&scale, sizeof scale);
        }
        const Tensor& stored = item.source->stored();
        const std::int64_t count = item.shape.elements();
        const std::int64_t first =
            stored.rank() > 0 && stored.size(0) > 0 ? item.first_row * (stored.elements() / stored.size(0)) : 0;
        if (stored.dtype() == item.dtype && !item.source->scale && !item.quantised)
            return copy(*item.source, first, count);
        const float inverse = item.quantised ? 1.0f / scales_.at(item.source) : 1.0f;
        std::vector<std::byte> narrow;
        each_chunk(*item.source, first, count, options_.stop, [&](float* values, std::int64_t n) {
            for (std::int64_t i = 0; item.quantised && i < n; ++i) values[i] *= inverse;
            if (item.dtype == DType::q8_0) check_blocks(*item.source, values, n);
            if (item.dtype == DType::f16) check_half(*item.source, values, n);
            const DTypeInfo& type = info(item.dtype);
            narrow.resize(static_cast<std::size_t>(n / type.block_elements * type.block_bytes));
            from_f32(item.dtype, values, narrow.data(), n);
            put(narrow.data(), narrow.size());
        });
    }

private:
    static void check_half(const Weight& w, const float* values, std::int64_t n) {
        constexpr float too_large = 65520.0f; // the least that rounds to infinity
        for (std::int64_t i = 0; i < n; ++i)
            if (std::isfinite(values[i]) && std::fabs(values[i]) >= too_large)
                throw Error("", w.name(), fmt::format("{} does not fit in f16", values[i]), "use --dtype bf16 or f32");
    }

    static void check_blocks(const Weight& w, const float* values, std::int64_t n) {
        constexpr float too_large = 127 * 65504.0f; // a block's scale is an f16: the largest value / 127
        for (std::int64_t i = 0; i < n; ++i)
            if (!(std::fabs(values[i]) < too_large))
                throw Error("", w.name(), fmt::format("holds {}", values[i]), "this checkpoint cannot be quantised");
    }

    void copy(const Weight& source, std::int64_t first, std::int64_t count) {
        const Tensor& stored = source.stored();
        const DTypeInfo& type = info(stored.dtype());
        const auto bytes_of = [&](std::int64_t n) { return n / type.block_elements * type.block_bytes; };
        for (std::int64_t at = 0; at < count; at += chunk) {
            if (options_.stop.stop_requested()) throw Cancelled();
            copy_piece(
                {stored.raw() + bytes_of(first + at), static_cast<std::size_t>(bytes_of(std::min(chunk, count - at)))});
        }
        drop_stored_pages(source);
    }
    /// Writes a piece of the mapped input. If the input was truncated meanwhile, writing fails, which looks like an
    /// error of the output: reading the piece then lets MappedFileWatch name the input.
    void copy_piece(std::span<const std::byte> piece) {
        try {
            put(piece.data(), piece.size());
        } catch (const Error&) {
            constexpr std::size_t page = 4096;
            for (std::size_t at = 0; at < piece.size(); at += page)
                static_cast<void>(*static_cast<const volatile std::byte*>(&piece[at]));
            mapped_.check();
            throw;
        }
    }
    void put(const void* data, std::size_t bytes) {
        sink_(data, bytes);
        done_ += bytes;
        if (options_.progress) options_.progress(double(done_), double(total_));
    }

    Sink sink_;
    const ConvertOptions& options_;
    const MappedFileWatch& mapped_;
    std::uint64_t total_, done_ = 0;
    std::map<const Weight*, float> scales_; ///< computed before their weights are written, since F32 comes before F8
};

std::vector<std::string> warnings(const fs::path& in, const Plan& plan) {
    std::vector<std::string> out;
    const int shards = is_folder(in) ? 0 : shards_of(in.filename().string());
    if (shards > 1)
        out.push_back(fmt::format("{} is one of {} shards: only its own tensors were converted; give the folder or the "
                                  "index for all",
                                  in.filename().string(), shards));
    if (plan.unfitting())
        out.push_back(fmt::format("{} of {} linear layers are not quantised: their rows are not a multiple of 32",
                                  plan.unfitting(), plan.linears()));
    if (!plan.without_tokenizer_of().empty())
        out.push_back(fmt::format("the tokenizer that {} carries is not written: keep that file or a tokenizer.json "
                                  "beside the new one",
                                  printable(plan.without_tokenizer_of(), 80)));
    return out;
}

/// Throws NoSpace before the disk is filled: a sparse input may claim terabytes.
void check_space(const fs::path& out, std::uint64_t bytes) {
    const auto left = free_space(out.has_parent_path() ? out.parent_path() : ".");
    if (!left || bytes <= *left) return;
    throw NoSpace(out.string(), "",
                  fmt::format("takes {}, the disk has {} left", bytes_text(double(bytes)), bytes_text(double(*left))),
                  "free some space or choose another place");
}

/// `comfy_mark`: whether ComfyUI's mark of scaled fp8 files is written, too.
template <class Writer> ConvertResult write(const fs::path& out, Writer& writer, const Plan& plan,
                                            const ConvertOptions& options, const MappedFileWatch& mapped,
                                            bool comfy_mark) {
    ConvertResult result;
    for (const auto& [name, item] : plan.items()) {
        writer.declare(name, item.shape, item.dtype);
        result.bytes += checked_bytes(item.shape, item.dtype);
    }
    check_space(out, result.bytes);
    // ComfyUI tells scaled fp8 files by this empty tensor, whose type is the kind of fp8.
    if (comfy_mark) writer.declare("scaled_fp8", Shape{0}, DType::f8_e4m3);
    Output output([&](const void* data, std::size_t bytes) { writer.write(data, bytes); }, options, mapped,
                  result.bytes);
    for (const std::string& name : writer.begin()) {
        if (const auto item = plan.items().find(name); item != plan.items().end()) output.write(item->second);
        ++result.tensors;
    }
    mapped.check();
    writer.commit();
    return result;
}

} // namespace

ConvertResult convert(const fs::path& in, const fs::path& out, const ConvertOptions& options) {
    refuse_unwritable(out, options);
    refuse_input_as_output(in, out);
    const bool blocks = options.quantize == DType::q8_0;
    const MappedFileWatch mapped;
    Input input = load_any(in, options);
    const Weights& weights = input.weights;
    const Tokenizer tokenizer = input.known && weights.component() == Component::umt5 ? tokenizer_in(in) : Tokenizer{};
    const Plan plan(weights, tokenizer, input.known, options);
    if (plan.items().empty())
        throw Error(in.string(), "", "holds no tensors under names", "give a checkpoint: a dict of names and tensors");
    ConvertResult result;
    if (blocks) {
        GgufWriter writer(out, weights.component() == Component::umt5 ? "t5encoder" : "wan", std::move(input.metadata));
        result = write(out, writer, plan, options, mapped, false);
    } else {
        input.metadata["format"] = "pt";
        SafetensorsWriter writer(out, std::move(input.metadata));
        result = write(out, writer, plan, options, mapped, options.quantize.has_value());
    }
    result.warnings = warnings(in, plan);
    return result;
}

} // namespace denoir
