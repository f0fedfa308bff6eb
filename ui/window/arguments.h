// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

#include "ui/theme/theme.h"
#include "ui/window/layouts.h"

namespace denoir::ui {

/// What `denoir` was called with.
struct Arguments {
    QString screenshot; ///< file to write instead of staying open; empty: a window
    std::optional<Layout> layout;
    std::optional<QSize> size;
    std::optional<Scheme> theme;
    QStringList paths; ///< to open, absolute
    QString error;     ///< a usage error, one line; empty: none
};

/// `arguments` with the program's name in front.
Arguments read_arguments(const QStringList& arguments);
/// Prints `--help` and `--version`, which need no display. Returns the exit code; nothing where neither was asked for.
std::optional<int> answer_without_window(int argc, char** argv);
QString help_text();

} // namespace denoir::ui
