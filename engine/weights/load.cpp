// SPDX-License-Identifier: Apache-2.0
// Weights::load: from files in any layout to canonical tensors.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "engine/core/error.h"
#include "engine/core/memory.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/config_file.h"
#include "engine/weights/headers.h"
#include "engine/weights/limits.h"
#include "engine/weights/parts.h"
#include "engine/weights/places.h"
#include "engine/weights/quantisation.h"
#include "engine/weights/weights.h"

namespace denoir {
namespace {

namespace fs = std::filesystem;

/// The checkpoints that hold the wanted component.
struct Selection {
    std::vector<Checkpoint> checkpoints;
    std::vector<Error> problems;  ///< of files in a folder that could not be read; they matter if nothing else fits
    std::set<std::string> others; ///< the names of all components that were found, for a message
};

/// The checkpoints that were opened: those that hold the wanted component, and those that may be parts of it.
struct Opened {
    std::vector<Checkpoint> holding, unknown;

    void take(Checkpoint c, Component wanted, Selection& selection) {
        for (const TensorGroup& g : c.groups) selection.others.emplace(name(g.component()));
        if (holds(c, wanted)) {
            holding.push_back(std::move(c));
        } else if (is_perhaps_part(c)) {
            for (const TensorGroup& g : c.groups) room_ -= std::min(room_, g.members.size());
            if (room_ > 0) unknown.push_back(std::move(c));
        }
    }

private:
    std::size_t room_ = max_network_tensors; ///< for tensors of `unknown`, since a folder may hold anything
};

void select_from(const fs::path& path, Component wanted, Selection& selection) {
    const bool folder = is_folder(path);
    Opened opened;
    std::vector<std::pair<fs::path, Error>> broken_indices;
    for (const CheckpointFiles& files : list_checkpoints(path)) {
        try {
            opened.take(Checkpoint::open(files), wanted, selection);
        } catch (const Error& e) {
            if (!folder) throw;
            selection.problems.push_back(e);
            if (!files.index.empty()) broken_indices.emplace_back(files.index, e);
        }
    }
    // An index says which files belong together: copies beside it do not count.
    std::vector<Checkpoint>& found = opened.holding;
    const bool indexed = std::ranges::any_of(found, [](const Checkpoint& c) { return c.indexed; });
    // A broken index may have named other files than the ones of its kind that were found.
    if (!indexed)
        for (const auto& [index, error] : broken_indices)
            for (const Checkpoint& c : found)
                if (index.stem().stem().extension() == c.files.front().extension()) throw Error(error);
    if (!indexed) join_parts(found, std::move(opened.unknown), wanted);
    for (Checkpoint& c : found)
        if (!indexed || c.indexed) selection.checkpoints.push_back(std::move(c));
}

/// Selects from files that somebody named one by one: all of them are meant, except those that hold something else. If
/// they are the shards of an index, the index says which tensors count, although its folder was not named.
void select_files(std::span<const fs::path> paths, Component wanted, Selection& selection) {
    Opened opened;
    if (const fs::path index = index_of(paths); !index.empty())
        opened.take(Checkpoint::open({{paths.begin(), paths.end()}, index}), wanted, selection);
    else
        for (const fs::path& path : paths) opened.take(Checkpoint::open({{path}, {}}), wanted, selection);
    join_named_parts(opened.holding, std::move(opened.unknown), wanted);
    selection.checkpoints = std::move(opened.holding);
}

/// The folder in which a diffusers repository keeps the part; empty if it has none for it.
fs::path part_folder(const fs::path& root, Component wanted) {
    switch (wanted) {
    case Component::transformer:
        return root / "transformer";
    case Component::vae21:
    case Component::vae22:
        return root / "vae";
    case Component::umt5:
        return root / "text_encoder";
    case Component::clip:
        return root / "image_encoder";
    default:
        return {};
    }
}

Selection select(std::span<const fs::path> paths, Component wanted) {
    Selection selection;
    const bool plain_files =
        std::ranges::all_of(paths, [](const fs::path& path) { return is_file(path) && path.extension() != ".json"; });
    if (plain_files) {
        select_files(paths, wanted, selection);
    } else {
        for (const fs::path& path : paths) {
            const std::size_t before = selection.checkpoints.size();
            select_from(path, wanted, selection);
            const fs::path part = part_folder(path, wanted);
            if (selection.checkpoints.size() == before && is_folder(part)) select_from(part, wanted, selection);
        }
    }
    if (!selection.checkpoints.empty()) return selection;
    if (!selection.problems.empty()) throw Error(selection.problems.front());
    const std::string wish(wanted == Component::unknown ? "model that is known"
                           : is_vae(wanted)             ? "Wan VAE"
                                                        : name(wanted));
    const std::string found =
        selection.others.empty() ? "no checkpoint" : fmt::format("{}", fmt::join(selection.others, ", "));
    throw Error(paths.empty() ? "" : paths.front().string(), "", fmt::format("no {} there (found: {})", wish, found),
                wanted == Component::unknown ? "give the file or folder of one network" : "give its file or folder");
}

Component single_component(const Selection& selection, Component wanted, const std::string& origin) {
    Component component = Component::unknown;
    for (const Checkpoint& c : selection.checkpoints)
        for (const TensorGroup& g : c.groups) {
            if (!matches(g.component(), wanted)) continue;
            if (component != Component::unknown && component != g.component())
                throw Error(origin, "",
                            fmt::format("both a {} and a {} are there", name(component), name(g.component())),
                            selection.checkpoints.size() == 1 ? "use a file that holds one of them alone"
                                                              : "name the file that is meant");
            component = g.component();
        }
    return component;
}

/// Gathers the tensors of one network by canonical name, and makes Weights of them.
class Builder {
public:
    /// The values that the Weights have. headers: undefined ones wherever a copy would be needed (load_headers);
    /// in_place: they may be misaligned (load_in_place).
    enum class Values { all, headers, in_place };
    /// `blocks` as in Naming.
    Builder(Component component, int blocks, Values values) : component_(component), blocks_(blocks), values_(values) {}

