// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QColor>

class QFont;
class QPalette;

namespace denoir::ui {

/// The colours of the house, neutral greys and one accent. Text colours keep 4.5:1 on every surface they are used on;
/// a test measures that.
struct Colours {
    bool dark;
    QColor canvas; ///< behind pictures
    QColor window; ///< gaps, title bars, status bar
    QColor panel;  ///< docks
    QColor field;  ///< inputs, lists
    QColor raised; ///< buttons
    QColor hover;
    QColor line; ///< borders of panels
    QColor rim;  ///< borders of what its words or surface mark, too: buttons, menus, tips; behind progress
    QColor edge; ///< borders of inputs, scroll bars: the only mark of a control, so 3:1 on what lies around it
    QColor text;
    QColor quiet; ///< secondary text
    QColor disabled;
    QColor accent; ///< the one thing to press, the playhead, the focus ring
    QColor on_accent;
    QColor selection; ///< behind `text`
    QColor a, b;      ///< the two sides of a comparison, with their letter
    QColor warning, error;
};

const Colours& light_colours();
const Colours& dark_colours();
/// The colours of the theme that this palette belongs to.
const Colours& colours(const QPalette& palette);

/// WCAG's contrast ratio, 1 … 21.
double contrast(const QColor& first, const QColor& second);

/// For figures beside what they measure: smaller than the widget's own font, and as large as the user wants fonts.
QFont small_font(const QFont& font);

/// Everything stands on a grid of 8 pixels (4 inside a control).
namespace grid {
inline constexpr int half = 4, unit = 8, two = 16, three = 24, four = 32;
}

} // namespace denoir::ui
