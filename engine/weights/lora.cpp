// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/lora.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/weights/config_file.h"
#include "engine/weights/container.h"
#include "engine/weights/experts.h"
#include "engine/weights/lora_names.h"
#include "engine/weights/names.h"

namespace denoir {
namespace {

namespace fs = std::filesystem;
using lora::Kind;

/// One module of the file.
struct Part {
    std::array<const FileTensor*, lora::kinds> tensors{};
    std::string module; ///< as the file has it, without prefixes
    const FileTensor* operator[](Kind kind) const { return tensors[static_cast<std::size_t>(kind)]; }
    const FileTensor*& operator[](Kind kind) { return tensors[static_cast<std::size_t>(kind)]; }
};

/// A change of one tensor of the model: scale * up * down, or scale * difference.
struct Change {
    std::string target;
    const FileTensor *up = nullptr, *down = nullptr, *difference = nullptr;
    double scale = 1;
    bool replaces = false; ///< `difference` takes the tensor's place, whatever the strength
};

/// What peft's LoraConfig says: alpha, and the modules that have another one. diffusers stores it in the file's
/// metadata, peft in a file beside it.
struct PeftConfig {
    std::optional<double> alpha;
    std::vector<std::pair<std::string, double>> pattern; ///< ends of modules' names
    bool root = false;                                   ///< rsLoRA: alpha is divided by the root of the rank

    /// `prefix`: with which its keys begin. Throws Error if an alpha is not a number.
    static PeftConfig read(const Json& json, const std::string& prefix, const std::string& file) {
        PeftConfig out;
        const auto wrong = [&](const std::string& field) {
            throw Error(file, printable(field, 120), "must be a number", "download the file again");
        };
        const auto at = [&](const char* key) {
            const auto it = json.find(prefix + key);
            return it == json.end() || it->is_null() ? nullptr : &*it;
        };
        if (const Json* alpha = at("lora_alpha")) {
            if (!alpha->is_number()) wrong(prefix + "lora_alpha");
            out.alpha = alpha->get<double>();
        }
        if (const Json* root = at("use_rslora")) out.root = root->is_boolean() && root->get<bool>();
        if (const Json* pattern = at("alpha_pattern"); pattern && pattern->is_object())
            for (const auto& [module, alpha] : pattern->items()) {
                if (!alpha.is_number()) wrong(fmt::format("{}alpha_pattern.{}", prefix, module));
                out.pattern.emplace_back(module, alpha.get<double>());
            }
        return out;
    }
    std::optional<double> alpha_of(std::string_view module) const {
        for (const auto& [end, value] : pattern)
            if (module.ends_with(end) && (module.size() == end.size() || module[module.size() - end.size() - 1] == '.'))
                return value;
        return alpha;
    }
};

std::vector<std::int64_t> without_ones(std::span<const std::int64_t> shape) {
    std::vector<std::int64_t> out(shape.begin(), shape.end());
    std::erase(out, 1);
    return out;
}

std::int64_t elements(const FileTensor& t) { return checked_elements(t.shape).value_or(-1); }

bool is_float(const FileTensor& t) {
    static constexpr std::array floats{DType::f32, DType::f16, DType::bf16, DType::f64, DType::f8_e4m3, DType::f8_e5m2};
    return t.dtype && std::ranges::find(floats, *t.dtype) != floats.end();
}

Container opened(const fs::path& file) {
    constexpr const char* hint = "give a LoRA's .safetensors file";
    if (has_regular_file(file)) MappedFile::open(file); // its error says better what to do than the one below
    try {
        Container container = open_container(file);
        if (container.format != Container::Format::gguf) return container;
    } catch (const Error& e) {
        throw Error(e.file(), e.field(), e.message(), hint);
    }
    throw Error(file.string(), "", "is a GGUF file, which holds no LoRA", hint);
}

class Reader {
public:
    /// With `numbers`, alphas are read, too; without, only headers.
    Reader(const Weights& weights, const Lora& lora, Expert expert, bool numbers)
        : weights_(weights),
          file_(lora.file.string()),
          container_(opened(lora.file)),
          expert_(expert),
          numbers_(numbers) {
        sort_tensors();
        plan();
    }
    const std::vector<Change>& changes() const { return changes_; }
    /// Whether the names of its tensors say which expert they are for.
    bool is_split() const { return split_; }
    std::vector<std::string> warnings() const {
        std::vector<std::string> out;
        const auto tell = [&](const LeftOut& left, std::string_view what) {
            if (left.count)
                out.push_back(fmt::format("{}: {} of its tensors {} and are left out ({}{})", name(), left.count, what,
                                          printable(left.first, 80), left.count > 1 ? ", …" : ""));
        };
        tell(absent_, "are for layers that this model does not have");
        tell(wrong_, "are of another size");
        tell(others_, "have names that are not recognised");
        if (expert_ == Expert::none) tell(other_expert_, "are for Wan 2.2's low-noise expert");
        if (zero_alpha_) out.push_back(fmt::format("{}: an alpha of 0 is taken as none", name()));
        return out;
    }

