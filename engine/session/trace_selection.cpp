// SPDX-License-Identifier: Apache-2.0
#include "engine/session/trace_selection.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>

#include "engine/core/error.h"
#include "engine/core/text.h"
#include "engine/models/clip/vision.h"
#include "engine/models/umt5/encoder.h"
#include "engine/models/wan/transformer.h"
#include "engine/models/wan/vae.h"
#include "engine/pipeline/variant.h"
#include "engine/pipeline/windows.h"
#include "engine/weights/headers.h"
#include "engine/weights/model_folder.h"

namespace denoir {
namespace {

/// The steps that a text like "1,4-6,last" names. Throws UsageError.
std::set<int> read_steps(const std::string& text, int total) {
    std::set<int> steps;
    const auto refuse = [&](std::string_view part) -> UsageError {
        return {"", "--steps", fmt::format("'{}' is not a step of this run", printable(part, 40)),
                fmt::format("write numbers or ranges from 1 to {}, like 1,4-6,last", total)};
    };
    const auto number = [&](std::string_view word, std::string_view part) {
        if (word == "last") return total;
        const auto value = read_whole<int>(word);
        if (!value || *value < 1 || *value > total) throw refuse(part);
        return *value;
    };
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string_view part = std::string_view(text).substr(begin, end - begin);
        const std::size_t dash = part.find('-', 1);
        const int first = number(part.substr(0, dash), part);
        const int last = dash == std::string_view::npos ? first : number(part.substr(dash + 1), part);
        if (last < first) throw refuse(part);
        for (int i = first; i <= last; ++i) steps.insert(i);
        begin = end + 1;
    }
    return steps;
}

/// The index of the bracket that ends the expression at `begin` ("[a-z]", "[!]x]"), or `begin` if that is a plain
/// character.
std::size_t end_of_bracket(const std::string& pattern, std::size_t begin) {
    std::size_t first = begin + 1;
    if (first < pattern.size() && (pattern[first] == '!' || pattern[first] == '^')) ++first;
    const std::size_t end = pattern.find(']', first + 1); // a ] that comes first stands for itself
    return end == std::string::npos ? begin : end;
}

/// Throws UsageError for patterns that take fnmatch exponential time: repeated groups with other patterns in them, and
/// many groups.
void check_groups(const std::string& pattern) {
    constexpr std::string_view marks = "?*+@!";
    constexpr int most = 4, most_repeated = 2;
    const auto refuse = [&](const char* what) {
        throw UsageError("", "--layers", fmt::format("'{}' {}", printable(pattern, 60), what),
                         "write it more simply, or as several patterns with commas");
    };
    int groups = 0, repeats = 0;
    bool repeated = false; // inside +(…) or *(…)
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] == '[') i = end_of_bracket(pattern, i);
        const bool opens = pattern[i] == '(' && i > 0 && marks.find(pattern[i - 1]) != std::string_view::npos;
        if (opens && ++groups > most) refuse("has more than 4 groups");
        if (repeated && (pattern[i] == '(' || pattern[i] == '*' || pattern[i] == '|'))
            refuse("repeats a group with *, | or another group in it");
        if (pattern[i] == ')') repeated = false;
        if (opens) repeated = pattern[i - 1] == '+' || pattern[i - 1] == '*';
        if (opens && repeated && ++repeats > most_repeated) refuse("repeats more than 2 groups");
    }
}

/// Limits number and length, as each pattern is matched against some thousand layers.
void check_patterns(const std::vector<std::string>& patterns) {
    constexpr std::size_t most = 256, longest = 1024;
    if (patterns.size() > most)
        throw UsageError("", "--layers", fmt::format("{} patterns are too many", patterns.size()),
                         fmt::format("give at most {}, with * for any letters", most));
    for (const std::string& pattern : patterns) {
        if (pattern.size() > longest)
            throw UsageError("", "--layers", fmt::format("'{}' is too long", printable(pattern, 60)),
                             fmt::format("use at most {} letters", longest));
        check_groups(pattern);
    }
}

bool matches(const std::string& pattern, std::string_view component, std::string_view layer) {
    const std::string subject =
        pattern.find('/') == std::string::npos ? std::string(layer) : fmt::format("{}/{}", component, layer);
    return ::fnmatch(pattern.c_str(), subject.c_str(), FNM_EXTMATCH) == 0;
}

/// 3 for "transformer/step_003/cond/blocks.0", 0 for a key without a step.
int step_of(std::string_view key) {
    const std::size_t at = key.find("/step_");
    if (at == std::string_view::npos) return 0;
    int step = 0;
    std::from_chars(key.data() + at + 6, key.data() + key.size(), step);
    return std::max(step, 1); // the noise belongs to the first step
}

/// `names`, for a `still` picture without the convolutions over time, which it bypasses (spec/vae21.md 2.7, 2.8).
std::vector<std::string> without_time(std::vector<std::string> names, bool still) {
    if (still) std::erase_if(names, [](const std::string& name) { return name.ends_with(".time_conv"); });
    return names;
}

void add(std::vector<TraceLayer>& all, const char* component, const std::vector<std::string>& names,
         std::int64_t tensors) {
    for (const std::string& name : names) all.push_back({component, name, tensors});
}

void add_text_encoder(std::vector<TraceLayer>& all, const ModelFolder& model, std::int64_t prompts) {
    const auto config = umt5::Config::read(load_headers(model.text_encoder, Component::umt5));
    all.push_back({"text_encoder", "tokens", prompts});
    add(all, "text_encoder", umt5::layer_names(config), prompts);
}