    void add(const TensorGroup& group) {
        for (const auto& member : group.members) add(member, group.recognised.layout);
    }

    std::map<std::string, Weight, std::less<>> build() {
        Tensors result;
        for (const auto& [name, parts] : parts_) {
            if (parts[0]) refuse_folded(name, *parts[0]);
            const bool twins = component_ == Component::umt5, split = parts[1] || parts[2];
            result.emplace(name, twins ? one_of(name, parts) : split ? joined(name, parts) : single(name, *parts[0]));
        }
        for (const auto& [name, parts] : scales_) {
            if (parts_.contains(name) || is_ignorable(component_, name)) continue;
            const Member& scale = first_of(parts);
            throw Error(scale.container->file->name(), scale.tensor->name, "a scale whose weight is missing",
                        "use the complete checkpoint");
        }
        to_canonical_shapes(result);
        return result;
    }

private:
    using Member = TensorGroup::Member;
    using Parts = std::array<const Member*, 3>;
    using Tensors = std::map<std::string, Weight, std::less<>>;

    void add(const Member& member, Layout layout) {
        const std::string& file = member.container->file->name();
        refuse_unknown_quantisation(member.name, file);
        const auto canonical = canonical_name(component_, Naming(layout, blocks_), member.name);
        const bool ignorable = is_ignorable(component_, member.name);
        const std::string name = canonical ? canonical->name : member.name;
        const std::string_view leaf = last_part(name);
        if (leaf == "comfy_quant") check_comfy_quant(*member.container, *member.tensor, member.name, file);
        // An output scale counts as a stranger, too: beside a weight of few bits without a scale it is suspicious.
        if (canonical ? leaf == "output_scale" : !is_scale_leaf(leaf) && !ignorable) strangers_.insert(member.name);
        const bool second_table = component_ == Component::umt5 && member.name.starts_with("encoder.embed_tokens.");
        const int part = canonical ? std::max(canonical->part, second_table ? 1 : 0) : 0;
        if (is_scale_leaf(leaf))
            put(scales_[name.substr(0, name.size() - leaf.size()) + "weight"], part, member);
        else if (canonical ? !is_activation_scale(leaf) && leaf != "comfy_quant" : !ignorable)
            put(parts_[name], part, member);
    }

