// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QList>
#include <QStringList>

#include "engine/core/json.h"

namespace denoir::app {

/// A field's values in two requests.
struct RequestLine {
    QString field; ///< what field_title() (app/request/field_title.h) takes
    QString a, b;  ///< as text for the window; empty if the request does not set the field
    bool same = true;
};

/// Every field that is set in either request, in the order of a request's keys. Anything but an object counts as empty.
QList<RequestLine> request_lines(const Json& a, const Json& b);

/// A label for each request that tells it from the others: "guidance 2.5 · sampler euler". It names the seed and then
/// the first fields that differ between them and have short values, at most three, and none of `except`.
QStringList told_apart(const QList<Json>& requests, const QStringList& except = {});

/// The request that made a clip, with every key: that of the run it belongs to, else the text that the clip carries.
/// Null if there is none, or if it cannot be read.
Json request_of(const QString& run, const QString& carried);

} // namespace denoir::app
