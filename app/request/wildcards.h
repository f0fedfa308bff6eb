// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include "app/base/issue.h"

namespace denoir::app {

/// Whether a prompt holds at least one `{a|b}`.
bool has_wildcards(const QString& prompt);

/// A prompt with every `{red|blue|dark {green|grey}}` replaced by one of its choices. These nest, a choice may be
/// empty, and a backslash before { | } \ makes it an ordinary character. Braces that are not closed stay as they are.
/// The seed decides: the same seed and template give the same text on every machine.
QString resolve_wildcards(const QString& prompt_template, quint64 seed);

} // namespace denoir::app
