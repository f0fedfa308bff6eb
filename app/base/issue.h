// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMetaType>
#include <QString>

#include "engine/core/error.h"

namespace denoir::app {

/// A problem that the user can repair, as shown beside what caused it: the four parts of a denoir::Error, and its kind
/// as far as the studio acts on it.
struct Issue {
    QString file;          ///< as the user named it; may be empty
    QString field;         ///< a request's key ("frames"); may be empty
    QString message;       ///< what is wrong
    QString hint;          ///< what to do next; may be empty
    bool no_space = false; ///< there was no room on the disk that `file` is for

    bool isEmpty() const { return message.isEmpty(); }
    /// One line: "FILE: field: message; hint".
    QString line() const;
    static Issue from(const Error& error);
    /// The issue of the exception being handled: an Error's parts, "not enough memory", or "an internal error" without
    /// the text of a library. Empty for Cancelled. For catch blocks only.
    static Issue from_current_exception();
    friend bool operator==(const Issue&, const Issue&) = default;
};

} // namespace denoir::app

Q_DECLARE_METATYPE(denoir::app::Issue)
