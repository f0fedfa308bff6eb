// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/weights/container.h"
#include "engine/weights/weights.h"

namespace denoir {

/// How a file names the tensors of a network. `diffusers` stands for diffusers and transformers alike, `llama` for the
/// text encoder in GGUF files.
enum class Layout { original, diffusers, open_clip, llama };
inline constexpr std::array<Layout, 4> all_layouts{Layout::original, Layout::diffusers, Layout::open_clip,
                                                   Layout::llama};
std::string_view name(Layout);

/// How a VAE's decoder is divided: into levels of so many residual blocks each and, except in the last, an upsampling.
struct VaeDepth {
    int levels = 4, blocks = 3;
};
/// The depth of a VAE's decoder, by its tensors' names in any layout. Without such names the default, which all
/// released VAEs have.
VaeDepth vae_depth(std::span<const std::string_view> names);

/// The naming of a file. `blocks`: residual blocks of a VAE's decoder level, which its names depend on.
struct Naming {
    Layout layout = Layout::original;
    int blocks = VaeDepth().blocks;
    Naming(Layout l, int b = VaeDepth().blocks) : layout(l), blocks(b) {}
};

/// A canonical name. CLIP's q, k and v of the transformers layout are parts 0, 1, 2 of one canonical tensor; -1: the
/// whole of it.
struct CanonicalName {
    std::string name;
    int part = -1;
};

/// `name` (without its prefix) as the original repositories call it; empty if the layout has no such tensor. What
/// belongs to a layer (`scale_weight`, `comfy_quant`, …) is renamed with it. Canonical CLIP names begin with `visual.`.
std::optional<CanonicalName> canonical_name(Component component, Naming naming, std::string_view name);

/// The other direction. `part` selects q, k or v if the layout splits them.
std::optional<std::string> layout_name(Component component, Naming naming, std::string_view canonical, int part = -1);
/// Whether the layout stores this canonical tensor as three (q, k, v along the first axis).
bool is_split(Component component, Naming naming, std::string_view canonical);

/// `name` without what FSDP, activation checkpointing and torch.compile insert for the modules that they wrap
/// ("_orig_mod.").
std::string without_wrappers(std::string_view name);

/// The endings of optimum-quanto's two halves of an 8-bit weight: its integer or fp8 values, and their scale.
inline constexpr std::string_view quanto_numbers = ".weight._data", quanto_scale = ".weight._scale";

/// without_wrappers(), with quanto's halves renamed as in scaled fp8: `.weight` and `.weight_scale`.
std::string plain_name(std::string_view name);

/// The beginning of `name` that tells nothing about the layer: one or more known prefixes ("model.diffusion_model.",
/// "module.model.", "vae.", …). Empty if there is none.
std::string_view known_prefix(std::string_view name);

/// The last part of a dotted name: "weight" of "a.q.weight". A name without dots is its own last part.
constexpr std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); } // npos + 1 = 0

/// The layer that a tensor other than weight and bias hangs on: "a.q" of "a.q.scale_weight"; empty for other names.
std::string_view hangs_on(std::string_view name);

/// Whether this is a factor by which other programs scale a layer's inputs or outputs to hold them in 8 bits. Ours stay
/// in floats, so the result does not depend on it. (quanto's are 1 if only weights are quantised.)
bool is_activation_scale(std::string_view leaf);

/// Whether the engine has no use for this tensor and drops it (spec/checkpoints.md 10.4); `name` without its prefix.
bool is_ignorable(Component component, std::string_view name);

/// What a group of tensors is.
struct Recognised {
    Component component = Component::unknown;
    Layout layout = Layout::original;
    bool without_visual = false; ///< CLIP: the names lack their `visual.`, which the caller puts in front
};
struct NamedRank {
    std::string_view name;
    int rank;
};
/// Tells what these tensors are by their names, without prefixes, and their ranks: at least half of them must fit.
Recognised recognise(std::span<const NamedRank> tensors);

} // namespace denoir
