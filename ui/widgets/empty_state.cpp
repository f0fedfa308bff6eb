// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/empty_state.h"

#include <QAction>
#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/theme/colours.h"
#include "ui/theme/icons.h"

namespace denoir::ui {

EmptyState::EmptyState(const QString& icon_name, const QString& text, QAction* action, QWidget* parent)
    : QWidget(parent), icon_name_(icon_name), picture_(new QLabel(this)), text_(new QLabel(text, this)) {
    picture_->setAlignment(Qt::AlignCenter);
    text_->setAlignment(Qt::AlignCenter);
    text_->setWordWrap(true);
    text_->setProperty("quiet", true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(grid::two, grid::unit, grid::two, grid::unit);
    column->setSpacing(grid::unit);
    column->addStretch(1);
    column->addWidget(picture_);
    column->addWidget(text_);
    if (action) {
        auto* button = new QPushButton(action->text().remove(QLatin1Char('&')), this);
        button->setEnabled(action->isEnabled());
        connect(button, &QPushButton::clicked, action, &QAction::trigger);
        connect(action, &QAction::changed, button, [button, action] { button->setEnabled(action->isEnabled()); });
        column->addWidget(button, 0, Qt::AlignHCenter);
    }
    column->addStretch(1);
    draw();
}

void EmptyState::set_text(const QString& text) { text_->setText(text); }

void EmptyState::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) draw();
    QWidget::changeEvent(event);
}

void EmptyState::draw() {
    picture_->setPixmap(icon(icon_name_).pixmap(QSize(24, 24), devicePixelRatioF(), QIcon::Disabled));
}

} // namespace denoir::ui
