// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/theme.h"

#include <utility>

namespace denoir::ui {

namespace {

// Names after @ are colours. Sizes are device-independent pixels on the 8-pixel grid.
constexpr auto sheet = R"(
* { outline: none; }
QMainWindow, QMainWindow::separator { background: @window; }
QMainWindow::separator { width: 4px; height: 4px; }
QMainWindow::separator:hover { background: @rim; }
QToolTip { color: @text; background: @raised; border: 1px solid @rim; padding: 4px 6px; }

QMenuBar { background: @window; padding: 2px 4px; }
QMenuBar::item { padding: 4px 8px; border-radius: 4px; background: transparent; }
QMenuBar::item:selected { background: @hover; }
QMenu { background: @panel; border: 1px solid @rim; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 8px; border-radius: 4px; }
QMenu::item:selected { background: @selection; }
QMenu::item:disabled { color: @disabled; }
QMenu::separator { height: 1px; background: @line; margin: 4px 8px; }
QMenu::icon { padding-left: 6px; }

QStatusBar { background: @window; color: @quiet; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QStatusBar::item { border: none; }
QStatusBar QLabel { color: @quiet; }

QDockWidget { color: @quiet; }
QDockWidget > QWidget { background: @panel; }
QDockWidget > QWidget[floating="true"] { background: @raised; border-bottom: 1px solid @line; }
QTabBar { background: @window; qproperty-drawBase: 0; }
QTabBar::tab { background: @window; color: @quiet; padding: 4px 11px; border: 1px solid transparent; border-top-left-radius: 4px; border-top-right-radius: 4px; }
QTabBar::tab:selected { background: @panel; color: @text; }
QTabBar::tab:hover:!selected { color: @text; }
QTabBar::tab:focus { border-color: @accent; }

QLineEdit, QPlainTextEdit, QTextEdit, QAbstractSpinBox, QComboBox {
    background: @field; border: 1px solid @edge; border-radius: 4px; padding: 3px 6px;
    selection-background-color: @accent; selection-color: @onaccent; }
QPlainTextEdit:!active, QTextEdit:!active { selection-background-color: @selection; selection-color: @text; }
QComboBox { selection-background-color: @selection; selection-color: @text; }
QAbstractSpinBox, QComboBox, QLineEdit { min-height: 18px; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QAbstractSpinBox:focus, QComboBox:focus { border: 1px solid @accent; }
QLineEdit:disabled, QPlainTextEdit:disabled, QAbstractSpinBox:disabled, QComboBox:disabled { color: @disabled; border-color: @line; }
*[invalid="true"] { border: 1px solid @error; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { width: 14px; border: none; background: transparent; }
QAbstractSpinBox::up-button:hover, QAbstractSpinBox::down-button:hover { background: @hover; border-radius: 2px; }
QAbstractSpinBox::up-arrow { image: url(:/denoir/icons/@{tone}/up.svg); width: 8px; height: 8px; }
QAbstractSpinBox::down-arrow { image: url(:/denoir/icons/@{tone}/down.svg); width: 8px; height: 8px; }
QComboBox::drop-down { width: 18px; border: none; }
QComboBox::down-arrow { image: url(:/denoir/icons/@{tone}/down.svg); width: 8px; height: 8px; }
QComboBox QAbstractItemView { background: @panel; border: none; border-left: 1px solid @rim; border-right: 1px solid @rim; padding: 4px; selection-background-color: @selection; selection-color: @text; }

QPushButton { background: @raised; color: @text; border: 1px solid @rim; border-radius: 4px; padding: 4px 12px; min-height: 18px; }
QPushButton:hover { background: @hover; }
QPushButton:pressed { background: @line; }
QPushButton:focus { border: 1px solid @accent; }
QPushButton:disabled { color: @disabled; border-color: @line; }
QPushButton:flat { background: transparent; border: 1px solid transparent; }
QPushButton:flat:hover { background: @hover; }
QPushButton:flat:focus { border: 1px solid @accent; }
QPushButton[primary="true"] { background: @accent; color: @onaccent; border: 1px solid @accent; font-weight: 600; min-height: 26px; }
QPushButton[primary="true"]:hover { background: @accenthover; }
QPushButton[primary="true"]:focus { border: 2px solid @text; }
QPushButton[primary="true"]:disabled { background: @raised; color: @disabled; border-color: @line; }
QToolButton { background: transparent; border: 1px solid transparent; border-radius: 4px; padding: 3px; color: @text; }
QToolButton:hover { background: @hover; }
QToolButton:pressed { background: @selection; }
QToolButton:checked { background: @selection; }
QToolButton:focus { border: 1px solid @accent; }
QToolButton:disabled { color: @disabled; }
QToolButton::menu-indicator { image: none; }

QCheckBox, QRadioButton { spacing: 6px; }
QCheckBox:focus, QRadioButton:focus { text-decoration: underline; }

QAbstractItemView { background: @panel; alternate-background-color: @panel; border: none; selection-background-color: @selection; selection-color: @text; }
QHeaderView::section { background: @panel; color: @quiet; border: none; border-bottom: 1px solid @line; padding: 4px 3px; }
QTreeView { padding-left: 5px; }
QTreeView::item { padding: 3px 8px; }
QScrollArea, QScrollArea > QWidget > QWidget { background: transparent; border: none; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: @edge; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 24px; }
QScrollBar::handle:horizontal { min-width: 24px; }
QScrollBar::handle:hover { background: @quiet; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QSplitter::handle { background: @window; }

QProgressBar { background: @rim; border: none; border-radius: 3px; color: @text; text-align: center; min-height: 6px; max-height: 6px; }
QProgressBar::chunk { background: @accent; border-radius: 3px; }
QSlider::groove:horizontal { height: 4px; background: @rim; border-radius: 2px; }
QSlider::handle:horizontal { width: 12px; margin: -4px 0; border-radius: 6px; background: @text; }
QSlider { background: transparent; border: none; }
QSlider::sub-page:horizontal, QSlider::add-page:horizontal { background: @rim; border-radius: 2px; margin: 0; }
QSlider::groove:horizontal:focus { background: @quiet; }

QLabel[quiet="true"] { color: @quiet; }
QLabel[error="true"] { color: @error; }
QLabel[warning="true"] { color: @warning; }
QLabel[side="A"] { color: @sidea; font-weight: 600; }
QLabel[side="B"] { color: @sideb; font-weight: 600; }
QFrame[popup="true"] { background: @panel; border: 1px solid @rim; border-radius: 8px; }
QFrame[banner="true"] { background: @raised; border: none; border-bottom: 1px solid @line; }
)";

} // namespace

QString style_sheet_of(const Colours& c) {
    QString text = QString::fromLatin1(sheet);
    // Longer names come first, as "accent" is the beginning of "accenthover".
    const std::pair<const char*, QColor> names[] = {
        {"accenthover", c.dark ? c.accent.lighter(110) : c.accent.darker(112)},
        {"onaccent", c.on_accent},
        {"selection", c.selection},
        {"disabled", c.disabled},
        {"warning", c.warning},
        {"window", c.window},
        {"raised", c.raised},
        {"accent", c.accent},
        {"panel", c.panel},
        {"field", c.field},
        {"hover", c.hover},
        {"quiet", c.quiet},
        {"sidea", c.a},
        {"sideb", c.b},
        {"error", c.error},
        {"line", c.line},
        {"edge", c.edge},
        {"rim", c.rim},
        {"text", c.text},
    };
    text.replace(QLatin1String("@{tone}"), c.dark ? QLatin1String("on-dark") : QLatin1String("on-light"));
    for (const auto& [name, colour] : names) text.replace(QLatin1Char('@') + QLatin1String(name), colour.name());
    return text;
}

} // namespace denoir::ui
