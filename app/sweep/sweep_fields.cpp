// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFileInfo>
#include <algorithm>

#include "app/base/text.h"
#include "app/request/field_title.h"
#include "app/request/request_document.h"
#include "app/sweep/sweep_axes.h"
#include "engine/core/units.h"
#include "engine/sampling/scheduler.h"

namespace denoir::app {
namespace {

/// A number as it is typed, with at most six digits.
QString number(double value) { return QString::number(value, 'g', 6); }

QString around(const QVariant& value, double below, double above) {
    if (!value.isValid()) return {};
    const double middle = value.toDouble();
    return QStringLiteral("%1, %2, %3").arg(number(middle - below), number(middle), number(middle + above));
}

/// A text to which others can be added; one of several lines or with bars is written as JSON.
QString one_text(const QString& text) {
    return text.isEmpty() ? QString() : to_qstring(axis_text({"prompt", {Json(text.toStdString())}}));
}

} // namespace

QList<SweepField> sweep_fields(const RequestDocument& document) {
    QList<SweepField> out;
    const QString list = SweepAxes::tr("4, 8, 20 or 1..8"), reals = SweepAxes::tr("1, 3, 6 or 1..6:0.5"),
                  words = SweepAxes::tr("one | another");
    const auto add = [&](const char* field, const QString& usual, const QString& hint) {
        const QString key = QLatin1String(field);
        out << SweepField{key, field_title(key), usual, hint};
    };
    const auto value = [&](const char* key) { return document.value(QLatin1String(key)); };
    add("steps", QStringLiteral("4, 8, 20"), list);
    add("guidance", QStringLiteral("1, 3, 6"), reals);
    if (value("guidance_low").isValid()) add("guidance_low", around(value("guidance_low"), 1, 1), reals);
    add("guidance_until", QStringLiteral("0, 500, 750"), SweepAxes::tr("0, 500, 750; 0 guides every step"));
    add("shift", QStringLiteral("3, 5, 8"), reals);
    const QVariant seed = value("seed");
    const quint64 first = seed.isValid() ? seed.toULongLong() : 7;
    add("seed", QStringLiteral("%1, %2, %3").arg(first).arg(first + 1).arg(first + 2),
        SweepAxes::tr("7, 8, 9 or 1..4"));
    QStringList known;
    for (const auto& [name, sampler] : samplers) known << to_qstring(name);
    add("sampler", known.join(QStringLiteral(", ")), known.join(QStringLiteral(", ")));
    const int width = value("width").toInt(), height = value("height").toInt();
    const int multiple = document.variant().multiple();
    QString sizes;
    if (width > 0 && height > 0) {
        const auto half = [&](int side) { return std::max(multiple, side / 2 / multiple * multiple); };
        sizes = QStringLiteral("%1x%2, %3x%4").arg(half(width)).arg(half(height)).arg(width).arg(height);
    }
    add("size", sizes, SweepAxes::tr("256x144, 512x288"));
    const int frames = value("frames").toInt(), fewer = std::max(1, video_frames((frames - 1) / 8 + 1));
    add("frames", fewer < frames ? QStringLiteral("%1, %2").arg(fewer).arg(frames) : QStringLiteral("17, 33"),
        SweepAxes::tr("4n+1: 17, 33 or 17..49:16"));
    add("cache.threshold", QStringLiteral("0, 0.1, 0.2"), SweepAxes::tr("0, 0.1, 0.2; 0 computes everything"));
    add("dtype", QStringLiteral("f32, bf16"), QStringLiteral("f32, bf16"));
    add("prompt", one_text(value("prompt").toString()), words);
    add("negative_prompt", one_text(value("negative_prompt").toString()), words);
    for (std::size_t i = 0; i < document.asked().loras.size(); ++i) {
        const QString key = QStringLiteral("loras.%1.strength").arg(i);
        const QString name = QFileInfo(to_qstring(document.asked().loras[i].file)).completeBaseName();
        out << SweepField{key, SweepAxes::tr("LoRA %1: %2").arg(i + 1).arg(name), QStringLiteral("0, 0.5, 1"), reals};
    }
    if (document.forcing_model()) {
        add("forcing.ar_step", QStringLiteral("0, 2, 5"), list);
        add("forcing.block", QStringLiteral("1, 3, 5"), list);
    }
    if (document.takes_image())
        add("image", one_text(value("image").toString()), SweepAxes::tr("files: one.png | another.png"));
    add("model", one_text(value("model").toString()), SweepAxes::tr("folders or names: one | another"));
    return out;
}

} // namespace denoir::app
