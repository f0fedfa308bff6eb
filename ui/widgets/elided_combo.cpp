// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/elided_combo.h"

#include <QAbstractItemView>
#include <QScreen>
#include <QScrollBar>
#include <QStandardItemModel>
#include <QStylePainter>

#include <algorithm>

#include "ui/widgets/whole_tip.h"

namespace denoir::ui {
namespace {
constexpr int command_role = Qt::UserRole + 100, end_role = command_role + 1;
} // namespace

ElidedCombo::ElidedCombo(Qt::TextElideMode elided, QWidget* parent) : QComboBox(parent), elided_(elided) {
    view()->setTextElideMode(elided);
    connect(this, &QComboBox::activated, this, [this](int row) {
        if (!is_command(row)) return;
        setCurrentIndex(shown_);
        emit command_chosen();
    });
}

void ElidedCombo::set_command(const QString& text) {
    addItem(text);
    setItemData(count() - 1, true, command_role);
    enable_command(view()->isVisible());
}

bool ElidedCombo::is_command(int row) const { return itemData(row, command_role).toBool(); }

void ElidedCombo::keep_end(int row, int letters) { setItemData(row, itemText(row).right(letters), end_role); }

QString ElidedCombo::shown_text(int room) const {
    const QString text = currentText(), end = currentData(end_role).toString();
    const int left = room - fontMetrics().horizontalAdvance(end);
    return fontMetrics().elidedText(text.chopped(end.size()), elided_, left) + end;
}

void ElidedCombo::enable_command(bool enabled) {
    auto* items = qobject_cast<QStandardItemModel*>(model());
    if (items && is_command(count() - 1)) items->item(count() - 1)->setEnabled(enabled);
}

void ElidedCombo::showPopup() {
    shown_ = currentIndex();
    enable_command(true);
    // The open list is wide enough for whole names, but at most half of the screen.
    const QRect room = screen()->availableGeometry();
    const int beside = view()->verticalScrollBar()->sizeHint().width() + 2 * view()->frameWidth();
    view()->setMinimumWidth(std::min(view()->sizeHintForColumn(0) + beside, room.width() / 2));
    QComboBox::showPopup();
    QWidget& list = *view()->window();
    list.move(std::clamp(list.x(), room.left(), std::max(room.left(), room.right() + 1 - list.width())), list.y());
}

void ElidedCombo::hidePopup() {
    QComboBox::hidePopup();
    enable_command(false);
}

int ElidedCombo::room() const {
    QStyleOptionComboBox option;
    initStyleOption(&option);
    return style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this).width() - 2;
}

bool ElidedCombo::event(QEvent* event) {
    const bool told = event->type() == QEvent::ToolTip && shown_text(room()) != currentText();
    if (!told) return QComboBox::event(event);
    show_whole(*static_cast<QHelpEvent*>(event), currentText(), *this);
    return true;
}

void ElidedCombo::paintEvent(QPaintEvent*) {
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    option.currentText = shown_text(room());
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

} // namespace denoir::ui
