// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include "app/base/issue.h"

namespace denoir::app {

/// True where a prompt holds at least one `{a|b}`.
bool has_wildcards(const QString& prompt);

/// A prompt with every `{red|blue|dark {green|grey}}` replaced by one of its choices; they nest, a choice may be empty,
/// and a backslash before { | } \ makes it an ordinary character. The seed decides: same seed and template, same text,
/// on every machine. Braces that do not close stand for themselves.
QString resolve_wildcards(const QString& prompt_template, quint64 seed);

} // namespace denoir::app
