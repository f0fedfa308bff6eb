// SPDX-License-Identifier: Apache-2.0
#include "app/cli/request_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "app/cli/values.h"
#include "engine/core/log.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/branch.h"
#include "engine/session/carried_request.h"
#include "engine/session/sweep_folder.h"
#include "engine/weights/container.h"
#include "engine/weights/model_part_keys.h"

namespace denoir::cli {
namespace {

/// How the text of an option becomes the JSON value of its field.
enum class Kind { text, number };
struct FieldOption {
    std::string_view option, key;
    Kind kind;
};
constexpr FieldOption field_options[] = {
    {"--prompt", "prompt", Kind::text},
    {"--negative-prompt", "negative_prompt", Kind::text},
    {"--image", "image", Kind::text},
    {"--last-image", "last_image", Kind::text},
    {"--model", "model", Kind::text},
    {"--mode", "mode", Kind::text},
    {"--family", "family", Kind::text},
    {"--frames", "frames", Kind::number},
    {"--fps", "fps", Kind::number},
    {"--steps", "steps", Kind::number},
    {"--guidance", "guidance", Kind::number},
    {"--guidance-low", "guidance_low", Kind::number},
    {"--guidance-until", "guidance_until", Kind::number},
    {"--shift", "shift", Kind::number},
    {"--seed", "seed", Kind::number},
    {"--sampler", "sampler", Kind::text},
    {"--dtype", "dtype", Kind::text},
    {"--precision", "precision", Kind::text},
    {"--preprocess", "preprocess", Kind::text},
    {"--device", "device", Kind::text},
    {"--threads", "threads", Kind::number},
    {"--latents", "latents", Kind::text},
};

/// The options that name files for parts of the model, and the keys of these parts.
const std::vector<std::pair<std::string, std::string_view>>& part_options() {
    static const auto options = [] {
        std::vector<std::pair<std::string, std::string_view>> all;
        for (const ModelPartKey& part : model_part_keys) {
            all.emplace_back(fmt::format("--{}", part.key), part.key);
            std::replace(all.back().first.begin(), all.back().first.end(), '_', '-');
        }
        return all;
    }();
    return options;
}

/// The parts of the model that the request names, replaced by those that the options name.
Json part_values(const Request& r, const Arguments& args) {
    const Json whole = to_json(r);
    Json value = whole.value("parts", Json::object());
    for (const auto& [option, part] : part_options())
        if (args.has(option)) value[std::string(part)] = args.get(option);
    return value;
}

/// The option that sets a field of a request; empty if there is none.
std::string_view option_of(std::string_view field, std::string_view steps_option) {
    const std::string_view key = top_key(field);
    if (key == "steps") return steps_option;
    if (key == "width" || key == "height") return "--size";
    if (key == "cache") return "--cache-threshold";
    if (key == "noise") return "--noise";
    if (key == "loras")
        return field.ends_with(".strength") ? "--lora-strength"
               : field.ends_with(".expert") ? "--lora-expert"
                                            : "--lora";
    for (const auto& [option, part] : part_options())
        if (field.starts_with("parts.") && field.substr(6) == part) return option;
    for (const FieldOption& f : field_options)
        if (f.key == key) return f.option;
    return {};
}

/// The LoRAs of `--lora A --lora B`, else those of the request, with a strength and an expert for each in their order,
/// or one for all.
Json lora_values(const Request& r, const Arguments& args) {
    Json all = Json::array();
    for (const std::string& file : args.all("--lora")) all.push_back({{"file", file}});
    if (all.empty() && !r.loras.empty()) all = to_json(r).at("loras");
    const std::vector<std::string> strengths = args.all("--lora-strength"), experts = args.all("--lora-expert");
    for (const auto& [option, given] : {std::pair{"--lora-strength", &strengths}, {"--lora-expert", &experts}}) {
        if (all.empty() && !given->empty())
            throw UsageError("", option, "has no effect without --lora", "name the LoRA's file: --lora FILE");
        if (given->size() > 1 && given->size() != all.size())
            throw UsageError("", option, fmt::format("is given {} times for {} files", given->size(), all.size()),
                             "give one for each LoRA, in their order, or one for all");
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!strengths.empty()) all[i]["strength"] = number_value(strengths[strengths.size() > 1 ? i : 0]);
        if (!experts.empty()) all[i]["expert"] = experts[experts.size() > 1 ? i : 0];
    }
    return all;
}

/// `--cache-threshold T` and `--cache-ret-steps` over what the request says.
Json cache_values(const Request& r, const Arguments& args) {
    Json value = Json::object();
    if (r.cache) value = to_json(r).at("cache");
    if (args.has("--cache-threshold")) value["threshold"] = number_value(args.get("--cache-threshold"));
    if (args.has("--cache-ret-steps")) {
        if (value.empty())
            throw UsageError("", "--cache-ret-steps", "has no effect without --cache-threshold",
                             "give a threshold, 0.1 for example");
        value["ret_steps"] = true;
    }
    return value;
}

/// Whether this is a file of weights. One that begins like JSON is not read further.
bool is_checkpoint(const std::filesystem::path& file) {
    std::error_code code;
    if (!std::filesystem::is_regular_file(file, code)) return false;
    std::ifstream in(file, std::ios::binary);
    if (const int first = (in >> std::ws).peek(); first == '{' || first == EOF) return false;
    try {
        open_container(file);
        return true;
    } catch (const Error&) {
        return false;
    }
}

} // namespace