    /// Refuses a convolution that a GGUF writer has folded into rows of whole blocks without recording its shape.
    void refuse_folded(const std::string& name, const Member& member) const {
        const bool gguf = member.container->format == Container::Format::gguf;
        if (gguf && is_vae(component_) && name.ends_with(".weight") && member.tensor->shape.size() == 2)
            throw Error(member.container->file->name(), member.tensor->name,
                        "is a folded convolution, and the file does not say of what shape",
                        "use the VAE's .safetensors or .pth file");
    }

    void put(Parts& parts, int part, const Member& member) {
        const Member*& slot = parts[static_cast<std::size_t>(part)];
        if (slot) refuse_twice(*slot, member);
        slot = &member;
    }

    [[noreturn]] static void refuse_twice(const Member& one, const Member& other) {
        throw Error(other.container->file->name(), other.tensor->name,
                    fmt::format("the same tensor is there as {} in {}", one.tensor->name,
                                fs::path(one.container->file->name()).filename().string()),
                    "keep one of them, or name the file that is meant");
    }

    const Member* scale_of(const std::string& name, std::size_t part) const {
        const auto it = scales_.find(name);
        return it == scales_.end() ? nullptr : it->second[part];
    }

    /// The name of a tensor in `layer` that the layout does not know; null if there is none.
    const std::string* stranger_in(const std::string& layer) const {
        const auto it = strangers_.lower_bound(layer + ".");
        return it != strangers_.end() && it->starts_with(layer + ".") ? &*it : nullptr;
    }

    Tensor stored_of(const Member& member) const {
        const FileTensor& t = *member.tensor;
        // tensor() refuses what does not fit.
        const bool fits = t.dtype && t.shape.size() <= static_cast<std::size_t>(Shape::max_rank);
        if (values_ == Values::in_place) return member.container->in_place(t);
        if (copies() || !is_copied(t) || !fits) return member.container->tensor(t);
        return Tensor::host(Shape(std::span<const std::int64_t>(t.shape)), is_widened(t) ? DType::f32 : *t.dtype);
    }

    Tensor plain(const Tensor& stored, const Tensor& scale) const {
        return copies() ? dequantised(stored, scale) : Tensor::host(stored.shape());
    }

    bool copies() const { return values_ != Values::headers; }

    static bool is_in_bytes(DType type) { return !is_block(type) && element_bytes(type) == 1; }

    /// The library transformers may store the text encoder's table under both of its names, in one file or in two
    /// shards: parts 0 and 1. One of them is taken, with its own scale: the first, unless only the second has a scale
    /// that it needs.
    Weight one_of(const std::string& name, const Parts& parts) const {
        const auto lacks_scale = [&](std::size_t i) {
            const auto type = parts[i]->tensor->dtype;
            return type && is_in_bytes(*type) && !scale_of(name, i);
        };
        const bool both = parts[0] && parts[1];
        if (both && parts[0]->tensor->shape != parts[1]->tensor->shape) refuse_twice(*parts[0], *parts[1]);
        const std::size_t taken = !parts[0] || (both && lacks_scale(0)) ? 1 : 0;
        return single(name, *parts[taken], both || scale_of(name, taken) ? taken : 1 - taken);
    }

    /// The stored tensor with its scale. Scales of column blocks are multiplied in, since no kernel applies them.
    Weight single(const std::string& name, const Member& member, std::size_t part = 0) const {
        const std::string& file = member.container->file->name();
        Tensor stored = stored_of(member);
        const Member* scale = scale_of(name, part);
        const bool quanto = is_quanto(*member.tensor, scale ? scale->tensor : nullptr, file);
        if (name.ends_with(".weight") && !quanto)
            refuse_whole_numbers(member.tensor->name, stored.dtype(), scale != nullptr, file);
        if (!scale && is_in_bytes(stored.dtype()) && name.ends_with(".weight"))
            if (const std::string* unknown = stranger_in(member.name.substr(0, member.name.rfind('.'))))
                refuse_unknown_scale(member.tensor->name, *unknown, file);
        if (!scale) return Weight(name, std::move(stored));
        if (!quanto && stored.dtype() != DType::f8_e4m3 && stored.dtype() != DType::f8_e5m2)
            throw Error(file, member.tensor->name,
                        fmt::format("it has a scale, but is {} and not fp8", member.tensor->dtype_name),
                        "use another file of this model");
        Tensor factors =
            read_scale(scale->container->tensor(*scale->tensor), stored.shape(), scale->tensor->name, file);
        const bool in_blocks = factors.rank() == 2;
        if (in_blocks && quanto) refuse_unknown_scale(member.tensor->name, scale->tensor->name, file);
        if (in_blocks) return Weight(name, plain(stored, factors));
        Weight weight(name, std::move(stored));
        weight.scale = std::move(factors);
        return weight;
    }

