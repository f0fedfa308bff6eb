// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/compare_bar.h"

#include <QDragEnterEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QToolButton>

#include <tuple>

#include "ui/docks/offer_runs.h"
#include "ui/theme/colours.h"
#include "ui/theme/icons.h"
#include "ui/widgets/drop.h"
#include "ui/widgets/literal.h"
#include "ui/widgets/make_layout.h"
#include "ui/widgets/tool_button.h"

namespace denoir::ui {

CompareBar::CompareBar(Studio& studio, QWidget* parent)
    : QFrame(parent), studio_(studio), a_(new QToolButton(this)), b_(new QToolButton(this)) {
    setProperty("banner", true);
    setAcceptDrops(true);
    setAccessibleName(tr("What is compared"));
    auto* row = make_layout<QHBoxLayout>(this, grid::half, {grid::unit, grid::half, grid::unit, grid::half});
    const auto letter = [this](const QString& text) {
        auto* label = new QLabel(text, this);
        label->setProperty("side", text);
        return label;
    };
    auto* swap = new QToolButton(this);
    set_drawing(*swap, icon(QStringLiteral("swap")), tr("Swap A and B"));
    for (auto* button : {a_, b_}) {
        const auto side = button == a_ ? app::Side::a : app::Side::b;
        button->setObjectName(button == a_ ? QStringLiteral("choose-a") : QStringLiteral("choose-b"));
        give_menu(*button);
        button->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed); // names are cut to the room that there is
        button->setMinimumWidth(80);
        connect(button->menu(), &QMenu::aboutToShow, this, [this, side] { fill(side); });
        button->installEventFilter(this);
        set_name(side, {});
    }
    row->addWidget(letter(QStringLiteral("A")));
    row->addWidget(a_, 1);
    row->addWidget(swap);
    row->addWidget(letter(QStringLiteral("B")));
    row->addWidget(b_, 1);
    connect(swap, &QToolButton::clicked, this, &CompareBar::swap_asked);
}

void CompareBar::set_name(app::Side side, const QString& name) {
    (side == app::Side::a ? name_a_ : name_b_).name = name;
    set_detail(side, {}); // the old one was about another pair
}

void CompareBar::set_detail(app::Side side, const QString& detail) {
    auto* button = side == app::Side::a ? a_ : b_;
    ClipName& name = side == app::Side::a ? name_a_ : name_b_;
    name.detail = detail;
    const QString text = name.name.isEmpty() ? tr("choose a run or a video") : name.whole();
    button->setAccessibleName(side == app::Side::a ? tr("A: %1").arg(text) : tr("B: %1").arg(text));
    button->setToolTip(text);
    fit_names();
}

bool CompareBar::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) fit_names();
    return QFrame::eventFilter(watched, event);
}

void CompareBar::dragEnterEvent(QDragEnterEvent* event) {
    if (!dropped_files(*event->mimeData()).isEmpty()) take_copy(*event);
}

/// Lets the sides that a drop would replace look pressed.
void CompareBar::show_taker(bool a, bool b) {
    a_->setDown(a);
    b_->setDown(b);
}

void CompareBar::dragMoveEvent(QDragMoveEvent* event) {
    const bool both = dropped_files(*event->mimeData()).size() > 1, left = event->position().x() < width() / 2.0;
    show_taker(both || left, both || !left);
    take_copy(*event);
}

void CompareBar::dragLeaveEvent(QDragLeaveEvent*) { show_taker(false, false); }

void CompareBar::dropEvent(QDropEvent* event) {
    show_taker(false, false);
    const QStringList files = dropped_files(*event->mimeData());
    if (files.isEmpty()) return;
    take_copy(*event);
    if (files.size() > 1) {
        emit chosen(app::Side::a, files[0]);
        emit chosen(app::Side::b, files[1]);
    } else {
        emit chosen(event->position().x() < width() / 2.0 ? app::Side::a : app::Side::b, files[0]);
    }
}

void CompareBar::fit_names() {
    constexpr int arrow = 32;
    for (QToolButton* button : {a_, b_}) {
        const auto& [name, other] = button == a_ ? std::tie(name_a_, name_b_) : std::tie(name_b_, name_a_);
        const QFontMetricsF metrics(button->font());
        const double room = button->width() - arrow;
        button->setText(literal(name.name.isEmpty() ? metrics.elidedText(button->toolTip(), Qt::ElideRight, room)
                                                    : name.fitted(other, metrics, room)));
    }
}

void CompareBar::fill(app::Side side) {
    QMenu* menu = (side == app::Side::a ? a_ : b_)->menu();
    menu->clear();
    offer_runs(*menu, studio_, {}, this, [this, side](const QString& path) { emit chosen(side, path); });
}

} // namespace denoir::ui
