// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QColor>

class QFont;
class QPalette;

namespace denoir::ui {

/// The studio's colours: neutral greys and one accent. Text has a contrast of at least 4.5:1 on every surface that it
/// is used on, which a test measures.
struct Colours {
    bool dark;
    QColor canvas; ///< behind pictures
    QColor window; ///< gaps, title bars, status bar
    QColor panel;  ///< docks
    QColor field;  ///< inputs, lists
    QColor raised; ///< buttons
    QColor hover;
    QColor line; ///< borders of panels
    QColor rim;  ///< borders of what can also be seen by its text or surface: buttons, menus, tips; behind progress
    QColor edge; ///< borders by which a control is seen, such as inputs and scroll bars: 3:1 on what is around it
    QColor text;
    QColor quiet; ///< secondary text
    QColor disabled;
    QColor accent; ///< the main button, the playhead, the focus ring
    QColor on_accent;
    QColor selection; ///< behind `text`
    QColor a, b;      ///< the two sides of a comparison
    QColor warning, error;
};

const Colours& light_colours();
const Colours& dark_colours();
/// The colours of the theme that this palette belongs to.
const Colours& colours(const QPalette& palette);

/// WCAG's contrast ratio, 1 … 21.
double contrast(const QColor& first, const QColor& second);

/// A font for figures beside a picture or curve: smaller than the widget's own, with which its size changes.
QFont small_font(const QFont& font);

/// Everything is placed on a grid of 8 pixels (4 inside a control).
namespace grid {
inline constexpr int half = 4, unit = 8, two = 16, three = 24, four = 32;
}

} // namespace denoir::ui