std::filesystem::path request_path(const Arguments& args, const char* what) {
    const std::string& word = args.words()[0];
    if (word.empty()) throw UsageError("", what, "is empty", "name a request file, or leave it out");
    const std::filesystem::path file = named_run(word);
    std::error_code code;
    if (std::filesystem::symlink_status(file, code).type() == std::filesystem::file_type::not_found)
        throw Error(word, "", "no such file or folder, and no run of this name",
                    word.find(' ') != std::string::npos && !args.has("--prompt")
                        ? "check it, or give a prompt with --prompt"
                        : "check it, and put a prompt of several words in quotes");
    if (std::filesystem::is_directory(file, code) && !carried_request(file)) {
        if (is_sweep_folder(file))
            throw Error(word, "", "is the folder of a sweep",
                        "resume it with denoir-cli sweep --resume, or name a run in it");
        throw Error(word, "", "is a folder, neither a run nor frames that Denoir made",
                    "give a model's folder with --model");
    }
    if (is_checkpoint(file))
        throw Error(word, "", "is a checkpoint, not a request", "give a model with --model, a LoRA with --lora");
    return file;
}

void apply_request_arguments(Request& r, const Arguments& args, std::string_view steps_option) {
    if (!args.words().empty()) {
        const std::filesystem::path file = request_path(args, "REQUEST.json");
        apply_over_start(r, [&](Request& request) { apply_request_file(request, file); });
    }
    apply_request_options(r, args, steps_option);
}

void set_field(Request& r, std::string_view key, const Json& value, std::string_view steps_option) {
    try {
        set_request_field(r, key, value, {.file = {}, .folder = {}, .hint = "see --help"});
    } catch (const UsageError& e) {
        throw UsageError("", std::string(option_of(e.field(), steps_option)), e.message(), e.hint());
    }
}

void set_size_fields(Request& r, const std::string& text) {
    try {
        set_request_size(r, text, {});
    } catch (const UsageError& e) {
        const std::string side = e.field() == "size" ? "" : e.field() + ": ";
        throw UsageError("", "--size", side + e.message(), e.hint());
    }
}

void apply_request_options(Request& r, const Arguments& args, std::string_view steps_option) {
    for (const FieldOption& f : field_options) {
        const std::string_view option = option_of(f.key, steps_option);
        if (args.has(option))
            set_field(r, f.key, f.kind == Kind::text ? Json(args.get(option)) : number_value(args.get(option)),
                      steps_option);
    }
    if (std::any_of(part_options().begin(), part_options().end(),
                    [&](const auto& option) { return args.has(option.first); }))
        set_field(r, "parts", part_values(r, args), steps_option);
    if (args.has("--size")) set_size_fields(r, args.get("--size"));
    if (args.has("--lora") || args.has("--lora-strength") || args.has("--lora-expert"))
        set_field(r, "loras", lora_values(r, args));
    if (args.has("--cache-threshold") || args.has("--cache-ret-steps")) set_field(r, "cache", cache_values(r, args));
    if (args.has("--noise")) {
        const std::string text = args.get("--noise");
        set_field(r, "noise", text.starts_with("torch-") ? Json{{"kind", text}} : Json{{"file", text}});
    }
}

std::vector<GivenField> given_fields(const Arguments& args, std::size_t loras) {
    std::vector<GivenField> out;
    const auto give = [&](std::string_view option, std::string field) {
        if (args.has(option)) out.push_back({option, std::move(field)});
    };
    for (const FieldOption& f : field_options) give(f.option, std::string(f.key));
    for (const auto& [option, part] : part_options()) give(option, fmt::format("parts.{}", part));
    for (const char* side : {"width", "height"}) give("--size", side);
    give("--lora", "loras");
    for (std::size_t i = 0; i < loras; ++i) give("--lora-strength", fmt::format("loras.{}.strength", i));
    for (std::size_t i = 0; i < loras; ++i) give("--lora-expert", fmt::format("loras.{}.expert", i));
    // --cache-ret-steps is refused without --cache-threshold, so that both together set the whole field.
    give("--cache-threshold", args.has("--cache-ret-steps") ? "cache" : "cache.threshold");
    give("--cache-ret-steps", "cache.ret_steps");
    give("--noise", "noise");
    return out;
}

void refuse_no_request(const Arguments& args, std::string_view command) {
    if (!args.words().empty() || !given_fields(args, 1).empty()) return;
    throw UsageError("", std::string(command), fmt::format("nothing to {}", command),
                     "give a REQUEST.json or --prompt TEXT, and --out FILE");
}

void warn_without_prompt(const Arguments& args) {
    if (!args.words().empty() || args.has("--from") || args.has("--prompt") || args.has("--image")) return;
    log::warning("no prompt is given, so the model decides what is seen; give --prompt TEXT to decide it");
}

