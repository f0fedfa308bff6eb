// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>
#include <QVariant>

#include "engine/pipeline/request.h"
#include "engine/session/request_json.h"

namespace denoir::app {

// A request's fields as QVariant, by the key in its JSON, or by a dotted one for a member of an object
// ("forcing.ar_step"). Texts are QString, numbers int, qulonglong or double, objects QVariantMap; a field that is not
// set is invalid.

QVariant to_variant(const Json& value);
/// An invalid variant becomes null.
Json to_json(const QVariant& value);

QVariant field_value(const Request& request, const QString& key);
/// Sets a field; an invalid value clears it, so that it gets the model's default. Throws Error naming the key.
void set_field(Request& request, const QString& key, const QVariant& value);
/// The key itself, or the one before the dot.
QString top_key(const QString& key);
/// The keys whose values differ.
QStringList changed_keys(const Request& a, const Request& b);

} // namespace denoir::app
