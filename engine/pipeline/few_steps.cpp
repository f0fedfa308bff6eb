// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/few_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/json_fields.h"
#include "engine/core/text.h"
#include "engine/weights/experts.h"
#include "engine/weights/model_folder.h"
#include "engine/weights/places.h"

namespace denoir {
namespace {

namespace fs = std::filesystem;

constexpr int usual_steps = 4, most_steps = 10;

/// A word for a distillation method, and the steps that its makers recommend.
struct Method {
    std::string_view word;
    int steps = usual_steps;
};

/// The runs of letters and digits in a name, in lower case. With `capitals`, a capital letter begins a word, too
/// ("FusionX", "i2vLightning").
std::vector<std::string> words_of(std::string_view name, bool capitals) {
    std::vector<std::string> words;
    bool inside = false;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        if (!is_ascii_alphanumeric(c)) {
            inside = false;
            continue;
        }
        const bool begins = is_ascii_upper(c) && i > 0 &&
                            (is_ascii_lower(name[i - 1]) || (i + 1 < name.size() && is_ascii_lower(name[i + 1])));
        if (!inside || (capitals && begins)) words.emplace_back();
        words.back() += lower_ascii(std::string_view(&c, 1));
        inside = true;
    }
    return words;
}

/// Whether a word is the key, perhaps with a version: "dmd" and "dmd2", "rapid" and "rapidv3".
bool is_version_of(std::string_view word, std::string_view key) {
    if (!word.starts_with(key)) return false;
    word.remove_prefix(key.size());
    if (word.starts_with('v')) word.remove_prefix(1);
    return std::all_of(word.begin(), word.end(), is_ascii_digit);
}

/// The steps of the distillation method that a name mentions; 0: none. Its two words may be written apart:
/// "Self_Forcing", "step-distill".
int distilled_steps(std::string_view name) {
    static constexpr std::array methods{
        Method{"lightx2v"},    Method{"lightning"},    Method{"stepdistill"}, Method{"causvid"},
        Method{"accvid", 10},  Method{"accvideo", 10}, Method{"fusionx", 8},  Method{"fusionix", 8},
        Method{"selfforcing"}, Method{"dmd"},          Method{"rapid"},       Method{"fastwan", 3},
        Method{"turbowan"},    Method{"rcm"},          Method{"longlive"},    Method{"krearealtime"}};
    const std::vector<std::string> words = words_of(name, true);
    for (std::size_t first = 0; first < words.size(); ++first) {
        std::string joined;
        for (std::size_t last = first; last < std::min(words.size(), first + 2); ++last) {
            joined += words[last];
            for (const Method& method : methods)
                if (is_version_of(joined, method.word)) return method.steps;
        }
    }
    const std::vector<std::string> parts = words_of(name, false);
    return std::find(parts.begin(), parts.end(), "turbo") != parts.end() ? usual_steps : 0;
}

/// The 8 of "…-8steps"; 0 if there is no such number, or one that counts training steps ("2000steps", "000008steps").
int counted_steps(std::string_view name) {
    constexpr std::string_view word = "step";
    const std::string all = lower_ascii(name);
    for (std::size_t at = all.find(word); at != std::string::npos; at = all.find(word, at + 1)) {
        std::size_t begin = at, end = at + word.size();
        while (begin > 0 && is_ascii_digit(all[begin - 1])) --begin;
        if (end < all.size() && all[end] == 's') ++end;
        const bool ends = end == all.size() || !is_ascii_lower(name[end]);
        if (begin == at || all[begin] == '0' || !ends || (begin > 0 && is_ascii_letter(all[begin - 1]))) continue;
        const int steps = read_whole<int>(std::string_view(all).substr(begin, at - begin)).value_or(0);
        if (steps > 0 && steps <= most_steps) return steps;
    }
    return 0;
}

/// The names that may tell: of the model's files and their folders, of the folder that was opened, of the repository
/// that it is in the Hugging Face cache, and of the LoRAs.
std::vector<std::string> names_of(const Request& r, const ModelFolder& model) {
    std::vector<std::string> names;
    for (const auto* files : {&model.transformer, &model.transformer_low}) {
        if (files->empty()) continue;
        const fs::path file = normal_path(files->front());
        names.push_back(file.filename().string());
        names.push_back(file.parent_path().filename().string());
    }
    const fs::path root = normal_path(model.root), above = root.parent_path();
    names.push_back(root.filename().string());
    if (above.filename() == "snapshots") { // models--Wan-AI--Wan2.1-T2V-14B, of which the owner's name tells nothing
        const std::string repository = above.parent_path().filename().string();
        const std::size_t owner = repository.rfind("--");
        names.push_back(owner == std::string::npos ? repository : repository.substr(owner + 2));
    }
    for (const Lora& lora : r.loras) {
        if (lora.strength == 0) continue;
        const fs::path file = normal_path(lora.file);
        names.push_back(file.filename().string());
        if (expert_of(file.filename().string()) != Expert::none) // "…-4steps-lora-…/high_noise_model.safetensors"
            names.push_back(file.parent_path().filename().string());
    }
    return names;
}

} // namespace

int few_steps_of(std::string_view name) {
    const int counted = counted_steps(name);
    return counted > 0 ? counted : distilled_steps(name);
}

std::string few_steps_warning(const Request& asked, const Request& resolved, const ModelFolder& model) {
    const bool many = *resolved.steps > most_steps, guided = !asked.guidance && *resolved.guidance > 1;
    if (!many && !guided) return {};
    const std::vector<std::string> names = names_of(resolved, model);
    auto name = std::find_if(names.begin(), names.end(), few_steps_of);
    int steps = name == names.end() ? 0 : few_steps_of(*name);
    if (steps == 0 && text_of(model.model_index, "_class_name") == "WanDMDPipeline") {
        name = std::find(names.begin(), names.end(), normal_path(model.root).filename().string());
        steps = usual_steps;
    }
    if (steps == 0) return {};
    const bool wan = *resolved.family == Family::wan || *resolved.family == Family::wan22;
    return wan ? fmt::format("{} is made for few steps: use --steps {} --guidance 1 --shift 5", printable(*name, 80),
                             steps)
               : fmt::format("{} is made for few steps: use --steps {} --guidance 1", printable(*name, 80), steps);
}

} // namespace denoir
