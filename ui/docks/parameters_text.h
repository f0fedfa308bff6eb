// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Private to the panels that show a request.
#include <QLocale>
#include <QVariant>

#include "app/base/engine_text.h"

namespace denoir::ui {

inline const QString key_size = QStringLiteral("size"), key_precision = QStringLiteral("precision"),
                     key_loras = QStringLiteral("loras"), key_cache = QStringLiteral("cache"),
                     key_whole_steps = QStringLiteral("cache.ret_steps"),
                     key_guidance_low = QStringLiteral("guidance_low"),
                     key_guidance_until = QStringLiteral("guidance_until");

/// A number as the user writes it, in the locale; empty for an invalid value.
inline QString number_text(const QVariant& value) {
    if (!value.isValid()) return {};
    bool whole = false;
    const qulonglong n = value.toString().toULongLong(&whole);
    return whole ? QString::number(n) : QLocale().toString(value.toDouble(), 'g', 6);
}

} // namespace denoir::ui
