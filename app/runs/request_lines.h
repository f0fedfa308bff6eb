// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QList>
#include <QStringList>

#include "engine/core/json.h"

namespace denoir::app {

/// A field of two requests side by side.
struct RequestLine {
    QString field; ///< as field_title() (app/request/field_title.h) takes it
    QString a, b;  ///< numbers as they are written in the language; empty: not set there
    bool same = true;
};

/// Everything that is set in either of the two, in the order of a request's keys. What is no object counts as empty.
QList<RequestLine> request_lines(const Json& a, const Json& b);

/// What tells each of these requests from the others, for labels: "guidance 2.5 · sampler euler". The first fields
/// that are not alike in all of them and have short values, at most three; none of `except`. As many as requests.
QStringList told_apart(const QList<Json>& requests, const QStringList& except = {});

/// The request that made a clip, every key there: of the run it belongs to, else the text that it carries. Null where
/// there is none, or it cannot be read.
Json request_of(const QString& run, const QString& carried);

} // namespace denoir::app