Error as_written(const Error& e, const Arguments& args, std::string_view steps_option) {
    if (args.has("--resume")) return e; // the request is the stored one, not the command line's
    std::string file = as_given(e).file(), field = e.field();
    const std::string key(top_key(field));
    const char* named_device = std::getenv("DENOIR_DEVICE");
    if (field == "device" && named_device && *named_device && !args.has("--device") && args.words().empty())
        return {file, "DENOIR_DEVICE", e.message(), e.hint()};
    const bool of_request = e.file().empty() || is_run_folder(e.file()); // the run that a branch begins in
    const std::string_view option = option_of(field, steps_option);
    // Without a request file the option is named even where a default does not fit; for an object only if it was given.
    const bool object = key == "loras" || key == "cache" || key == "noise" || key == "parts";
    if (!option.empty() && of_request &&
        (args.has(key == "loras" ? "--lora" : option) || (!object && args.words().empty())))
        field = option;
    const auto& keys = request_keys();
    if (file.empty() && field == e.field() && !args.words().empty() &&
        std::find(keys.begin(), keys.end(), key) != keys.end())
        file = args.words()[0];
    return {file, field, e.message(), e.hint()};
}

std::vector<Option> with_request_options(std::initializer_list<Option> own, std::string_view steps_option) {
    std::vector<Option> all{
        {"--prompt", "T", "what the video shows (default: nothing)"},
        {"--negative-prompt", "T", "what it should not show (default: the model's own)"},
        {"--image", "FILE", "start image: PNG, JPEG, WebP, BMP, TIFF, GIF, PNM (default: none)"},
        {"--last-image", "FILE",
         "last image (first-last-frame models), or the one that follows the clip (diffusion forcing; default: none)"},
        {"--model", "DIR", "model folder, file, or name in the data folder (default: the bundled demo model)"},
        {"--vae", "FILE", "of the model (default: what lies in or beside it)"},
        {"--text-encoder", "FILE", "of the model, a file or folder (default: what lies in or beside it)"},
        {"--clip", "FILE", "CLIP image encoder of the model (default: what lies in or beside it)"},
        {"--tokenizer", "FILE",
         "tokenizer.json, spiece.model or a folder that holds one (default: what lies in or beside the model)"},
        {"--low-noise", "FILE",
         "second transformer of Wan 2.2 A14B, --model names the first (default: what lies in or beside it)"},
        {"--lora", "FILE", "changes to the transformer: a LoRA's .safetensors file; several add up (default: none)",
         Option::Count::repeated},
        {"--lora-strength", "S",
         "of each --lora, or of the request's LoRAs, in their order, or one for all; -100 to 100 (default 1)",
         Option::Count::repeated},
        {"--lora-expert", "E",
         "which of Wan 2.2's two it changes: high, low or both (default: what the file's name says, else both)",
         Option::Count::repeated},
        {"--mode", "M", "t2v, i2v, flf2v or forcing (default: by model and images)"},
        {"--family", "F", "wan, skyreels, skyreels-df or wan2.2 (default: what the model's files say)"},
        {"--size", "WxH", "pixels, multiples of 16, for TI2V of 32 (default: the model's, or by the image's aspect)"},
        {"--frames", "N", "frames, 4n+1 (default: the model's)"},
        {"--fps", "F", "frames per second, 1 to 240 (default: the model's, 16 or 24)"},
        {"--steps", "N", "solver steps, 1 to 1000 (default: the model's)"},
        {"--guidance", "G", "classifier-free guidance, 0 to 100; 1 is off and twice as fast (default: the model's)"},
        {"--guidance-low", "G", "the same for Wan 2.2's low-noise expert (default: as --guidance)"},
        {"--guidance-until", "T",
         "guide steps whose time, which falls from 1000, is T or more; others take half as long, 0 to 1000 "
         "(default 0)"},
        {"--shift", "S", "shift of the noise levels, 0.01 to 1000 (default: the model's)"},
        {"--seed", "N", "0 to 18446744073709551615 (default: drawn, and stored)"},
        {"--sampler", "S", "unipc, dpmpp or euler (default unipc)"},
        {"--cache-threshold", "T",
         "TeaCache: reuse forwards until time features moved by T, 0 to 10; 0.1 to 0.3 is usual (default 0: off)"},
        {"--cache-ret-steps", "",
         "TeaCache follows the projected features and begins with five whole steps (default: plain, one)"},
        {"--noise", "N",
         "torch-cpu, torch-cuda:MULTIPROCESSORS, or a safetensors file with the tensor noise (default torch-cpu)"},
        {"--preprocess", "P", "of images: original or diffusers (default original)"},
        {"--dtype", "T", "f32 or bf16 (default bf16)"},
        {"--precision", "P", "cast points: f32, wan or skyreels (default: f32 with f32, the family's with bf16)"},
        device_option,
        threads_option};
    for (Option& option : all)
        if (option.name == "--steps") option.name = steps_option;
    all.insert(all.end(), own);
    return all;
}

} // namespace denoir::cli
