// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

namespace denoir::app {

/// A field's name as people read it, in their language. A key of a request, or a dotted one for a member
/// ("forcing.ar_step", "loras.0.strength"); "size" is width and height.
QString field_title(const QString& field);

} // namespace denoir::app