    /// A tensor as it lies in the file. Throws Error if a number is not finite.
    Tensor values(const FileTensor& t) const {
        const Tensor out = container_.tensor(t);
        const int width = element_bytes(out.dtype());
        std::vector<float> wide(static_cast<std::size_t>(std::min<std::int64_t>(out.elements(), 1 << 16)));
        for (std::int64_t at = 0; at < out.elements(); at += std::ssize(wide)) {
            const std::int64_t n = std::min(std::ssize(wide), out.elements() - at);
            to_f32(out.dtype(), out.raw() + at * width, wide.data(), n);
            if (!std::all_of(wide.begin(), wide.begin() + n, [](float v) { return std::isfinite(v); }))
                refuse(t.name, "holds numbers that are not finite", "download the file again");
        }
        return out;
    }

private:
    /// Tensors that are left out for one reason: how many, and the name of the first.
    struct LeftOut {
        std::size_t count = 0;
        std::string first;
        void add(const std::string& what) {
            if (count++ == 0) first = what;
        }
    };
    std::string name() const { return printable_name(file_); }
    [[noreturn]] void refuse(std::string tensor, std::string message, std::string hint) const {
        throw Error(file_, printable(tensor, 120), std::move(message), std::move(hint));
    }

    struct Entry {
        const FileTensor* tensor;
        Kind kind;
        lora::Target target;
    };

    std::vector<Entry> entries() {
        std::vector<Entry> all;
        for (const FileTensor& t : container_.tensors) {
            if (const std::string_view relative = lora::relative_of(t.name); !relative.empty())
                refuse(t.name, fmt::format("belongs to {}, which is not known here", relative), "use a LoRA");
            const std::string plain = without_wrappers(t.name);
            if (const auto ending = lora::ending_of(plain))
                all.push_back({&t, ending->kind,
                               lora::target_of(std::string_view(plain).substr(0, plain.size() - ending->text.size()))});
            else
                others_.add(t.name);
        }
        if (all.empty()) refuse("", "holds no LoRA", "give a file of a LoRA for Wan or SkyReels-V2");
        return all;
    }

    void sort_tensors() {
        const auto modules = lora::module_names(weights_);
        const std::vector<Entry> all = entries();
        both_ = std::ranges::any_of(all, [](const Entry& e) { return e.target.expert == Expert::low; });
        split_ = std::ranges::any_of(all, [](const Entry& e) { return e.target.expert != Expert::none; });
        const Expert mine = expert_ == Expert::low ? Expert::low : Expert::high;
        for (const Entry& e : all) {
            // diffusers gives only the second expert a prefix of its own.
            const Expert of = e.target.expert == Expert::none && both_ ? Expert::high : e.target.expert;
            if (of != Expert::none && of != mine) {
                other_expert_.add(e.tensor->name);
                continue;
            }
            const auto module = modules.find(lora::flattened(e.target.module));
            if (module == modules.end()) {
                absent_.add(e.tensor->name);
                continue;
            }
            Part& part = parts_[module->second];
            const FileTensor*& slot = part[e.kind];
            if (slot)
                refuse(e.tensor->name, fmt::format("says the same as {}", printable(slot->name, 120)),
                       "keep one of them");
            slot = e.tensor;
            part.module = e.target.module;
        }
    }

    PeftConfig peft_config() const {
        Json json = Json::object();
        std::string source = file_;
        if (const auto it = container_.metadata.find(peft_config_key); it != container_.metadata.end()) {
            json = parse_carried_config(it->second, file_, peft_config_key, "download the file again");
        } else if (const fs::path beside = peft_config_of(file_); !beside.empty()) {
            source = beside.string();
            json = read_json_object(beside);
        }
        const std::string prefix = expert_ == Expert::low && both_ ? "transformer_2." : "transformer.";
        return PeftConfig::read(json, json.contains("lora_alpha") ? "" : prefix, source);
    }