    /// Stacks q, k and v of the transformers layout. This is the only place where weights are copied to be joined.
    Weight joined(const std::string& name, const Parts& parts) const {
        std::array<Weight, 3> sources;
        std::int64_t rows = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            if (!parts[i])
                throw Error(first_of(parts).container->file->name(), name,
                            fmt::format("its {} part is missing", "qkv"[i]), "use the complete checkpoint");
            sources[i] = single(name, *parts[i], i);
            const Shape &s = sources[i].shape(), &first = sources[0].shape();
            if (s.rank() < 1 || s.rank() != first.rank() ||
                s.elements() / std::max<std::int64_t>(s[0], 1) !=
                    first.elements() / std::max<std::int64_t>(first[0], 1))
                throw Error(parts[i]->container->file->name(), parts[i]->tensor->name,
                            fmt::format("shape {} beside {} of its neighbour", to_string(s), to_string(first)),
                            "use the complete checkpoint of one model");
            rows += s[0];
        }
        const bool equal = std::ranges::all_of(
            sources, [&](const Weight& w) { return !w.scale && w.stored().dtype() == sources[0].stored().dtype(); });
        Shape shape = sources[0].shape();
        shape[0] = rows;
        Tensor whole = Tensor::host(shape, equal ? sources[0].stored().dtype() : DType::f32);
        std::byte* out = whole.raw();
        for (std::size_t i = 0; copies() && i < 3; ++i) {
            const Tensor& stored = sources[i].stored();
            const Tensor rows_of_part =
                equal ? stored
                      : dequantised(values_ == Values::in_place && is_misaligned(*parts[i]->tensor) ? clone(stored)
                                                                                                    : stored,
                                    sources[i].scale);
            std::memcpy(out, rows_of_part.raw(), rows_of_part.bytes());
            out += rows_of_part.bytes();
            parts[i]->container->file->drop_pages(parts[i]->tensor->offset, parts[i]->tensor->bytes);
        }
        return Weight(name, std::move(whole));
    }
    /// The first part; there must be one.
    static const Member& first_of(const Parts& parts) {
        return **std::ranges::find_if(parts, [](const Member* m) { return m != nullptr; });
    }

    /// Gives the tensor `name`, if there is one, the shape that `shape_of` returns for its shape; rank 0: leaves it.
    template <class ShapeOf> void reshape(Tensors& tensors, const std::string& name, ShapeOf shape_of) const {
        const auto it = tensors.find(name);
        if (it == tensors.end()) return;
        const Weight& weight = it->second;
        const Shape shape = shape_of(weight.shape());
        if (shape.rank() == 0 || shape.elements() != weight.shape().elements()) return;
        // The rows may change, and scales and blocks belong to rows.
        const Tensor values =
            weight.scale || is_block(weight.stored().dtype()) ? plain(weight.stored(), weight.scale) : weight.stored();
        it->second = Weight(name, values.reshape(shape));
    }

    static Shape with_leading_one(const Shape& s) { return s.rank() == 2 ? Shape{1, s[0], s[1]} : Shape{}; }

    /// Gives tensors the original's shapes where a layout has others.
    void to_canonical_shapes(Tensors& tensors) const {
        if (component_ == Component::clip) {
            reshape(tensors, "visual.cls_embedding", [](const Shape& s) {
                return s.rank() == 1 ? Shape{1, 1, s[0]} : Shape{};
            });
            reshape(tensors, "visual.pos_embedding", with_leading_one);
        }
        if (component_ != Component::transformer) return;
        for (const auto& item : tensors) { // ggml drops leading axes of size 1
            const std::string& name = item.first;
            if (name == "img_emb.emb_pos" || name == "head.modulation" ||
                (name.starts_with("blocks.") && name.ends_with(".modulation")))
                reshape(tensors, name, with_leading_one);
        }
        unflatten_patch_embedding(tensors);
    }

