// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/stage_text.h"

#include <QCoreApplication>

#include "app/base/text.h"
#include "app/runs/run_queue.h"

namespace denoir::app {

QString stage_text(Stage stage) {
    switch (stage) {
    case Stage::load_text:
        return QCoreApplication::translate("Stages", "loading the text encoder");
    case Stage::text:
        return QCoreApplication::translate("Stages", "reading the prompt");
    case Stage::load_clip:
        return QCoreApplication::translate("Stages", "loading the image encoder");
    case Stage::clip:
        return QCoreApplication::translate("Stages", "looking at the image");
    case Stage::load_vae:
        return QCoreApplication::translate("Stages", "loading the decoder");
    case Stage::image:
        return QCoreApplication::translate("Stages", "encoding the image");
    case Stage::load_transformer:
        return QCoreApplication::translate("Stages", "loading the transformer");
    case Stage::denoise:
        return QCoreApplication::translate("Stages", "denoising");
    case Stage::decode:
        return QCoreApplication::translate("Stages", "decoding");
    }
    return {};
}

QString time_left(double seconds, bool of_denoising) {
    if (seconds < 0.05) return {};
    return (of_denoising ? QCoreApplication::translate("Stages", "%1 left, then decoding")
                         : QCoreApplication::translate("Stages", "%1 left"))
        .arg(duration_text(seconds));
}

QString time_left(const QModelIndex& entry) {
    return time_left(entry.data(RunQueue::EtaRole).toDouble(), entry.data(RunQueue::EtaOfDenoisingRole).toBool());
}

} // namespace denoir::app
