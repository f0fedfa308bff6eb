// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/resolve_mode.h"

#include <fmt/format.h>

#include "engine/pipeline/refuse.h"
#include "engine/weights/model_folder.h"

namespace denoir {
namespace {

void check_start_image(const Request& r, std::optional<Mode> mode) {
    if (mode == Mode::t2v && !r.image.empty())
        refuse("image", "text-to-video takes no image", "leave it out or use mode i2v");
    if (mode == Mode::i2v && r.image.empty())
        refuse("image", "image-to-video needs a start image", "give --image FILE");
}

} // namespace

Family family_of(const Request& r, const ModelFolder& model) {
    if (r.family) return *r.family;
    if (model.family) return *model.family;
    if (r.forcing || r.mode == Mode::forcing) return Family::skyreels_df; // nobody else does that
    throw Error(model.root.string(), "family", "nothing tells which family this model belongs to",
                "give --family wan, skyreels, skyreels-df or wan2.2 (request: \"family\")");
}

void check_family(Family family, const Variant& variant, const ModelFolder& model) {
    if (family != Family::skyreels_df) return;
    const char* other = !model.transformer_low.empty() ? "two experts"
                        : variant.stride == 16         ? "the VAE of Wan 2.2"
                        : variant.condition > 0        ? "image channels"
                                                       : nullptr;
    if (other)
        throw UsageError(model.root.string(), "family",
                         fmt::format("this model has {}, so it cannot be skyreels-df", other),
                         "leave it out, or give the model's own: wan, skyreels or wan2.2");
}

Mode mode_of(const Request& r, Family family) {
    if (family == Family::skyreels_df) {
        if (r.mode == Mode::flf2v)
            refuse("mode", "flf2v needs a first-last-frame model", "use forcing with last_image");
        if (r.forcing && r.mode && *r.mode != Mode::forcing)
            refuse("mode", "forcing selects the mode, but mode says otherwise", "leave out one of the two");
        check_start_image(r, r.mode);
        return Mode::forcing; // text and first image are both conditionings of this model
    }
    if (r.forcing || r.mode == Mode::forcing)
        refuse(r.forcing ? "forcing" : "mode",
               fmt::format("diffusion forcing needs a skyreels-df model, this one is {}", name(family)),
               "leave it out, or set \"family\" to skyreels-df if the checkpoint is one");
    if (r.mode) return *r.mode;
    return !r.last_image.empty() ? Mode::flf2v : !r.image.empty() ? Mode::i2v : Mode::t2v;
}

Mode likely_mode(const Request& r, Family family, const Variant& variant) {
    if (family == Family::skyreels_df) return Mode::forcing;
    if (variant.clean_image()) return r.image.empty() ? Mode::t2v : Mode::i2v;
    if (variant.condition == 0) return Mode::t2v;
    if (variant.clip_images == 2) return Mode::flf2v;
    if (r.mode == Mode::i2v || r.mode == Mode::flf2v) return *r.mode;
    return r.last_image.empty() ? Mode::i2v : Mode::flf2v; // Wan 2.2 A14B and Fun-InP take either
}

void check_images(const Request& r, const Variant& variant, const ModelFolder& model) {
    const Mode mode = *r.mode;
    if (variant.clean_image() && (mode == Mode::flf2v || !r.last_image.empty()))
        refuse(r.last_image.empty() ? "mode" : "last_image", "this model takes a start image and no last one",
               "leave it out");
    check_start_image(r, mode);
    if (mode == Mode::i2v && variant.clip_images == 2)
        refuse("last_image", "this is a first-last-frame model: it needs both images", "give --last-image FILE");
    if (mode == Mode::flf2v && r.image.empty())
        refuse("image", "first-last-frame needs both images", "give --image and --last-image");
    if (mode == Mode::flf2v && r.last_image.empty())
        refuse("last_image", "first-last-frame needs both images", "give --last-image FILE");
    if ((mode == Mode::t2v || mode == Mode::i2v) && !r.last_image.empty())
        refuse("last_image", "only first-last-frame and diffusion forcing take a last image",
               "use mode flf2v or leave it out");
    if (variant.stride == 16 && variant.condition > 0)
        throw UsageError(model.root.string(), "model",
                         "a 5B model with image channels of its own (Fun) is not rendered here",
                         "use Wan 2.2 TI2V-5B, or an I2V model");
    if (variant.clean_image()) return; // with a start image or without
    const bool wants_channels = mode == Mode::i2v || mode == Mode::flf2v;
    if (wants_channels && variant.condition == 0)
        throw UsageError(model.root.string(), "mode",
                         "this model has no image channels: it makes video from text alone",
                         "leave the image out, or use an I2V model");
    if (!wants_channels && variant.condition != 0)
        throw UsageError(model.root.string(), "image", "this is an image-to-video model: it needs a start image",
                         "give --image FILE");
}

} // namespace denoir
