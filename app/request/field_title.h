// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

namespace denoir::app {

/// The name of a request's field in the studio's language. `field` is a key, or a dotted one for a member
/// ("forcing.ar_step", "loras.0.strength"); "size" stands for width and height.
QString field_title(const QString& field);

} // namespace denoir::app