    void plan() {
        peft_ = peft_config();
        for (const auto& [module, part] : parts_) plan(module, part);
        const bool for_other_expert = expert_ != Expert::none && other_expert_.count > 0;
        if (changes_.empty() && wrong_.count == 0 && !for_other_expert)
            refuse(absent_.count ? absent_.first : other_expert_.first, "none of its layers is in this model",
                   "use a LoRA for Wan or SkyReels-V2");
        if (wrong_.count > changes_.size())
            refuse(wrong_.first, fmt::format("{}: it is for a model of another size", wrong_shapes_),
                   "use the LoRA that belongs to this model");
    }

    void plan(const std::string& module, const Part& part) {
        const FileTensor *down = part[Kind::down], *up = part[Kind::up];
        if (!down != !up)
            refuse((down ? down : up)->name, down ? "has no second half (up)" : "has no first half (down)",
                   "download the file again");
        if (down) check_ranks(*up, *down);
        const std::string matrix = weights_.find(module + ".weight") ? module + ".weight" : module;
        const double scale = down ? scale_of(part) : 1;
        if (down) add({.target = matrix, .up = up, .down = down, .scale = scale});
        const auto add_difference = [&](std::string target, Kind kind, double factor) {
            if (part[kind]) add({.target = std::move(target), .difference = part[kind], .scale = factor});
        };
        add_difference(matrix, Kind::difference, 1);
        add_difference(module + ".bias", Kind::bias, 1);
        add_difference(module + ".bias", Kind::bias_of_up, scale); // peft scales both halves of what it adds
        add_difference(module + ".modulation", Kind::modulation, 1);
        if (part[Kind::replacement]) add({.target = matrix, .difference = part[Kind::replacement], .replaces = true});
    }

    /// Refuses halves that would fit no layer, whatever its size.
    void check_ranks(const FileTensor& up, const FileTensor& down) const {
        if (up.shape.size() < 2 || down.shape.size() < 2 || up.shape[0] < 1) return;
        const std::int64_t rank = down.shape[0], other = elements(up) / up.shape[0];
        if (rank < 1) refuse(down.name, "has a rank of 0", "download the file again");
        if (rank != other)
            refuse(up.name, fmt::format("has a rank of {}, and {} has {}", other, printable(down.name, 120), rank),
                   "download the file again");
    }

    /// alpha / rank; 1 if no alpha is given.
    double scale_of(const Part& part) {
        const FileTensor &down = *part[Kind::down], *tensor = part[Kind::alpha];
        const auto rank = down.shape.empty() ? 0.0 : double(down.shape[0]);
        std::optional<double> alpha = peft_.alpha_of(part.module);
        if (tensor) {
            // Some trainers store alpha as an integer.
            const bool number = is_float(*tensor) || tensor->dtype == DType::i64 || tensor->dtype == DType::i32;
            if (!number || elements(*tensor) != 1)
                refuse(tensor->name, "must be one number", "download the file again");
            alpha = numbers_ ? double(container_.tensor(*tensor).to_host_f32().data<float>()[0]) : rank;
            if (!std::isfinite(*alpha))
                refuse(tensor->name, "holds numbers that are not finite", "download the file again");
        }
        zero_alpha_ = zero_alpha_ || alpha == 0.0;
        if (rank < 1 || !alpha || *alpha == 0) return 1;
        const double scale = *alpha / (!tensor && peft_.root ? std::sqrt(rank) : rank);
        if (!std::isfinite(scale) || std::abs(scale) > 1e30)
            refuse((tensor ? tensor : &down)->name, fmt::format("its alpha of {} is out of range", *alpha),
                   "download the file again");
        return scale;
    }

    void add(const Change& change) {
        const FileTensor& first = change.down ? *change.down : *change.difference;
        const Weight* weight = weights_.find(change.target);
        if (!weight) return absent_.add(first.name);
        for (const FileTensor* t : {change.up, change.down, change.difference})
            if (t && !is_float(*t))
                refuse(t->name, fmt::format("is of type {}", printable(t->dtype_name, 24)), "use a LoRA in floats");
        if (!fits(change, *weight)) {
            if (wrong_.count == 0) wrong_shapes_ = shapes(change, *weight);
            return wrong_.add(first.name);
        }
        changes_.push_back(change);
    }

    static bool fits(const Change& c, const Weight& weight) {
        const Shape& shape = weight.shape();
        const std::int64_t all = weight.stored().elements(), rows = shape.rank() > 0 ? shape[0] : 1;
        if (all == 0 || rows == 0) return false;
        if (c.difference) {
            std::vector<std::int64_t> wanted;
            for (int i = 0; i < shape.rank(); ++i) wanted.push_back(shape[i]);
            return without_ones(c.difference->shape) == without_ones(wanted);
        }
        const std::int64_t columns = all / rows;
        if (c.down->shape.size() < 2 || c.up->shape.size() < 2) return false;
        const std::int64_t rank = c.down->shape[0];
        // The highest rank is that of a whole difference written as a product, of which one half is the identity.
        if (rank < 1 || rank > std::max(rows, columns)) return false;
        return c.up->shape[0] == rows && elements(*c.up) == rows * rank && elements(*c.down) == rank * columns;
    }

