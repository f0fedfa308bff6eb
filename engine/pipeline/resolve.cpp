// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "engine/backend/cards.h"
#include "engine/core/error.h"
#include "engine/core/memory.h"
#include "engine/core/units.h"
#include "engine/media/crop.h"
#include "engine/media/image.h"
#include "engine/models/wan/config.h"
#include "engine/pipeline/defaults.h"
#include "engine/pipeline/images.h"
#include "engine/pipeline/model_headers.h"
#include "engine/pipeline/needs.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/prefix.h"
#include "engine/pipeline/refuse.h"
#include "engine/pipeline/resolve_forcing.h"
#include "engine/pipeline/resolve_mode.h"
#include "engine/pipeline/seed.h"
#include "engine/pipeline/step_cache.h"
#include "engine/pipeline/tokenizer_file.h"
#include "engine/pipeline/variant.h"
#include "engine/pipeline/window_latent.h"
#include "engine/pipeline/windows.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/experts.h"
#include "engine/weights/model_folder.h"
#include "engine/weights/traits.h"

namespace denoir {
namespace {

constexpr std::int64_t max_tokens = 1 << 22;
constexpr const char no_low_noise[] = "only Wan 2.2 A14B has a low-noise expert";

void check_range(const char* field, double value, Range range) {
    if (!range.holds(value))
        refuse(field, fmt::format("{} is out of range", value), fmt::format("use {} to {}", range.least, range.most));
}

/// Throws Error that one of Wan 2.2's two transformers is missing. `there`: the other one; none: it is not known which.
[[noreturn]] void refuse_half(const ModelFolder& model, Expert there) {
    const auto name = [](bool low) { return low ? "low-noise" : "high-noise"; };
    throw Error(model.root.string(), {},
                there == Expert::none
                    ? "the low-noise transformer of Wan 2.2 A14B is missing"
                    : fmt::format("holds the {} transformer of Wan 2.2 A14B alone: the {} one is missing",
                                  name(there == Expert::low), name(there != Expert::low)),
                model.transformer.empty() || said_expert_of(model.transformer.front()) != Expert::none
                    ? "give the folder that holds both, as high_noise_model/ and low_noise_model/ or transformer/ and "
                      "transformer_2/"
                    // Some finetunes merge the two into one, which is computed as a model of Wan 2.1.
                    : "give the folder that holds both, as high_noise_model/ and low_noise_model/, or family wan for a "
                      "model of one transformer");
}

void check_transformer(const ModelFolder& model) {
    if (model.transformer.empty() && !model.transformer_low.empty()) refuse_half(model, Expert::low);
    if (model.transformer.empty() && model.unread.empty() && !model.deeper.empty())
        throw Error(model.root.string(), {},
                    fmt::format("no transformer is there, but in its folders: {}", model.deeper),
                    "name the file that is meant");
    if (model.transformer.empty())
        throw Error(model.root.string(), {},
                    model.unread.empty() ? "no transformer was found there"
                                         : fmt::format("no transformer that can be read is there: {}", model.unread),
                    "give a model folder or a transformer file");
    if (!model.relative.empty())
        throw UsageError(model.root.string(), "model", describe_relative(model.relative),
                         "use a T2V, I2V, FLF2V or TI2V model of Wan, or SkyReels-V2");
}

void check_parts(const Request& r, const Variant& variant, const ModelFolder& model) {
    // `file`, `folder`: the part's names in the published repositories.
    const auto need = [&](bool there, const char* part, const char* file, const char* folder) {
        if (there) return;
        for (const char* name : {file, folder}) {
            std::error_code code;
            if (!std::filesystem::exists(model.root / name, code)) continue;
            const bool holds = !list_checkpoints(model.root / name).empty();
            throw Error(model.root.string(), {}, fmt::format("the {} is missing", part),
                        fmt::format("{} is there, but {}: download it again, or name another file", name,
                                    holds ? "is none that Denoir knows" : "holds no weights"));
        }
        throw Error(model.root.string(), {}, fmt::format("the {} is missing", part),
                    fmt::format("put {} or {}/ beside the transformer, or name its file", file, folder));
    };
    if (*r.family == Family::wan22 && model.transformer_low.empty() && !variant.clean_image())
        refuse_half(model, placed_expert_of(model.transformer.front()));
    need(!model.text_encoder.empty(), "text encoder", "models_t5_umt5-xxl-enc-bf16.pth", "text_encoder");
    if (model.tokenizer.empty()) throw Error(model.root.string(), {}, "the tokenizer is missing", tokenizer_hint);
    need(!model.vae.empty(), "VAE", variant.stride == 16 ? "Wan2.2_VAE.pth" : "Wan2.1_VAE.pth", "vae");
    const bool image = !r.image.empty();
    if (image && variant.clip_images > 0)
        need(!model.clip.empty(), "CLIP image encoder", "models_clip_open-clip-xlm-roberta-large-vit-huge-14.pth",
             "image_encoder");
}

/// Checks by names and shapes that each LoRA is for a transformer of this model.
void check_loras(const Request& r, const ModelHeaders& headers) {
    if (r.loras.empty()) return;
    const bool two = !headers.model().transformer_low.empty();
    for (const Expert expert : {two ? Expert::high : Expert::none, Expert::low}) {
        if (expert == Expert::low && !two) break;
        const Weights& weights = *headers.transformer(expert);
        for (const Lora& lora : r.loras)
            if (lora.strength != 0 && is_for(lora, expert)) check_lora(weights, lora, expert);
    }
}

void check_cache(Request& r, const Variant& variant, const ModelFolder& model) {
    check_range("cache.threshold", r.cache->threshold, {0, StepCaching::most});
    if (r.cache->threshold == 0) return r.cache.reset();           // nothing is ever reused
    r.cache->coefficients = cache_coefficients(r, variant, model); // stored, since names that tell them may change
}

/// The mode whose row of the table counts. Only Wan 2.1's first-last-frame model has a row of its own; for other models
/// a last image makes no difference.
Mode row_of(const Request& r, const Variant& variant) {
    return *r.mode == Mode::flf2v && variant.clip_images < 2 ? Mode::i2v : *r.mode;
}

/// Whether the model has Wan 2.2 A14B's two experts, each with its own guidance.
bool two_experts(Family family, const Variant& variant) { return family == Family::wan22 && !variant.clean_image(); }

void check_low_noise(const Request& r, const Variant& variant) {
    if (r.parts.low_noise.empty() || two_experts(*r.family, variant)) return;
    refuse("parts.low_noise", no_low_noise,
           *r.family == Family::wan22
               ? "leave it out"
               : "leave it out, or set the family to wan2.2 if the other transformer is its high-noise one");
}

/// Whether the model is for the smaller of Wan's two areas: its name says so, or it is a small model of Wan 2.1 whose
/// name does not say 720p.
bool is_480p(const Request& r, const Variant& variant, const ModelFolder& model) {
    return says_size(model, "480p") ||
           (*r.family == Family::wan && variant.dim < large_width && !says_size(model, "720p"));
}

/// The reference's size for a video of the image's aspect.
std::pair<int, int> size_by_area(const ImageInfo& image, bool clean_image, bool p480, int multiple) {
    const double area_480p = 480.0 * 832, area_720p = 720.0 * 1280, area_704p = 704.0 * 1280;
    return clean_image ? ti2v_size(image.width, image.height, area_704p, multiple)
                       : wan_size(image.width, image.height, p480 ? area_480p : area_720p);
}

/// Fills in width and height if they were left open: after the video before or the image, else those of the table.
void resolve_size(Request& r, const Variant& variant, const Defaults& d, bool p480, const VideoBefore& before) {
    if (r.width && r.height) return;
    const int multiple = variant.multiple();
    int width = d.width, height = d.height;
    const bool after_video = before.width > 0;
    if (after_video) { // its own size if that is no larger than the model's, else its aspect
        const double area = double(width) * height, aspect = double(before.width) / before.height;
        const auto side = [multiple](double length) {
            return int(std::lround(std::clamp(length, double(multiple), double(Resolution::max)) / multiple)) *
                   multiple;
        };
        const bool own = before.width % multiple == 0 && before.height % multiple == 0 &&
                         double(before.width) * before.height <= area;
        width = own ? before.width : side(std::sqrt(area * aspect));
        height = own ? before.height : side(std::sqrt(area / aspect));
    } else if (!r.image.empty()) {
        const ImageInfo image = image_info(r.image);
        const bool by_area = (*r.family == Family::wan || *r.family == Family::wan22) && *r.mode != Mode::forcing;
        if (by_area) {
            std::tie(width, height) =
                size_by_area(image, variant.clean_image(), p480 && row_of(r, variant) == Mode::i2v, multiple);
            if (std::min(width, height) < multiple || std::max(width, height) > Resolution::max)
                throw UsageError(r.image.string(), "image",
                                 fmt::format("its aspect of {} x {} gives a video of {}x{}", image.width, image.height,
                                             width, height),
                                 "give --size, or crop the image");
        } else if (image.height > image.width) {
            std::swap(width, height);
        }
    }
    const auto beside = [&](int given, int own, int other) { // the other side, so that an image keeps its aspect
        if (r.image.empty() && !after_video) return other;
        const double side = std::clamp(double(given) * other / own, double(multiple), double(Resolution::max));
        return int(std::lround(side / multiple)) * multiple;
    };
    if (r.width) height = beside(*r.width, width, height);
    if (r.height) width = beside(*r.height, height, width);
    r.width = r.width.value_or(width);
    r.height = r.height.value_or(height);
}

/// Refuses images that are too long and thin to be scaled. Done here, since an error can name their files.
void check_aspects(const Request& r, const Variant& variant) {
    constexpr int clip_side = 224; // the input of the CLIP of all these models
    const auto size_of = [](const std::filesystem::path& file) -> std::optional<PictureSize> {
        try {
            const ImageInfo image = image_info(file);
            return PictureSize{image.width, image.height};
        } catch (const Error&) { // reading it will report the error; a resumed run does not read it any more
            return std::nullopt;
        }
    };
    const bool clip = variant.clip_images > 0;
    const ImageUse use{
        .rule = image_rule(r, variant), .size = {*r.width, *r.height}, .clip_side = clip ? clip_side : 0};
    const bool scaled = use.rule == ImageRule::diffusers ? clip
                        : use.rule == ImageRule::ti2v    ? true
                                                         : *r.mode == Mode::flf2v;
    if (!scaled || r.image.empty()) return;
    const std::optional<PictureSize> first = size_of(r.image);
    for (const auto* file : {&r.image, &r.last_image}) {
        if (file->empty()) continue;
        const std::optional<PictureSize> size = size_of(*file);
        try {
            if (first && size) check_aspect(*size, *first, use);
        } catch (const Error& error) {
            throw error.in_file(file->string());
        }
    }
}

/// config.json may carry a `defaults` object (the bundled model does), whose numbers win over the table.
void apply_config(Defaults& d, const ModelFolder& model) {
    const auto it = model.config.find("defaults");
    if (it == model.config.end() || it->is_null()) return;
    const auto wrong = [&](const std::string& field, const std::string& message) {
        throw Error(model.root.string(), "config.json: " + field, message, "correct it, or leave it out");
    };
    if (!it->is_object()) wrong("defaults", "must be an object");
    const auto number = [&](const char* key, auto& value, Range range) {
        const auto v = it->find(key);
        if (v == it->end() || v->is_null()) return;
        using Value = std::decay_t<decltype(value)>;
        const double said = v->is_number() ? v->template get<double>() : std::nan("");
        if (!range.holds(said) || (std::is_integral_v<Value> && said != std::floor(said)))
            wrong(fmt::format("defaults.{}", key),
                  fmt::format("must be a {}number from {} to {}", std::is_integral_v<Value> ? "whole " : "",
                              range.least, range.most));
        value = static_cast<Value>(said);
    };
    number("steps", d.steps, {1, StepCount::max}), number("shift", d.shift, limits::shift),
        number("guidance", d.guidance, limits::guidance);
    number("frames", d.frames, {1, 1 << 20}), number("fps", d.fps, limits::fps);
    number("width", d.width, {16, 1 << 14}), number("height", d.height, {16, 1 << 14});
    // A model that knows few words needs a negative prompt of its own.
    if (const auto v = it->find("negative_prompt"); v != it->end() && !v->is_null()) {
        if (!v->is_string()) wrong("defaults.negative_prompt", "must be text");
        d.negative_prompt = v->get_ref<const std::string&>();
    }
}

/// The reference's numbers for this model and mode.
Defaults table_for(const Request& r, const Variant& variant, const ModelFolder& model) {
    Defaults d = variant.clean_image() ? ti2v_defaults()
                                       : defaults_for(*r.family, row_of(r, variant), says_size(model, "720p"),
                                                      is_480p(r, variant, model));
    // Each of Wan 2.1's two areas has its own shift. The size that is asked for decides, else the model's name, else
    // its size (spec/schedulers.md 9).
    if (*r.family == Family::wan && row_of(r, variant) == Mode::i2v && r.width && r.height) {
        const auto [less, more] = std::minmax(*r.width, *r.height);
        d.shift = says_size(model, "480p") ? wan_480p_shift : wan_720p_shift;
        if (less == 480 && more == 832) d.shift = wan_480p_shift;
        if (less == 720 && more == 1280) d.shift = wan_720p_shift;
    }
    apply_config(d, model);
    return d;
}

void check_noise_file(const Request& r, const Shape& wanted) {
    if (r.noise.kind == NoiseSource::Kind::torch_cuda)
        return check_range("noise.kind", r.noise.multiprocessors, {1, 1024});
    if (r.noise.kind == NoiseSource::Kind::file) noise_of_file(r, wanted);
}

/// Refuses a clip for which there is not enough memory: what a step and the decoder hold must fit. Weights need not,
/// since they are mapped and their pages may come and go.
void check_memory(const Request& r, const ModelHeaders& headers) {
    const std::size_t least = memory_estimate(r, headers).least_bytes, free = available_memory();
    if (!r.device->uses_host_memory() || free == 0 || least <= free) return;
    refuse("width",
           fmt::format("{}x{} with {} frames needs {:.1f} GiB at least, {:.1f} GiB are free", *r.width, *r.height,
                       *r.frames, double(least) / (1 << 30), double(free) / (1 << 30)),
           "use a smaller size or fewer frames");
}

void resolve_precision(Request& r) {
    if (!r.dtype) r.dtype = r.precision == PrecisionPolicy::f32 ? DType::f32 : DType::bf16;
    if (*r.dtype != DType::f32 && *r.dtype != DType::bf16)
        refuse("dtype", "only f32 and bf16 are supported", "use f32 or bf16");
    const bool sky = *r.family == Family::skyreels || *r.family == Family::skyreels_df;
    if (!r.precision)
        r.precision = *r.dtype == DType::f32 ? PrecisionPolicy::f32
                      : sky                  ? PrecisionPolicy::skyreels
                                             : PrecisionPolicy::wan;
    if ((*r.dtype == DType::f32) != (*r.precision == PrecisionPolicy::f32))
        refuse("precision", "dtype f32 goes with precision f32, bf16 with wan or skyreels",
               "leave precision out: the family decides");
}

/// The rate of the video before, if it says one, else the table's.
double default_fps(const Defaults& d, const VideoBefore& before) {
    return limits::fps.holds(before.fps) ? before.fps : d.fps;
}

/// The video before, if it decides what the user left open; empty if there is none, or nothing to decide.
VideoBefore deciding_video(const Request& r) {
    return goes_on(r) && !(r.width && r.height && r.fps) ? video_before(*r.forcing) : VideoBefore{};
}

/// Fills in the frames, and the windows of forcing. The size of a window is limited, whatever memory there is.
void resolve_frames(Request& r, const Variant& variant, const Defaults& d) {
    r.frames = FrameCount(r.frames.value_or(d.frames)).value();
    if (*r.mode == Mode::flf2v && *r.frames < 5)
        refuse("frames", "nothing is left to make besides the two images", "use 5 frames or more");
    if (*r.mode == Mode::forcing) choose_windows(r, d.frames);
    if (wan::tokens_of(latent_shape(r, variant)) > max_tokens)
        refuse("frames", "the video is too large for one window", "use fewer frames or a smaller size");
}

/// Fills in the guidance of every expert. If only the high-noise expert's was given, it counts for both.
void resolve_guidance(Request& r, const Variant& variant, const Defaults& d) {
    const bool said = r.guidance.has_value();
    r.guidance = r.guidance.value_or(d.guidance);
    check_range("guidance", *r.guidance, limits::guidance);
    if (two_experts(*r.family, variant)) {
        r.guidance_low = r.guidance_low.value_or(said ? *r.guidance : d.guidance_low);
        check_range("guidance_low", *r.guidance_low, limits::guidance);
    } else if (r.guidance_low) {
        refuse("guidance_low", no_low_noise, "leave it out");
    }
    check_range("guidance_until", r.guidance_until, limits::guidance_until);
}

} // namespace

Request Pipeline::defaults(const Request& asked, const ModelFolder& model) {
    check_transformer(model);
    const Variant variant = Variant::guess(model);
    Request r;
    r.model = asked.model;
    r.image = asked.image;
    r.family = family_of(asked, model);
    r.mode = likely_mode(asked, *r.family, variant);
    r.width = asked.width, r.height = asked.height;
    r.forcing = asked.forcing;
    const Defaults d = table_for(r, variant, model);
    r.width.reset(), r.height.reset();
    try {
        const VideoBefore before = deciding_video(r);
        resolve_size(r, variant, d, is_480p(r, variant, model), before);
        r.fps = default_fps(d, before);
    } catch (const Error&) { // the image or the video cannot be read, which does not matter here
        r.width = d.width, r.height = d.height, r.fps = d.fps;
    }
    r.image.clear();
    r.forcing.reset();
    r.frames = d.frames, r.steps = d.steps, r.guidance = d.guidance, r.shift = d.shift;
    if (two_experts(*r.family, variant)) r.guidance_low = asked.guidance.value_or(d.guidance_low);
    r.sampler = Sampler::unipc;
    r.negative_prompt = std::string(d.negative_prompt);
    r.preprocess = Preprocess::original;
    r.device = default_device();
    r.dtype = asked.dtype, r.precision = asked.precision;
    try {
        resolve_precision(r);
    } catch (const Error&) { // dtype and precision do not go together
        r.precision.reset(), r.dtype = DType::bf16;
        resolve_precision(r);
    }
    if (*r.mode == Mode::forcing) r.forcing = Forcing{};
    return r;
}

void Pipeline::keep_one_window(Request& made, const Request& usual) {
    if (made.forcing && !made.forcing->base && made.frames > usual.frames) made.forcing->base = *made.frames;
}

Request Pipeline::resolve(const Request& request, const ModelFolder& model) {
    return resolve(request, ModelHeaders(model));
}

Request Pipeline::resolve(const Request& request, const ModelHeaders& headers) {
    const ModelFolder& model = headers.model();
    Request r = request;
    check_transformer(model);
    Variant variant = headers.guess();
    r.family = family_of(request, model);
    check_family(*r.family, variant, model);
    check_low_noise(r, variant);
    r.mode = mode_of(request, *r.family);
    check_images(r, variant, model);
    check_parts(r, variant, model);
    variant = headers.variant();
    if (!model.transformer_low.empty()) tell_pairs_apart(r.loras);
    check_loras(r, headers);

    const Defaults d = table_for(r, variant, model);
    const VideoBefore before = deciding_video(r);
    resolve_size(r, variant, d, is_480p(r, variant, model), before);
    (void)Resolution(*r.width, *r.height, variant.multiple()); // throws unless the sides are multiples
    resolve_frames(r, variant, d);
    r.fps = r.fps.value_or(default_fps(d, before));
    check_range("fps", *r.fps, limits::fps);
    r.steps = StepCount(r.steps.value_or(d.steps)).value();
    resolve_guidance(r, variant, d);
    r.shift = r.shift.value_or(d.shift);
    check_range("shift", *r.shift, limits::shift);
    r.sampler = r.sampler.value_or(Sampler::unipc);
    r.negative_prompt = r.negative_prompt.value_or(std::string(d.negative_prompt));
    r.seed = r.seed ? *r.seed : draw_seed();
    r.preprocess = r.preprocess.value_or(Preprocess::original);
    check_aspects(r, variant);
    if (!r.device) r.device = default_device();
    resolve_precision(r);
    const Shape latent = latent_shape(r, variant);
    if (*r.mode == Mode::forcing) check_forcing(r, int(latent[1]));
    if (r.cache) check_cache(r, variant, model);
    check_noise_file(r, {latent[0], drawn_frames(r), latent[2], latent[3]});
    check_memory(r, headers);
    return r;
}

} // namespace denoir
