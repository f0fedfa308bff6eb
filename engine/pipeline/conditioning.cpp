// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/core/file.h"
#include "engine/core/mapped_file.h"
#include "engine/models/clip/vision.h"
#include "engine/models/umt5/encoder.h"
#include "engine/models/wan/config.h"
#include "engine/pipeline/images.h"
#include "engine/pipeline/layer_probe.h"
#include "engine/pipeline/needs.h"
#include "engine/pipeline/network_options.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/prefix.h"
#include "engine/pipeline/stage_timer.h"
#include "engine/pipeline/stored.h"
#include "engine/pipeline/tokenizer_file.h"
#include "engine/pipeline/variant.h"
#include "engine/pipeline/windows.h"
#include "engine/weights/config_file.h"
#include "engine/weights/headers.h"
#include "engine/weights/model_folder.h"

namespace denoir {
namespace {

Tensor as_tensor(std::span<const std::int64_t> ids) {
    Tensor out = Tensor::host({std::ssize(ids)}, DType::i64);
    std::memcpy(out.raw(), ids.data(), out.bytes());
    return out;
}

/// [n, dim] -> [text_len, dim], filled up with rows of zeros.
Tensor padded(const Tensor& rows, std::int64_t text_len) {
    Tensor out = Tensor::zeros({text_len, rows.size(1)});
    std::memcpy(out.raw(), rows.raw(), rows.bytes());
    return out;
}

/// The four mask channels and the latents of the known frames (spec/dit.md 9). latent [C,T,h,w] -> [4+C,T,h,w].
Tensor masked_condition(const Tensor& latent, bool last_known) {
    const std::int64_t c = latent.size(0), t = latent.size(1), frame = latent.size(2) * latent.size(3);
    Tensor out = Tensor::zeros({4 + c, t, latent.size(2), latent.size(3)});
    float* p = out.data<float>();
    for (int ch = 0; ch < 4; ++ch) std::fill_n(p + ch * t * frame, frame, 1.0f);
    if (last_known) std::fill_n(p + (3 * t + t - 1) * frame, frame, 1.0f);
    std::memcpy(p + 4 * t * frame, latent.raw(), latent.bytes());
    return out;
}

struct Pictures {
    SeenImage first, last;
};

Pictures see_pictures(const Request& r, const Variant& variant, int clip_side) {
    Pictures p;
    if (r.image.empty() && r.last_image.empty()) return p;
    const Image first = read_image(r.image.empty() ? r.last_image : r.image);
    const ImageUse use{.rule = image_rule(r, variant),
                       .size = {*r.width, *r.height},
                       .clip_side = clip_side,
                       .bf16_pixels = *r.precision == PrecisionPolicy::skyreels};
    const auto see = [&](const Image& image) { return see_image(image, first, use); };
    if (!r.image.empty()) p.first = see(first);
    if (!r.last_image.empty()) p.last = see(read_image(r.last_image));
    return p;
}

/// CLIP's features of the pictures that the model looks at -> [257 or 514, width].
Tensor clip_features(const clip::Vision& vision, Backend& backend, const Request& r, const Variant& variant,
                     const Pictures& pictures, Observer& observer) {
    const auto features = [&](const SeenImage& seen, const std::string& which) {
        LayerProbe probe(observer.layers(), "image_encoder/" + which);
        tell_tensor(observer.layers(), "image_encoder/" + which + "/pixels", seen.clip);
        return backend.download(vision.forward(seen.clip, probe.get()));
    };
    std::vector<Tensor> rows{features(pictures.first, "first")};
    if (variant.clip_images > 1)
        rows.push_back(features(pictures.last, "last"));
    else if (!r.last_image.empty())
        observer.warning("this model's image encoder sees the start image alone; only models that were trained for "
                         "a last image end there");
    Tensor all = Tensor::host({std::int64_t(rows.size()) * rows[0].size(0), rows[0].size(1)});
    for (std::size_t i = 0; i < rows.size(); ++i)
        std::memcpy(all.raw() + i * rows[0].bytes(), rows[i].raw(), rows[i].bytes());
    return all;
}

/// One still picture through the VAE -> [C,1,h,w].
Tensor encode_still(const wan::Vae& vae, const Tensor& pixels, LayerObserver* layers, const std::string& what) {
    LayerProbe probe(layers, "vae_encoder/" + what, true);
    const Tensor latent =
        vae.encode([&](std::int64_t) { return pixels; }, 1, pixels.size(1), pixels.size(2), probe.get()).latent;
    tell_tensor(layers, "vae_encoder/" + what + "/latent", latent);
    return latent;
}

/// The mask of the given pictures, then the VAE's latent of a clip that is zero except for them -> [4+C,T,h,w].
Tensor encode_condition(const wan::Vae& vae, const Request& r, const Pictures& pictures, LayerObserver* layers) {
    const std::int64_t frames = *r.frames;
    // An undefined frame is all zeros: the encoder stops computing when its state repeats.
    const auto frame = [&](std::int64_t i) {
        return i == 0 ? pictures.first.pixels : i == frames - 1 ? pictures.last.pixels : Tensor();
    };
    LayerProbe probe(layers, "vae_encoder/condition", true);
    const Tensor latent = vae.encode(frame, frames, *r.height, *r.width, probe.get()).latent;
    tell_tensor(layers, "vae_encoder/condition/latent", latent);
    return masked_condition(latent, bool(pictures.last.pixels));
}

/// Warns if the video before is visibly stretched: its frames are resized without keeping their aspect, as the
/// reference's video reader does.
void warn_of_stretching(const Request& r, Observer& observer) {
    constexpr double visible = 1.1; // more than rounding the sides to whole latents causes
    const VideoBefore before = video_before(*r.forcing);
    const double stretch = double(*r.width) * before.height / (double(*r.height) * before.width);
    if (std::max(stretch, 1 / stretch) < visible) return;
    observer.warning(fmt::format("the video's {}x{} are stretched to {}x{}; leave the size out to keep its aspect",
                                 before.width, before.height, *r.width, *r.height));
}

/// Encodes the end of the video that the clip continues into c.prefix; keeps in c.before the pictures that a later
/// window is given again.
void encode_before(const wan::Vae& vae, const Request& r, Observer& observer, Conditioning& c,
                   const std::stop_token& stop) {
    FramesBefore before(*r.forcing, stop);
    if (const std::string warning = before.warning(); !warning.empty()) observer.warning(warning);
    warn_of_stretching(r, observer);
    const ImageUse use{.rule = frame_rule(r), .size = {*r.width, *r.height}};
    const int again = pictures_given_again(r), once = before.count() - again;
    if (again > 0) c.before = Tensor::host({again, 3, *r.height, *r.width});
    const auto frame = [&](std::int64_t i) {
        const Image image = before.read(int(i));
        const Tensor pixels = see_image(image, image, use).pixels;
        if (i >= once) std::memcpy(c.before.raw() + (i - once) * pixels.bytes(), pixels.raw(), pixels.bytes());
        return pixels;
    };
    LayerProbe probe(observer.layers(), "vae_encoder/before", true);
    c.prefix = vae.encode(frame, before.count(), *r.height, *r.width, probe.get()).latent;
    tell_tensor(observer.layers(), "vae_encoder/before/latent", c.prefix);
}

/// Everything besides its text that decides how a prompt is encoded: type, length, and the files' stamps.
std::string encoder_key(const Request& r, const ModelFolder& model, int text_len) {
    std::string key = fmt::format("{} {}\n", *r.dtype == DType::bf16 ? "bf16" : "f32", text_len);
    key.append(weights_stamp(model.text_encoder)).append("\n");
    for (const auto& file : tokenizer_files(model.tokenizer)) key.append(file_stamp(file)).append("\n");
    return key;
}

struct Prompt {
    const std::string& text;
    std::string what;   ///< in messages: "the negative prompt"
    std::string branch; ///< in the keys of its layers: "uncond"
    Tensor& rows;       ///< [text_len, text_dim] f32 host; undefined until encoded
};

Residency::Text encode_prompt(const Prompt& prompt, const umt5::Tokenizer& tokenizer, const umt5::Encoder& encoder,
                              Backend& backend, int text_len, LayerObserver* layers) {
    Residency::Text text;
    const auto ids = tokenizer.encode(umt5::clean(prompt.text), text_len, &text.cut);
    LayerProbe probe(layers, "text_encoder/" + prompt.branch);
    tell_tensor(layers, "text_encoder/" + prompt.branch + "/tokens", as_tensor(ids));
    text.rows = padded(backend.download(encoder.encode(ids, probe.get())), text_len);
    return text;
}

} // namespace

void Pipeline::encode_prompts(const Request& r, const ModelFolder& model, int text_len, Observer& observer,
                              Conditioning& c) {
    std::vector<Prompt> prompts{{r.prompt, "the prompt", "cond", c.text}};
    if (uses_negative(r, model))
        prompts.push_back({*r.negative_prompt, "the negative prompt", "uncond", c.negative_text});
    const auto take = [&](const Prompt& prompt, const Residency::Text& text) {
        if (text.cut)
            observer.warning(fmt::format("{} is longer than {} tokens; the rest is not used", prompt.what, text_len));
        prompt.rows = text.rows;
    };
    const std::string key = encoder_key(r, model, text_len);
    if (!observer.layers()) // layers can only be observed while they are computed
        for (const Prompt& prompt : prompts)
            if (const auto known = residency_.text(key + prompt.text)) take(prompt, *known);
    const auto all_known = [&] {
        return std::all_of(prompts.begin(), prompts.end(), [](const Prompt& p) { return p.rows.defined(); });
    };
    bool planned = false;
    const auto encode = [&](int rung) {
        std::shared_ptr<const Weights> weights;
        {
            StageTimer timer(observer, Stage::load_text);
            weights = residency_.get(model.text_encoder, Component::umt5);
        }
        StageTimer timer(observer, Stage::text);
        const MemoryNeeds needs = needs_on(rung, text_needs(*weights, *r.dtype, text_len));
        make_room(needs.activations + 2 * needs.largest_weight);
        if (const std::string told = backend_->plan_memory(needs); !told.empty())
            observer.warning("text encoder: " + told);
        planned = true;
        const auto tokenizer = load_tokenizer(model.tokenizer);
        const umt5::Encoder encoder(weights, backend_, {.dtype = *r.dtype});
        for (const Prompt& prompt : prompts) {
            if (prompt.rows.defined()) continue;
            Residency::Text text;
            try {
                text = encode_prompt(prompt, tokenizer, encoder, *backend_, text_len, observer.layers());
            } catch (const Error& e) {
                if (e.field() != "tokens") throw;
                throw e.in_file(model.tokenizer.string()); // its ids go beyond the encoder's vocabulary
            }
            if (!observer.layers()) check_computed(*weights, prompt.what, text.rows);
            residency_.keep_text(key + prompt.text, text);
            take(prompt, text);
        }
    };
    for (int rung = 0; !all_known();) {
        try {
            encode(rung);
        } catch (const Error& e) {
            if (!std::exchange(planned, false) || !next_rung(e, *backend_, rung, observer)) throw;
            residency_.release(Component::umt5);
            residency_.release(Component::transformer);
        }
    }
    residency_.release(Component::umt5);
    backend_->plan_memory({});
    backend_->trim();
}

Conditioning Pipeline::condition(const Request& r, const ModelFolder& model, Observer& observer, std::stop_token stop) {
    backend_->set_stop(stop);
    const MappedFileWatch mapped;
    const Variant variant = Variant::read(model);
    Conditioning c;
    encode_prompts(r, model, variant.text_len, observer, c);
    mapped.check();
    if (r.image.empty() && r.last_image.empty() && !goes_on(r)) return c;

    const auto load = [&](const auto& files, Component component, Stage stage) {
        StageTimer timer(observer, stage);
        return residency_.get(files, component);
    };
    std::shared_ptr<const clip::Vision> vision;
    std::shared_ptr<const Weights> clip_weights;
    if (variant.clip_images > 0) {
        clip_weights = load(model.clip, Component::clip, Stage::load_clip);
        vision = std::make_shared<const clip::Vision>(clip_weights, backend_,
                                                      clip::Vision::Options{.dtype = *r.dtype, .heads = {}});
    }
    const Pictures pictures = see_pictures(r, variant, vision ? int(vision->config().image()) : 0);
    if (vision) {
        StageTimer timer(observer, Stage::clip);
        c.clip = clip_features(*vision, *backend_, r, variant, pictures, observer);
        if (!observer.layers()) check_computed(*clip_weights, "the image", c.clip);
        vision.reset();
        clip_weights.reset();
        residency_.release(Component::clip);
        backend_->trim();
    }

    const auto vae_weights = load(model.vae, Component::vae21, Stage::load_vae);
    make_room(decode_bytes(r, wan::VaeConfig::read(*vae_weights), 1)); // encoding takes no more than decoding
    StageTimer timer(observer, Stage::image);
    const wan::Vae vae(vae_weights, backend_, vae_options(r));
    if (*r.mode == Mode::forcing || variant.clean_image()) {
        if (pictures.first.pixels) c.prefix = encode_still(vae, pictures.first.pixels, observer.layers(), "first");
        if (goes_on(r)) encode_before(vae, r, observer, c, stop);
        if (pictures.last.pixels) c.end = encode_still(vae, pictures.last.pixels, observer.layers(), "last");
    } else {
        c.condition = encode_condition(vae, r, pictures, observer.layers());
    }
    mapped.check();
    for (const Tensor& latent : {c.prefix, c.end, c.condition})
        if (latent.defined() && !observer.layers()) check_computed(*vae_weights, "the image", latent);
    return c;
}

void Pipeline::check_conditioning(const Request& r, const ModelFolder& model, const Conditioning& c) {
    const auto config = wan::Config::read(load_headers(model.transformer, Component::transformer));
    const Variant variant = Variant::read(model);
    const Shape latent = latent_shape(r, variant);
    const Shape still{latent[0], 1, latent[2], latent[3]}, before{latent[0], ready_frames(r), latent[2], latent[3]},
        text{config.text_len, config.text_dim};
    check_stored("text", c.text, text);
    if (uses_negative(r, model)) check_stored("negative_text", c.negative_text, text);
    const bool clean = *r.mode == Mode::forcing || variant.clean_image();
    const auto check = [&](const char* field, const Tensor& stored, bool wanted, const Shape& shape) {
        if (wanted) return check_stored(field, stored, shape);
        if (stored.defined())
            throw Error({}, field, "belongs to no image of the request", "the file was changed: render again");
    };
    const bool pictures = !(r.image.empty() && r.last_image.empty());
    check("condition", c.condition, variant.condition > 0, {variant.condition, latent[1], latent[2], latent[3]});
    check("clip", c.clip, config.clip_dim > 0 && pictures,
          {c.clip && c.clip.rank() == 2 ? c.clip.size(0) : clip_rows, config.clip_dim});
    check("prefix", c.prefix, clean && before[1] > 0, before);
    const int again = pictures_given_again(r);
    check("before", c.before, again > 0, {again, 3, *r.height, *r.width});
    check("end", c.end, clean && !r.last_image.empty(), still);
}

std::map<std::string, Tensor> Conditioning::to_tensors() const {
    std::map<std::string, Tensor> all{{"text", text},     {"negative_text", negative_text},
                                      {"clip", clip},     {"condition", condition},
                                      {"prefix", prefix}, {"end", end},
                                      {"before", before}};
    std::erase_if(all, [](const auto& item) { return !item.second.defined(); });
    return all;
}

Conditioning Conditioning::from_tensors(const std::map<std::string, Tensor>& all) {
    const auto at = [&](const char* name) {
        const auto it = all.find(name);
        return it == all.end() ? Tensor() : it->second;
    };
    return {at("text"), at("negative_text"), at("clip"), at("condition"), at("prefix"), at("end"), at("before")};
}

} // namespace denoir
