// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/stage_text.h"

#include <QCoreApplication>
#include <QHash>

namespace denoir::ui {

QString stage_text(const QString& stage) {
    static const QHash<QString, const char*> texts{
        {QStringLiteral("load_text"), QT_TRANSLATE_NOOP("Stages", "loading the text encoder")},
        {QStringLiteral("text"), QT_TRANSLATE_NOOP("Stages", "reading the prompt")},
        {QStringLiteral("load_clip"), QT_TRANSLATE_NOOP("Stages", "loading the image encoder")},
        {QStringLiteral("clip"), QT_TRANSLATE_NOOP("Stages", "looking at the image")},
        {QStringLiteral("load_vae"), QT_TRANSLATE_NOOP("Stages", "loading the decoder")},
        {QStringLiteral("image"), QT_TRANSLATE_NOOP("Stages", "encoding the image")},
        {QStringLiteral("load_transformer"), QT_TRANSLATE_NOOP("Stages", "loading the transformer")},
        {QStringLiteral("denoise"), QT_TRANSLATE_NOOP("Stages", "denoising")},
        {QStringLiteral("decode"), QT_TRANSLATE_NOOP("Stages", "decoding")},
    };
    // The engine's own names of the stages, where they are not the keys.
    static const QHash<QString, QString> keys{{QStringLiteral("load text encoder"), QStringLiteral("load_text")},
                                              {QStringLiteral("load image encoder"), QStringLiteral("load_clip")},
                                              {QStringLiteral("image features"), QStringLiteral("clip")},
                                              {QStringLiteral("load VAE"), QStringLiteral("load_vae")},
                                              {QStringLiteral("image latents"), QStringLiteral("image")},
                                              {QStringLiteral("load transformer"), QStringLiteral("load_transformer")}};
    const char* text = texts.value(keys.value(stage, stage));
    return text ? QCoreApplication::translate("Stages", text) : stage;
}

} // namespace denoir::ui
