// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/dock.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "ui/theme/colours.h"
#include "ui/theme/icons.h"

namespace denoir::ui {

Dock::Dock(const QString& id, const QString& title, QWidget* content, QWidget* parent)
    : QDockWidget(title, parent),
      bar_(new QWidget(this)),
      name_(new QLabel(title, bar_)),
      row_(new QHBoxLayout(bar_)),
      float_(new QToolButton(bar_)),
      close_(new QToolButton(bar_)) {
    setObjectName(id);
    setAllowedAreas(Qt::AllDockWidgetAreas);
    content->setAccessibleName(title);
    content->setAttribute(Qt::WA_StyledBackground, true); // plain widgets do not paint it by themselves
    setWidget(content);
    name_->setProperty("quiet", true);
    QFont font = name_->font();
    font.setBold(true);
    name_->setFont(font);
    float_->setIcon(icon(QStringLiteral("float")));
    float_->setToolTip(tr("Undock %1").arg(title));
    close_->setIcon(icon(QStringLiteral("close")));
    close_->setToolTip(tr("Hide %1").arg(title));
    for (QToolButton* button : {float_, close_}) {
        button->setIconSize({12, 12});
        button->setAccessibleName(button->toolTip());
        button->setFocusPolicy(Qt::NoFocus); // the View menu and the palette do the same
        QSizePolicy keep = button->sizePolicy();
        keep.setRetainSizeWhenHidden(true);
        button->setSizePolicy(keep);
    }
    row_->setContentsMargins(grid::unit, 3, grid::half, 1);
    row_->setSpacing(2);
    row_->addWidget(name_);
    row_->addStretch(1);
    row_->addWidget(float_);
    row_->addWidget(close_);
    bar_->setMinimumHeight(26);
    bar_->installEventFilter(this);
    setTitleBarWidget(bar_);
    show_buttons(false);
    connect(float_, &QToolButton::clicked, this, [this] { setFloating(!isFloating()); });
    connect(close_, &QToolButton::clicked, this, &QWidget::close);
}

Dock::~Dock() { bar_->removeEventFilter(this); }

void Dock::add_title_widget(QWidget* widget) { row_->insertWidget(row_->count() - 2, widget); }

void Dock::show_buttons(bool show) {
    float_->setVisible(show);
    close_->setVisible(show);
}

bool Dock::eventFilter(QObject* watched, QEvent* event) {
    if (watched == bar_) {
        if (event->type() == QEvent::Enter) show_buttons(true);
        if (event->type() == QEvent::Leave) show_buttons(false);
    }
    return QDockWidget::eventFilter(watched, event);
}

} // namespace denoir::ui
