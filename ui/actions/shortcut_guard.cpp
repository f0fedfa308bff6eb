// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/actions/shortcut_guard.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QShortcut>
#include <QTextEdit>

namespace denoir::ui {

namespace {

bool edits_text(const QObject* widget) {
    if (qobject_cast<const QLineEdit*>(widget) || qobject_cast<const QAbstractSpinBox*>(widget)) return true;
    if (qobject_cast<const QPlainTextEdit*>(widget) || qobject_cast<const QTextEdit*>(widget)) return true;
    const auto* combo = qobject_cast<const QComboBox*>(widget);
    return combo && combo->isEditable();
}

bool is_popup_of_combo(const QObject* widget) {
    return widget->parent() && widget->parent()->inherits("QComboBoxPrivateContainer");
}

bool wants(const QObject* widget, int key) {
    const bool press = key == Qt::Key_Space || key == Qt::Key_Return || key == Qt::Key_Enter;
    const bool arrow = key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Up || key == Qt::Key_Down;
    if (qobject_cast<const QAbstractButton*>(widget)) return press;
    if (qobject_cast<const QComboBox*>(widget)) return press || arrow;
    if (qobject_cast<const QAbstractSlider*>(widget)) return arrow;
    if (qobject_cast<const QAbstractItemView*>(widget))
        return arrow || key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Home || key == Qt::Key_End;
    return qobject_cast<const QMenu*>(widget) || qobject_cast<const QMenuBar*>(widget);
}

/// Whether undo and redo go to the window, as nothing was typed into the field.
bool leaves_undo(const QObject* widget, const QKeyEvent& key) {
    if (!key.matches(QKeySequence::Undo) && !key.matches(QKeySequence::Redo)) return false;
    const auto* line = qobject_cast<const QLineEdit*>(widget);
    if (const auto* box = qobject_cast<const QComboBox*>(widget)) line = box->lineEdit();
    if (qobject_cast<const QAbstractSpinBox*>(widget)) line = widget->findChild<QLineEdit*>();
    return line && !line->isModified();
}

/// Does what the keys mean for the focused widget or a widget around it. Returns false if they mean nothing there.
bool do_in_part(const QKeySequence& keys) {
    const QWidget* focus = QApplication::focusWidget();
    if (!focus) return false;
    for (QShortcut* own : focus->findChildren<QShortcut*>(QString(), Qt::FindDirectChildrenOnly))
        if (own->context() == Qt::WidgetShortcut && own->isEnabled() && own->key() == keys) {
            emit own->activated();
            return true;
        }
    for (const QWidget* widget = focus; widget && !widget->isWindow(); widget = widget->parentWidget())
        for (QAction* action : widget->actions())
            if (action->shortcutContext() == Qt::WidgetWithChildrenShortcut && action->isEnabled() &&
                action->shortcuts().contains(keys)) {
                action->trigger();
                return true;
            }
    return false;
}

} // namespace

bool ShortcutGuard::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Shortcut) {
        // Qt would consider the two actions ambiguous and trigger neither.
        const auto* shortcut = static_cast<QShortcutEvent*>(event);
        return shortcut->isAmbiguous() && do_in_part(shortcut->key());
    }
    if (event->type() != QEvent::ShortcutOverride) return false;
    const auto* key = static_cast<QKeyEvent*>(event);
    if (is_popup_of_combo(watched)) {
        // At this event Qt already chooses the entry or closes the list, and would leave the key to the window's
        // shortcuts.
        if (!(key->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier))) event->accept();
        return false;
    }
    if (leaves_undo(watched, *key)) {
        event->ignore();
        return true;
    }
    if (key->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) return false;
    const bool cancel = key->key() == Qt::Key_Escape || (key->key() >= Qt::Key_F1 && key->key() <= Qt::Key_F35);
    if ((edits_text(watched) && !cancel) || wants(watched, key->key())) {
        event->accept();
        return true;
    }
    return false;
}

} // namespace denoir::ui