    /// rCM's models embed patches with a linear layer, [D, C * 1 * 2 * 2], instead of a convolution.
    void unflatten_patch_embedding(Tensors& tensors) const {
        const auto bias = tensors.find("patch_embedding.bias");
        if (bias == tensors.end() || bias->second.shape().rank() != 1 || bias->second.shape()[0] <= 0) return;
        const std::int64_t dim = bias->second.shape()[0];
        reshape(tensors, "patch_embedding.weight", [&](const Shape& s) {
            return s.rank() == 2 && s[0] == dim && s[1] % 4 == 0 ? Shape{dim, s[1] / 4, 1, 2, 2} : Shape{};
        });
    }

    Component component_;
    int blocks_;
    Values values_;
    std::map<std::string, Parts> parts_, scales_; // by canonical name of the weight
    std::set<std::string> strangers_;             // names of tensors that the layout does not know
};

/// Throws Error if tensors would have to be copied for which there is no memory.
void check_room(const Selection& selection, Component component, Builder::Values values) {
    std::uint64_t copied = 0;
    std::string file;
    for (const Checkpoint& c : selection.checkpoints)
        for (const TensorGroup& g : c.groups)
            if (g.component() == component)
                for (const auto& member : g.members)
                    if (is_copied(*member.tensor) &&
                        !(values == Builder::Values::in_place && is_misaligned(*member.tensor))) {
                        copied += member.tensor->bytes;
                        if (file.empty()) file = member.container->file->name();
                    }
    constexpr std::uint64_t gib = std::uint64_t{1} << 30;
    if (copied <= gib) return; // not worth asking how much memory there is
    const std::size_t room = available_memory();
    if (room > 0 && copied > room)
        throw Error(file, "",
                    fmt::format("its tensors are not aligned or not stored row by row: copies of them take {:.1f} GiB, "
                                "{:.1f} GiB are free",
                                double(copied) / double(gib), double(room) / double(gib)),
                    "save it again with the safetensors library, which aligns them");
}

/// Told by the names of all files together: a single one may hold only a part of a level.
int decoder_blocks(const Selection& selection, Component component) {
    std::vector<std::string_view> names;
    for (const Checkpoint& c : selection.checkpoints)
        for (const TensorGroup& g : c.groups)
            if (g.component() == component)
                for (const auto& member : g.members) names.push_back(member.name);
    return vae_depth(names).blocks;
}

/// Parts of a network may lie in several folders; what the first says of a key holds.
Json config_of(const Selection& selection, Component component) {
    Json all = Json::object();
    for (const Checkpoint& c : selection.checkpoints) {
        const Json config = config_beside(c, component);
        all.insert(config.begin(), config.end()); // replaces nothing
    }
    return all;
}

Weights read(std::span<const fs::path> paths, Component wanted, Builder::Values values) {
    const Selection selection = select(paths, wanted);
    const std::string origin = paths.front().string();
    const Component component = single_component(selection, wanted, origin);
    check_room(selection, component, values);
    Builder builder(component, decoder_blocks(selection, component), values);
    for (const Checkpoint& c : selection.checkpoints) {
        for (const auto& container : c.containers)
            check_quantisation_metadata(container->metadata, container->file->name());
        for (const TensorGroup& g : c.groups)
            if (g.component() == component) builder.add(g);
    }
    auto tensors = builder.build();
    const Json config = with_carried(config_of(selection, component), selection.checkpoints.front());
    Weights result(component, std::move(tensors), config, origin);
    for (const Error& problem : selection.problems) result.warn(fmt::format("left out: {}", problem.what()));
    return result;
}

} // namespace

Weights Weights::load(std::span<const fs::path> paths, Component wanted) {
    return read(paths, wanted, Builder::Values::all);
}

Weights load_headers(std::span<const fs::path> paths, Component wanted) {
    return read(paths, wanted, Builder::Values::headers);
}

Weights load_in_place(std::span<const fs::path> paths, Component wanted) {
    return read(paths, wanted, Builder::Values::in_place);
}

} // namespace denoir