    static std::string shapes(const Change& c, const Weight& weight) {
        const auto of = [](const FileTensor& t) { return fmt::format("[{}]", fmt::join(t.shape, ",")); };
        return fmt::format("{} for {} of {}", c.down ? of(*c.up) + " x " + of(*c.down) : of(*c.difference), c.target,
                           to_string(weight.shape()));
    }

    const Weights& weights_;
    std::string file_;
    Container container_;
    Expert expert_;
    bool numbers_;
    std::map<std::string, Part> parts_; ///< by canonical module
    std::vector<Change> changes_;
    LeftOut absent_, wrong_, others_, other_expert_;
    std::string wrong_shapes_;
    PeftConfig peft_;
    bool both_ = false;  ///< the file has the halves of both experts
    bool split_ = false; ///< or one half that says whose it is
    bool zero_alpha_ = false;
};

/// What takes `weight` away when it is added, so that adding the replacement as well leaves exactly that. Holds the
/// file's own pages if they can be read as differences, else a copy in f32.
WeightChange taking_away(const Weight& weight) {
    WeightChange out;
    out.factor = -1;
    out.difference = weight.stored();
    if (!is_block(weight.stored().dtype()) && !weight.scale) return out;
    out.difference = Tensor::host(weight.shape(), DType::f32);
    const std::int64_t count = out.difference.elements();
    float* values = out.difference.data<float>();
    to_f32(weight.stored().dtype(), weight.stored().raw(), values, count);
    if (!weight.scale) return out;
    const Tensor scale = weight.scale.to_host_f32();
    const std::int64_t per_scale = count / scale.elements(); // fits() leaves no empty tensors
    for (std::int64_t i = 0; i < count; ++i) values[i] *= scale.data<float>()[i / per_scale];
    return out;
}

/// A warning if the expert of a LoRA was guessed: neither the request nor, with certainty, the file's name says it.
/// `split`: its tensors' names do.
std::optional<std::string> warning_of_guess(const Lora& lora, Expert expert, bool split) {
    if (expert == Expert::none || lora.expert) return std::nullopt;
    const std::string name = printable_name(lora.file);
    if (named_expert(lora.file) == Expert::none) {
        if (split || expert != Expert::high) return std::nullopt; // one warning for both experts
        return fmt::format(
            "{} does not say by its name which expert it is for, and changes both; its \"expert\" may say which", name);
    }
    if (said_expert_of(lora.file) != Expert::none) return std::nullopt;
    return fmt::format("{} is for the {}-noise expert alone, by its name; its \"expert\" may say otherwise", name,
                       expert == Expert::high ? "high" : "low");
}

} // namespace

fs::path peft_config_of(const fs::path& lora) {
    const std::string name = lora.filename().string();
    const fs::path config = lora.parent_path() / "adapter_config.json";
    const bool peft = name == "adapter_model.safetensors" || name == "adapter_model.bin";
    return peft && has_regular_file(config) ? config : fs::path();
}

std::vector<std::string> check_lora(const Weights& transformer, const Lora& lora, Expert expert) {
    return Reader(transformer, lora, expert, false).warnings();
}

std::vector<std::string> add_lora(Weights& transformer, const Lora& lora, Expert expert) {
    const Reader reader(transformer, lora, expert, true);
    for (const Change& change : reader.changes()) {
        WeightChange made;
        made.factor = change.replaces ? 1 : static_cast<float>(lora.strength * change.scale);
        if (change.replaces) transformer.change(change.target, taking_away(*transformer.find(change.target)));
        if (change.difference) {
            made.difference = reader.values(*change.difference);
        } else {
            const std::int64_t rank = change.down->shape[0];
            made.up = reader.values(*change.up).reshape({change.up->shape[0], rank});
            made.down = reader.values(*change.down).reshape({rank, elements(*change.down) / rank});
        }
        transformer.change(change.target, std::move(made));
    }
    std::vector<std::string> warnings = reader.warnings();
    if (auto guessed = warning_of_guess(lora, expert, reader.is_split())) warnings.push_back(std::move(*guessed));
    return warnings;
}

} // namespace denoir
