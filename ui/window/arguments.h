// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

#include "ui/theme/theme.h"
#include "ui/window/layouts.h"

namespace denoir::ui {

/// The arguments of `denoir`.
struct Arguments {
    QString screenshot; ///< file to write instead of staying open; empty for an ordinary window
    std::optional<Layout> layout;
    std::optional<QSize> size;
    std::optional<Scheme> theme;
    QStringList paths; ///< files to open, absolute
    QString error;     ///< a usage error, one line; empty if there is none
};

/// `arguments` begin with the program's name.
Arguments read_arguments(const QStringList& arguments);
/// Prints `--help` and `--version`, which need no display. Returns the exit code; empty if neither was asked for.
std::optional<int> answer_without_window(int argc, char** argv);
QString help_text();

} // namespace denoir::ui
