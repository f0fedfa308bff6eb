// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/backend/weight.h"
#include "engine/core/json.h"

namespace denoir {

/// What a set of tensors is (spec/checkpoints.md 7), by names and shapes alone.
enum class Component { transformer, vae21, vae22, umt5, clip, lora, unknown };
std::string_view name(Component);
/// The components that layouts exist for; where two explain a file equally well the earlier one is taken.
inline constexpr std::array networks{Component::transformer, Component::vae21, Component::vae22, Component::umt5,
                                     Component::clip};
/// Rows of CLIP's features of a picture: 16x16 patches and the class token.
inline constexpr std::int64_t clip_rows = 257;
constexpr bool is_network(Component c) { return c != Component::lora && c != Component::unknown; }
constexpr bool is_vae(Component c) { return c == Component::vae21 || c == Component::vae22; }
/// The two VAEs count as one kind.
constexpr bool same_kind(Component a, Component b) { return a == b || (is_vae(a) && is_vae(b)); }

/// The tensors of one network under their canonical names (those of the original Wan repositories, prefixes stripped;
/// CLIP's begin with `visual.`), read from one or more files in any layout. Const once loaded, except for what backends
/// keep beside a Weight.
class Weights {
public:
    /// `paths`: files or folders. A folder's *.safetensors.index.json is followed, else all its *.safetensors / *.pth
    /// (only those that hold `component` when one is asked for). Reads the layouts original, diffusers / transformers
    /// and Comfy single file, maps names, joins q/k/v of HF's CLIP, attaches the scales of 8-bit weights, drops what is
    /// known to be ignorable. Duplicate tensors are an Error. Nothing is converted or copied that can stay mapped.
    /// config.json is taken from the folder or from beside the file.
    static Weights load(std::span<const std::filesystem::path> paths, Component component);

    const Weight* find(std::string_view name) const;
    const std::map<std::string, Weight, std::less<>>& all() const { return tensors_; }
    Component component() const { return component_; }
    /// config.json as parsed (read_config, with_carried), or an empty object.
    const Json& config() const { return config_; }
    const std::string& origin() const { return origin_; } ///< first file or folder as the user named it
    const std::vector<std::string>& warnings() const { return warnings_; }
    std::size_t stored_bytes() const;
    bool prepared() const; ///< a backend keeps something beside them (Weight::prepared)

    /// Adds a change to a tensor, which must exist, before any backend has prepared it.
    void change(std::string_view name, WeightChange);
    void warn(std::string text) { warnings_.push_back(std::move(text)); }

    /// Compares with the complete list a model expects: missing, extra and wrongly shaped tensors are named (a bounded
    /// list) in one Error. -1 in a shape allows any size.
    void require(const std::map<std::string, Shape>& expected) const;

    // For tests and tools: a set made in memory.
    Weights(Component component, std::map<std::string, Weight, std::less<>> tensors, Json config, std::string origin);
    Weights() = default;

private:
    std::map<std::string, Weight, std::less<>> tensors_;
    Component component_ = Component::unknown;
    Json config_ = Json::object();
    std::string origin_;
    std::vector<std::string> warnings_;
};

} // namespace denoir
