// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/samples.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "app/base/text.h"
#include "engine/session/model_lookup.h"

namespace denoir::ui {

namespace {

QJsonObject samples() {
    QFile file(app::to_qstring(resources_folder() / "prompts.json"));
    if (!file.open(QIODevice::ReadOnly) || file.size() >= 1 << 18) return {};
    return QJsonDocument::fromJson(file.readAll()).object();
}

} // namespace

QStringList sample_prompts() {
    QStringList found;
    for (const auto& each : samples().value(QLatin1String("text")).toArray()) {
        const QString text =
            each.isString() ? each.toString() : each.toObject().value(QLatin1String("prompt")).toString();
        if (!text.isEmpty() && found.size() < 40) found.append(text);
    }
    if (found.isEmpty())
        found = {QStringLiteral("A red balloon rises over the sea at sunset."),
                 QStringLiteral("A white boat drifts to the left on a calm lake."),
                 QStringLiteral("A yellow ball bounces on the grass under a blue sky."),
                 QStringLiteral("{A red|A blue|A green} kite climbs in the wind over the dunes.")};
    return found;
}

QString first_prompt() {
    const QString first = samples().value(QLatin1String("first")).toString();
    return first.isEmpty() ? sample_prompts().constFirst() : first;
}

} // namespace denoir::ui