void add_image_encoder(std::vector<TraceLayer>& all, const ModelFolder& model, std::int64_t images) {
    const auto config = clip::Config::read(load_headers(model.clip, Component::clip));
    all.push_back({"image_encoder", "pixels", images});
    add(all, "image_encoder", clip::layer_names(config), images);
}

/// Adds the layers of each transformer that computes any step up to the last of `steps`. `clip`: it sees CLIP features.
void add_transformers(std::vector<TraceLayer>& all, const wan::Config& config, bool clip, const Request& r,
                      const ModelFolder& model, const std::set<int>& steps) {
    const Window window = windows_of(r).front();
    const std::vector<int> forwards = step_forwards(r, model, window);
    const bool negative = uses_negative(r, model);
    for (const bool low : {false, true}) {
        const auto [first, end] = expert_steps(r, model, window, low);
        if (first == end || *steps.rbegin() <= first) continue;
        const char* component = low ? "transformer_low" : "transformer";
        const int contexts = negative && guided(r, guidance_of(r, low)) ? 2 : 1;
        add(all, component, wan::context_layer_names(config, clip), contexts);
        std::int64_t traced = 0; // forwards of this transformer in `steps`
        for (auto step = steps.upper_bound(first); step != steps.upper_bound(end); ++step)
            traced += forwards[std::size_t(*step) - 1];
        if (traced == 0) continue;
        add(all, component, wan::layer_names(config), traced);
        all.push_back({component, "velocity", traced});
    }
}

/// Every layer that can be traced in `steps` (1 …) of this resolved request and before its first step, in the order of
/// execution. Reads headers only.
std::vector<TraceLayer> traceable_layers(const Request& r, const ModelFolder& model, const std::set<int>& steps) {
    const auto transformer = wan::Config::read(load_headers(model.transformer, Component::transformer));
    const auto vae = wan::VaeConfig::read(load_headers(model.vae, Component::vae21));
    const bool image = !r.image.empty() || !r.last_image.empty(), clip = image && transformer.clip_dim > 0;
    const std::int64_t frames = *r.frames;
    std::vector<TraceLayer> all;
    add_text_encoder(all, model, uses_negative(r, model) ? 2 : 1);
    if (clip) add_image_encoder(all, model, transformer.clip_positions > 0 ? 2 : 1);
    if (image || goes_on(r)) {
        const bool stills = !goes_on(r) && (*r.mode == Mode::forcing || Variant::read(model).clean_image());
        const std::int64_t pictures = goes_on(r) ? r.forcing->overlap + 1 : stills ? 2 : frames;
        add(all, "vae_encoder", without_time(wan::encoder_layer_names(vae), stills || frames == 1), pictures);
        all.push_back({"vae_encoder", "latent", 2});
    }
    add_transformers(all, transformer, clip, r, model, steps);
    for (const char* name : {"velocity", "latent", "x0"})
        all.push_back({"sampler", name,
                       std::int64_t(steps.size()) + (name == std::string_view("latent") && steps.contains(1) ? 1 : 0)});
    add(all, "vae_decoder", without_time(wan::decoder_layer_names(vae), frames == 1), frames);
    all.push_back({"vae_decoder", "picture", frames});
    return all;
}

} // namespace

TraceFilter::TraceFilter(const TraceSelection& selection, const Request& r, const ModelFolder& model)
    : patterns_(selection.layers), total_steps_(Pipeline::step_count(r)) {
    steps_ = read_steps(selection.steps.empty() ? fmt::format("1-{}", total_steps_) : selection.steps, total_steps_);
    check_patterns(patterns_);
    for (TraceLayer& layer : traceable_layers(r, model, steps_))
        if (fits(layer.component, layer.layer)) layers_.push_back(std::move(layer));
    for (const std::string& pattern : patterns_)
        if (std::none_of(layers_.begin(), layers_.end(),
                         [&](const TraceLayer& l) { return matches(pattern, l.component, l.layer); }))
            throw UsageError("", "--layers", fmt::format("no layer of this run matches '{}'", printable(pattern, 60)),
                             "trace --list shows their names");
    if (wants_component("transformer") || wants_component("transformer_low") || wants_component("sampler"))
        last_step_ = *steps_.rbegin();
    // The decoder works on the last step's latent: it runs only if that step is selected.
    decodes_ = wants_component("vae_decoder") && steps_.contains(total_steps_);
    if (decodes_) last_step_ = total_steps_;
    if (!decodes_) std::erase_if(layers_, [](const TraceLayer& l) { return l.component == "vae_decoder"; });
    if (layers_.empty())
        throw UsageError("", "--layers", "the decoder works on the last step only", "add last to --steps");
}

bool TraceFilter::fits(std::string_view component, std::string_view layer) const {
    return patterns_.empty() || std::any_of(patterns_.begin(), patterns_.end(), [&](const std::string& pattern) {
               return matches(pattern, component, layer);
           });
}

bool TraceFilter::wants_component(std::string_view component) const {
    return std::any_of(layers_.begin(), layers_.end(), [&](const TraceLayer& l) { return l.component == component; });
}

bool TraceFilter::wants(std::string_view key) const {
    if (const int step = step_of(key); step > 0 && !steps_.contains(step)) return false;
    const std::string_view component = key.substr(0, key.find('/')), layer = key.substr(key.rfind('/') + 1);
    if (component == "vae_decoder" && !decodes_) return false;
    const auto [it, is_new] = known_.try_emplace(fmt::format("{}/{}", component, layer), false);
    if (is_new) it->second = fits(component, layer);
    return it->second;
}

} // namespace denoir
