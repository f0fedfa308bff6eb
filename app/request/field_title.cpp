// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/request/field_title.h"

#include <QCoreApplication>
#include <utility>

#include "app/base/text.h"
#include "engine/session/sweep.h"

namespace denoir::app {
namespace {

QString words(const char* text) { return QCoreApplication::translate("RequestLines", text); }

} // namespace

QString field_title(const QString& field) {
    static const std::pair<const char*, const char*> titles[] = {
        {"mode", QT_TRANSLATE_NOOP("RequestLines", "mode")},
        {"model", QT_TRANSLATE_NOOP("RequestLines", "model")},
        {"parts", QT_TRANSLATE_NOOP("RequestLines", "parts of the model")},
        {"parts.low_noise", QT_TRANSLATE_NOOP("RequestLines", "low-noise transformer")},
        {"parts.vae", QT_TRANSLATE_NOOP("RequestLines", "VAE")},
        {"parts.text_encoder", QT_TRANSLATE_NOOP("RequestLines", "text encoder")},
        {"parts.clip", QT_TRANSLATE_NOOP("RequestLines", "CLIP image encoder")},
        {"parts.tokenizer", QT_TRANSLATE_NOOP("RequestLines", "tokenizer")},
        {"family", QT_TRANSLATE_NOOP("RequestLines", "model family")},
        {"prompt", QT_TRANSLATE_NOOP("RequestLines", "prompt")},
        {"negative_prompt", QT_TRANSLATE_NOOP("RequestLines", "negative prompt")},
        {"image", QT_TRANSLATE_NOOP("RequestLines", "start image")},
        {"last_image", QT_TRANSLATE_NOOP("RequestLines", "end image")},
        {"size", QT_TRANSLATE_NOOP("RequestLines", "size")},
        {"width", QT_TRANSLATE_NOOP("RequestLines", "width")},
        {"height", QT_TRANSLATE_NOOP("RequestLines", "height")},
        {"frames", QT_TRANSLATE_NOOP("RequestLines", "frames")},
        {"fps", QT_TRANSLATE_NOOP("RequestLines", "rate")},
        {"steps", QT_TRANSLATE_NOOP("RequestLines", "steps")},
        {"guidance", QT_TRANSLATE_NOOP("RequestLines", "guidance")},
        {"guidance_low", QT_TRANSLATE_NOOP("RequestLines", "guidance low")},
        {"guidance_until", QT_TRANSLATE_NOOP("RequestLines", "guidance until")},
        {"shift", QT_TRANSLATE_NOOP("RequestLines", "shift")},
        {"seed", QT_TRANSLATE_NOOP("RequestLines", "seed")},
        {"sampler", QT_TRANSLATE_NOOP("RequestLines", "sampler")},
        {"dtype", QT_TRANSLATE_NOOP("RequestLines", "precision")},
        {"precision", QT_TRANSLATE_NOOP("RequestLines", "rounding")},
        {"loras", QT_TRANSLATE_NOOP("RequestLines", "LoRAs")},
        {"preprocess", QT_TRANSLATE_NOOP("RequestLines", "image scaling")},
        {"device", QT_TRANSLATE_NOOP("RequestLines", "device")},
        {"threads", QT_TRANSLATE_NOOP("RequestLines", "threads")},
        {"latents", QT_TRANSLATE_NOOP("RequestLines", "latents kept")},
        {"noise", QT_TRANSLATE_NOOP("RequestLines", "noise")},
        {"noise.kind", QT_TRANSLATE_NOOP("RequestLines", "noise")},
        {"noise.file", QT_TRANSLATE_NOOP("RequestLines", "noise: file")},
        {"forcing", QT_TRANSLATE_NOOP("RequestLines", "forcing")},
        {"forcing.ar_step", QT_TRANSLATE_NOOP("RequestLines", "forcing: AR step")},
        {"forcing.block", QT_TRANSLATE_NOOP("RequestLines", "forcing: block")},
        {"forcing.causal_attention", QT_TRANSLATE_NOOP("RequestLines", "forcing: causal attention")},
        {"forcing.video", QT_TRANSLATE_NOOP("RequestLines", "forcing: video")},
        {"forcing.video_frames", QT_TRANSLATE_NOOP("RequestLines", "forcing: frames of the video")},
        {"forcing.overlap", QT_TRANSLATE_NOOP("RequestLines", "forcing: overlap")},
        {"forcing.base", QT_TRANSLATE_NOOP("RequestLines", "forcing: window")},
        {"forcing.condition_noise", QT_TRANSLATE_NOOP("RequestLines", "forcing: conditioning noise")},
        {"cache", QT_TRANSLATE_NOOP("RequestLines", "cache")},
        {"cache.threshold", QT_TRANSLATE_NOOP("RequestLines", "cache threshold")},
        {"cache.ret_steps", QT_TRANSLATE_NOOP("RequestLines", "cache: first steps in full")},
        {"cache.coefficients", QT_TRANSLATE_NOOP("RequestLines", "cache: coefficients")},
        {"start", QT_TRANSLATE_NOOP("RequestLines", "branch")},
        {"start.run", QT_TRANSLATE_NOOP("RequestLines", "branched from")},
        {"start.step", QT_TRANSLATE_NOOP("RequestLines", "branched after step")},
        {"start.sha256", QT_TRANSLATE_NOOP("RequestLines", "branched from latents")},
    };
    for (const auto& [name, title] : titles)
        if (field == QLatin1String(name)) return words(title);
    if (field.startsWith(QStringLiteral("loras."))) {
        const int number = field.section(QLatin1Char('.'), 1, 1).toInt() + 1;
        const QString member = field.section(QLatin1Char('.'), 2);
        if (member == QStringLiteral("strength"))
            return words(QT_TRANSLATE_NOOP("RequestLines", "LoRA %1")).arg(number);
        if (member == QStringLiteral("file"))
            return words(QT_TRANSLATE_NOOP("RequestLines", "LoRA %1: file")).arg(number);
        if (member == QStringLiteral("expert"))
            return words(QT_TRANSLATE_NOOP("RequestLines", "LoRA %1: expert")).arg(number);
    }
    return to_qstring(axis_title(field.toStdString()));
}

} // namespace denoir::app
