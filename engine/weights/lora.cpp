// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/lora.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>

#include "engine/core/error.h"
#include "engine/weights/container.h"
#include "engine/weights/family.h"
#include "engine/weights/names.h"

namespace denoir {
namespace {

namespace fs = std::filesystem;

enum class Kind { down, up, alpha, difference, bias, modulation };
constexpr std::size_t kinds = 6;

struct Ending {
    std::string_view text;
    Kind kind;
};
/// spec/checkpoints.md 9.1, 9.2; longer ones first.
constexpr std::array endings{Ending{".lora_A.default.weight", Kind::down},
                             Ending{".lora_B.default.weight", Kind::up},
                             Ending{".lora_B.default.bias", Kind::bias},
                             Ending{".lora_A.weight", Kind::down},
                             Ending{".lora_B.weight", Kind::up},
                             Ending{".lora_B.bias", Kind::bias},
                             Ending{".lora_down.weight", Kind::down},
                             Ending{".lora_up.weight", Kind::up},
                             Ending{".lora.down.weight", Kind::down},
                             Ending{".lora.up.weight", Kind::up},
                             Ending{"_lora.down.weight", Kind::down},
                             Ending{"_lora.up.weight", Kind::up},
                             Ending{".lora_A", Kind::down},
                             Ending{".lora_B", Kind::up},
                             Ending{".alpha", Kind::alpha},
                             Ending{".diff_b", Kind::bias},
                             Ending{".diff_m", Kind::modulation},
                             Ending{".diff", Kind::difference},
                             Ending{".w_norm", Kind::difference},
                             Ending{".b_norm", Kind::bias}};

struct Relative {
    std::string_view mark, name;
};
constexpr std::array relatives{Relative{"dora_scale", "DoRA"},
                               Relative{"lora_magnitude_vector", "DoRA"},
                               Relative{".lora_mid", "a LoRA of three parts"},
                               Relative{".hada_", "LoHa"},
                               Relative{".lokr_", "LoKr"},
                               Relative{".oft_", "OFT"},
                               Relative{".set_weight", "a patch that replaces weights"}};

constexpr std::array<std::string_view, 6> prefixes{
    "base_model.model.", "model.diffusion_model.", "diffusion_model.", "transformer.", "pipe.dit.", "module."};
constexpr std::array<std::string_view, 3> flat_prefixes{"lora_unet__", "lora_unet_", "lycoris_"};
constexpr std::string_view low_noise = "transformer_2."; ///< diffusers' name of Wan 2.2's second expert

/// Without the last part of a tensor's name; empty where it has one part alone.
std::string parent(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    return std::string(name.substr(0, dot == std::string_view::npos ? 0 : dot));
}

/// What the file may call the modules of the model -> their canonical names: original or diffusers', with dots or flat.
/// Built from the model's own tensors: flat names cannot be taken apart (spec/checkpoints.md 9.2).
std::map<std::string, std::string, std::less<>> module_names(const Weights& weights) {
    std::map<std::string, std::string, std::less<>> all;
    const auto add = [&](const std::string& known, const std::string& canonical) {
        if (known.empty()) return;
        all.emplace(known, canonical);
        std::string flat = known;
        std::replace(flat.begin(), flat.end(), '.', '_');
        all.emplace(flat, canonical);
    };
    for (const auto& [name, weight] : weights.all()) {
        add(parent(name), parent(name)); // first: where both namings have a word, the original's counts
        add(name, name);
    }
    for (const auto& [name, weight] : weights.all())
        if (const auto other = layout_name(Component::transformer, Layout::diffusers, name)) {
            add(parent(*other), parent(name));
            add(*other, name);
        }
    return all;
}

/// One module of the file.
struct Part {
    std::array<const FileTensor*, kinds> tensors{};
    const FileTensor* operator[](Kind kind) const { return tensors[static_cast<std::size_t>(kind)]; }
    const FileTensor*& operator[](Kind kind) { return tensors[static_cast<std::size_t>(kind)]; }
    const FileTensor* any() const {
        return *std::find_if(tensors.begin(), tensors.end(), [](const FileTensor* t) { return t != nullptr; });
    }
};

/// A change of one tensor of the model.
struct Change {
    std::string target;
    const FileTensor *up = nullptr, *down = nullptr, *alpha = nullptr, *difference = nullptr;
};

std::vector<std::int64_t> without_ones(std::span<const std::int64_t> shape) {
    std::vector<std::int64_t> out(shape.begin(), shape.end());
    std::erase(out, 1);
    return out;
}

std::int64_t elements(const FileTensor& t) { return checked_elements(t.shape).value_or(-1); }

bool is_float(const FileTensor& t) {
    static constexpr std::array floats{DType::f32, DType::f16, DType::bf16, DType::f64, DType::f8_e4m3, DType::f8_e5m2};
    return t.dtype && std::find(floats.begin(), floats.end(), *t.dtype) != floats.end();
}

Container opened(const fs::path& file) {
    constexpr const char* hint = "give a LoRA's .safetensors file";
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
    Reader(const Weights& weights, const Lora& lora, Expert expert)
        : weights_(weights), file_(lora.file.string()), container_(opened(lora.file)), expert_(expert) {
        sort_tensors();
        plan();
    }
    const std::vector<Change>& changes() const { return changes_; }
    std::vector<std::string> warnings() const {
        std::vector<std::string> out;
        const auto tell = [&](const Left& left, std::string_view what) {
            if (left.count)
                out.push_back(fmt::format("{}: {} of its tensors {} and are left out ({}{})", name(), left.count, what,
                                          printable(left.first, 80), left.count > 1 ? ", …" : ""));
        };
        tell(absent_, "are for layers that this model does not have");
        tell(wrong_, "are of another size");
        tell(others_, "have names that say nothing here");
        if (zero_alpha_) out.push_back(fmt::format("{}: an alpha of 0 is taken as none", name()));
        return out;
    }

    /// As it lies in the file. Throws Error where its numbers are not finite.
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
    double alpha(const FileTensor& t) const {
        const float value = values(t).to_host_f32().span<float>()[0];
        return value;
    }
    void found_zero_alpha() { zero_alpha_ = true; }

private:
    struct Left {
        std::size_t count = 0;
        std::string first;
        void add(const std::string& what) {
            if (count++ == 0) first = what;
        }
    };
    std::string name() const { return printable(fs::path(file_).filename().string(), 80); }
    [[noreturn]] void refuse(std::string tensor, std::string message, std::string hint) const {
        throw Error(file_, printable(tensor, 120), std::move(message), std::move(hint));
    }

    /// The module that `text` names, whatever stands in front; nothing for the other expert's.
    std::optional<std::string_view> bare(std::string_view text) const {
        for (bool found = true; found;) {
            found = false;
            if (text.starts_with(low_noise)) {
                if (expert_ != Expert::low) return std::nullopt;
                text.remove_prefix(low_noise.size());
                found = true;
            }
            for (const std::string_view prefix : prefixes)
                if (text.starts_with(prefix)) text.remove_prefix(prefix.size()), found = true;
        }
        for (const std::string_view prefix : flat_prefixes)
            if (text.starts_with(prefix)) return text.substr(prefix.size());
        return text;
    }

    void sort_tensors() {
        const auto modules = module_names(weights_);
        // A file with both experts' halves has each under its name.
        const bool both = std::any_of(container_.tensors.begin(), container_.tensors.end(),
                                      [](const FileTensor& t) { return t.name.starts_with(low_noise); });
        bool any = false;
        for (const FileTensor& t : container_.tensors) {
            for (const Relative& other : relatives)
                if (t.name.find(other.mark) != std::string::npos)
                    refuse(t.name, fmt::format("belongs to {}, which is not known here", other.name), "use a LoRA");
            const auto ending =
                std::find_if(endings.begin(), endings.end(), [&](const Ending& e) { return t.name.ends_with(e.text); });
            if (ending == endings.end()) {
                others_.add(t.name);
                continue;
            }
            any = true;
            const std::string_view text = std::string_view(t.name).substr(0, t.name.size() - ending->text.size());
            if (both && expert_ == Expert::low && !text.starts_with(low_noise)) continue;
            const auto named = bare(text);
            if (!named) continue;
            const auto module = modules.find(*named);
            if (module == modules.end()) {
                absent_.add(t.name);
                continue;
            }
            const FileTensor*& slot = parts_[module->second][ending->kind];
            if (slot)
                refuse(t.name, fmt::format("says the same as {}", printable(slot->name, 120)), "keep one of them");
            slot = &t;
        }
        if (!any) refuse("", "holds no LoRA", "give a file of a LoRA for Wan or SkyReels-V2");
    }

    void plan() {
        for (const auto& [module, part] : parts_) plan(module, part);
        if (changes_.empty() && wrong_.count == 0)
            refuse(absent_.first, "none of its layers is in this model", "use a LoRA for Wan or SkyReels-V2");
        if (wrong_.count > changes_.size())
            refuse(wrong_.first, fmt::format("{}: it is for a model of another size", wrong_shapes_),
                   "use the LoRA that belongs to this model");
    }

    void plan(const std::string& module, const Part& part) {
        const FileTensor *down = part[Kind::down], *up = part[Kind::up];
        if (!down != !up)
            refuse((down ? down : up)->name, down ? "has no second half (up)" : "has no first half (down)",
                   "download the file again");
        const auto matrix = [&]() -> std::string {
            return weights_.find(module + ".weight") ? module + ".weight" : module;
        };
        if (down) add({.target = matrix(), .up = up, .down = down, .alpha = part[Kind::alpha]});
        if (part[Kind::difference]) add({.target = matrix(), .difference = part[Kind::difference]});
        if (part[Kind::bias]) add({.target = module + ".bias", .difference = part[Kind::bias]});
        if (part[Kind::modulation]) add({.target = module + ".modulation", .difference = part[Kind::modulation]});
    }

    void add(const Change& change) {
        const FileTensor& first = change.down ? *change.down : *change.difference;
        const Weight* weight = weights_.find(change.target);
        if (!weight) return absent_.add(first.name);
        for (const FileTensor* t : {change.up, change.down, change.difference})
            if (t && !is_float(*t))
                refuse(t->name, fmt::format("is of type {}", printable(t->dtype_name, 24)), "use a LoRA in floats");
        const bool number = !change.alpha || is_float(*change.alpha) || change.alpha->dtype == DType::i64 ||
                            change.alpha->dtype == DType::i32; // some trainers count in whole numbers
        if (!number || (change.alpha && elements(*change.alpha) != 1))
            refuse(change.alpha->name, "must be one number", "download the file again");
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
        // Of a whole difference written as a product one half is the identity; more rank than that says nothing.
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
    std::map<std::string, Part> parts_; ///< by canonical module
    std::vector<Change> changes_;
    Left absent_, wrong_, others_;
    std::string wrong_shapes_;
    bool zero_alpha_ = false;
};

/// "…_HIGH_fp16", without a word of noise: the files of Wan2.2-Lightning are named so.
Expert bare_expert_of(std::string_view file_name) {
    std::string words(file_name);
    std::transform(words.begin(), words.end(), words.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    const auto has_word = [&](std::string_view word) {
        const auto letter = [&](std::size_t i) { return i < words.size() && words[i] >= 'a' && words[i] <= 'z'; };
        for (std::size_t at = words.find(word); at != std::string::npos; at = words.find(word, at + 1))
            if ((at == 0 || !letter(at - 1)) && !letter(at + word.size())) return true;
        return false;
    };
    const bool high = has_word("high"), low = has_word("low");
    return high == low ? Expert::none : high ? Expert::high : Expert::low;
}

} // namespace

bool is_for(const Lora& lora, Expert expert) {
    const std::string name = lora.file.filename().string();
    Expert named = expert_of(name);
    if (named == Expert::none) named = bare_expert_of(name);
    return expert == Expert::none || named == Expert::none || named == expert;
}

std::vector<std::string> check_lora(const Weights& transformer, const Lora& lora, Expert expert) {
    return Reader(transformer, lora, expert).warnings();
}

std::vector<std::string> add_lora(Weights& transformer, const Lora& lora, Expert expert) {
    Reader reader(transformer, lora, expert);
    for (const Change& change : reader.changes()) {
        WeightChange made;
        made.factor = static_cast<float>(lora.strength);
        if (change.difference) {
            made.difference = reader.values(*change.difference);
        } else {
            const std::int64_t rank = change.down->shape[0];
            made.up = reader.values(*change.up).reshape({change.up->shape[0], rank});
            made.down = reader.values(*change.down).reshape({rank, elements(*change.down) / rank});
            const double alpha = change.alpha ? reader.alpha(*change.alpha) : double(rank);
            if (alpha == 0)
                reader.found_zero_alpha();
            else
                made.factor = static_cast<float>(lora.strength * alpha / double(rank));
            if (!std::isfinite(made.factor))
                throw Error(lora.file.string(), printable(change.alpha->name, 120), "is out of range",
                            "download the file again");
        }
        transformer.change(change.target, std::move(made));
    }
    std::vector<std::string> warnings = reader.warnings();
    const std::string name = lora.file.filename().string();
    if (expert != Expert::none && expert_of(name) == Expert::none && bare_expert_of(name) != Expert::none)
        warnings.push_back(fmt::format("{} is for the {}-noise expert alone, by its name", printable(name, 80),
                                       expert == Expert::high ? "high" : "low"));
    return warnings;
}

} // namespace denoir
