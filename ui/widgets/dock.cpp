// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/dock.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMainWindow>
#include <QPainter>
#include <QToolButton>

#include "ui/theme/colours.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/widgets/make_layout.h"
#include "ui/widgets/tool_button.h"

namespace denoir::ui {

namespace {

/// Whether a widget keeps its room while it is hidden, so that nothing around it moves.
void keep_room(QWidget& widget, bool keep) {
    QSizePolicy policy = widget.sizePolicy();
    policy.setRetainSizeWhenHidden(keep);
    widget.setSizePolicy(policy);
}

} // namespace

Dock::Dock(const QString& id, const QString& title, QWidget* content, QWidget* parent)
    : QDockWidget(title, parent),
      bar_(new QWidget(this)),
      name_(new QLabel(title, bar_)),
      float_(new QToolButton(bar_)),
      close_(new QToolButton(bar_)) {
    setObjectName(id);
    float_->setObjectName(QStringLiteral("float"));
    setAllowedAreas(Qt::AllDockWidgetAreas);
    content->setAccessibleName(title);
    content->setAttribute(Qt::WA_StyledBackground, true); // plain widgets do not paint it by themselves
    setWidget(content);
    name_->setProperty("quiet", true);
    QFont font = name_->font();
    font.setBold(true);
    name_->setFont(font);
    set_drawing(*close_, icon(QStringLiteral("close")), tr("Hide %1").arg(title));
    for (QToolButton* button : {float_, close_}) {
        button->setIconSize({12, 12});
        button->setFocusPolicy(Qt::NoFocus); // by keyboard, the View menu and the palette do the same
        keep_room(*button, true);
    }
    auto* row = make_layout<QHBoxLayout>(bar_, 2, {grid::unit, 3, grid::half, 1});
    row->addWidget(name_);
    row->addStretch(1);
    row->addWidget(float_);
    row->addWidget(close_);
    bar_->installEventFilter(this);
    setTitleBarWidget(bar_);
    show_floating(false);
    connect(this, &QDockWidget::topLevelChanged, this, &Dock::show_floating);
    connect(float_, &QToolButton::clicked, this, [this] { setFloating(!isFloating()); });
    connect(close_, &QToolButton::clicked, this, &QWidget::close);
    // A dock behind another's tab lies outside of the window but is not hidden, so that the Tab key and screen readers
    // would go into it, where nobody can see them.
    keep_room(*content, true);
    connect(this, &QDockWidget::visibilityChanged, content, &QWidget::setVisible);
}

Dock::~Dock() { bar_->removeEventFilter(this); }

/// Changes the look: a floating dock has an edge, a strip to drag it by, and a button to dock it again.
void Dock::show_floating(bool floating) {
    set_drawing(*float_, icon(floating ? QStringLiteral("dock") : QStringLiteral("float")),
                (floating ? tr("Dock %1") : tr("Undock %1")).arg(windowTitle()));
    set_look(*bar_, "floating", floating);
    show_buttons(floating);
    if (floating) widget()->show(); // it may be hidden behind another's tab, and visibilityChanged() is not emitted
    update();
}

void Dock::show_buttons(bool show) {
    float_->setVisible(show);
    close_->setVisible(show);
}

void Dock::follow_tabs() {
    const auto* window = qobject_cast<QMainWindow*>(parentWidget());
    if (!window) return;
    bool tabbed = false;
    if (!isFloating())
        for (const QDockWidget* other : window->tabifiedDockWidgets(this)) tabbed = tabbed || !other->isHidden();
    if (tabbed == name_->isHidden()) return;
    name_->setVisible(!tabbed);
    for (QToolButton* button : {float_, close_}) keep_room(*button, !tabbed);
    if (tabbed) show_buttons(false);
}

/// Looks for tabs at every resize, which is the only sign that the last other dock has left them, and once more when
/// all docks have their places: in a layout that is being made, this dock may get its size before others come behind
/// it.
bool Dock::event(QEvent* event) {
    if (event->type() == QEvent::Resize || event->type() == QEvent::Show || event->type() == QEvent::Hide) {
        follow_tabs();
        QMetaObject::invokeMethod(this, &Dock::follow_tabs, Qt::QueuedConnection);
    }
    if (event->type() == QEvent::Close && isAncestorOf(window()->focusWidget())) emit closed_with_focus();
    return QDockWidget::event(event);
}

/// Paints the edge, as Qt draws no frame around a dock with a title widget.
void Dock::paintEvent(QPaintEvent* event) {
    QDockWidget::paintEvent(event);
    if (isFloating()) QPainter(this).fillRect(rect(), colours(palette()).edge);
}

bool Dock::eventFilter(QObject* watched, QEvent* event) {
    if (watched == bar_) {
        if (event->type() == QEvent::Enter) show_buttons(!name_->isHidden());
        if (event->type() == QEvent::Leave) show_buttons(isFloating());
    }
    return QDockWidget::eventFilter(watched, event);
}

} // namespace denoir::ui
