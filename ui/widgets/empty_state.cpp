// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/empty_state.h"

#include <QEvent>
#include <QLabel>
#include <QVBoxLayout>

#include "ui/theme/colours.h"
#include "ui/theme/icons.h"
#include "ui/widgets/make_layout.h"

namespace denoir::ui {

EmptyState::EmptyState(const QString& icon_name, const QString& text, QWidget* parent)
    : QWidget(parent), icon_name_(icon_name), picture_(new QLabel(this)), text_(new QLabel(text, this)) {
    picture_->setAlignment(Qt::AlignCenter);
    text_->setAlignment(Qt::AlignCenter);
    text_->setWordWrap(true);
    text_->setProperty("quiet", true);
    auto* column = make_layout<QVBoxLayout>(this, grid::unit, {grid::two, grid::unit, grid::two, grid::unit});
    column->addStretch(1);
    column->addWidget(picture_);
    column->addWidget(text_);
    column->addStretch(1);
    draw();
}

void EmptyState::set_text(const QString& text) {
    text_->setText(text);
    fit();
}

void EmptyState::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fit();
}

/// Hides the picture if the words need its room.
void EmptyState::fit() {
    const QMargins edges = layout()->contentsMargins();
    const int room = height() - edges.top() - edges.bottom(),
              words = text_->heightForWidth(width() - edges.left() - edges.right());
    picture_->setVisible(words + grid::unit + picture_->sizeHint().height() <= room);
    setToolTip(words > room ? text_->text() : QString()); // for words that are cut off
}

void EmptyState::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) draw();
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) fit();
}

void EmptyState::draw() {
    picture_->setPixmap(icon(icon_name_).pixmap(QSize(24, 24), devicePixelRatioF(), QIcon::Disabled));
}

} // namespace denoir::ui
