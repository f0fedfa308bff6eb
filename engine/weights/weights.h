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
/// The components that layouts exist for. If two explain a file equally well, the earlier one is taken.
inline constexpr std::array networks{Component::transformer, Component::vae21, Component::vae22, Component::umt5,
                                     Component::clip};
/// Rows of CLIP's features of one picture: 16x16 patches and the class token.
inline constexpr std::int64_t clip_rows = 257;
constexpr bool is_network(Component c) { return c != Component::lora && c != Component::unknown; }
constexpr bool is_vae(Component c) { return c == Component::vae21 || c == Component::vae22; }
/// Whether two components are of one kind; the two VAEs are.
constexpr bool same_kind(Component a, Component b) { return a == b || (is_vae(a) && is_vae(b)); }

/// The tensors of one network under their canonical names (those of the original Wan repositories without prefixes;
/// CLIP's begin with `visual.`), read from one or more files in any layout. Constant once loaded, except for what
/// backends keep beside a Weight.
class Weights {
public:
    /// `paths` are files or folders. Of a folder, the files that its *.safetensors.index.json lists are read, or
    /// without one all its *.safetensors and *.pth that hold `component`. Reads the layouts original, diffusers /
    /// transformers and ComfyUI's single file: maps names, joins q, k and v of HF's CLIP, attaches the scales of 8-bit
    /// weights and drops tensors that are known to be ignorable. What can stay mapped is neither converted nor copied.
    /// config.json is taken from the folder, or from beside the file. Throws Error, also for a tensor that is there
    /// twice.
    static Weights load(std::span<const std::filesystem::path> paths, Component component);

    const Weight* find(std::string_view name) const;
    const std::map<std::string, Weight, std::less<>>& all() const { return tensors_; }
    Component component() const { return component_; }
    /// config.json as parsed (read_config, with_carried), or an empty object.
    const Json& config() const { return config_; }
    const std::string& origin() const { return origin_; } ///< first file or folder as the user named it
    const std::vector<std::string>& warnings() const { return warnings_; }
    std::size_t stored_bytes() const; ///< of all tensors as they are stored
    bool prepared() const;            ///< whether a backend keeps something beside them (Weight::prepared)

    /// Adds a change to a tensor, which must exist and must not have been prepared by a backend yet.
    void change(std::string_view name, WeightChange);
    void warn(std::string text) { warnings_.push_back(std::move(text)); }

    /// Compares with the complete list that a model expects. Throws one Error that names missing, extra and wrongly
    /// shaped tensors, up to a limit. -1 in a shape allows any size.
    void require(const std::map<std::string, Shape>& expected) const;

    /// A set made in memory, for tests and tools.
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
