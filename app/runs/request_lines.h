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

/// A line for each field that either request sets, in the order of a request's keys. JSON that is no object counts as
/// empty.
QList<RequestLine> request_lines(const Json& a, const Json& b);

/// A label for each request that says how it differs from the others: "guidance 2.5 · sampler euler". Names at most
/// three fields: the first ones that are not the same in all requests and have short values, none of `except`.
QStringList told_apart(const QList<Json>& requests, const QStringList& except = {});

/// The request that made a clip, with every key: that of the folder `run`, or the text `carried` in the file's
/// metadata. Null if there is none or it cannot be read.
Json request_of(const QString& run, const QString& carried);

} // namespace denoir::app
