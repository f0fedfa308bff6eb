// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/sweep_bar.h"

#include <QAction>
#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <string_view>

#include "app/base/engine_text.h"
#include "app/base/text.h"
#include "app/request/field_title.h"
#include "app/request/request_document.h"
#include "app/studio.h"
#include "app/sweep/sweep_document.h"
#include "engine/session/request_json.h"
#include "ui/docks/parameters_text.h"
#include "ui/theme/colours.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/theme/spoken.h"
#include "ui/widgets/elided_edit.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/escape.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/make_layout.h"
#include "ui/widgets/note.h"
#include "ui/widgets/tool_button.h"
#include "ui/widgets/wheel.h"

namespace denoir::ui {
namespace {

/// A line edit as wide as its text if there is room, as a mistake in values that cannot be seen would not be noticed.
class ValuesEdit : public ElidedEdit {
public:
    using ElidedEdit::ElidedEdit;
    QSize sizeHint() const override {
        constexpr int least = 20, most = 64, frame = 24;
        const int letter = fontMetrics().averageCharWidth(), wish = fontMetrics().horizontalAdvance(text()) + frame;
        return {std::clamp(wish, least * letter, most * letter), QLineEdit::sizeHint().height()};
    }
};

} // namespace

AxisChip::AxisChip(QWidget* parent)
    : QFrame(parent),
      role_(new QLabel(this)),
      error_(make_note(this, "error")),
      field_(new QComboBox(this)),
      values_(new ValuesEdit(this)),
      away_(new QToolButton(this)) {
    role_->setProperty("quiet", true);
    role_->setBuddy(field_);
    error_->hide();
    make_narrow(field_, 11);
    escape_puts_back(*values_);
    values_->setMinimumWidth(fontMetrics().averageCharWidth() * 20);
    away_->setIcon(icon(QStringLiteral("close")));
    away_->setIconSize({12, 12});
    auto* row = make_layout<QHBoxLayout>(nullptr, grid::half);
    row->addWidget(role_);
    row->addWidget(field_);
    row->addWidget(values_, 1);
    row->addWidget(away_);
    auto* column = make_layout<QVBoxLayout>(this, 2);
    column->addLayout(row);
    column->addWidget(error_);
    connect(field_, &QComboBox::activated, this,
            [this](int index) { emit field_picked(field_->itemData(index).toString()); });
    connect(values_, &QLineEdit::textEdited, this, &AxisChip::typed);
    connect(values_, &QLineEdit::editingFinished, this, [this] {
        values_->updateGeometry(); // only now, as the chips must not move while the user types
        emit typing_ended();
    });
    connect(away_, &QToolButton::clicked, this, &AxisChip::removed);
}

void AxisChip::show_axis(const app::AxisText& axis, const QList<app::SweepField>& fields, const app::Issue& issue,
                         const QString& role) {
    role_->setText(role);
    // The label in front of the choice is its name.
    set_spoken_name(*role_, role.isEmpty() ? tr("What varies") : tr("What varies: %1").arg(role));
    // One width for all roles, so that the boxes of axes in several lines are aligned.
    int widest = 0;
    for (const QString& each : role.isEmpty()
                                   ? QStringList()
                                   : QStringList{SweepBar::tr("rows"), SweepBar::tr("columns"), SweepBar::tr("pages")})
        widest = std::max(widest, role_->fontMetrics().horizontalAdvance(each));
    role_->setFixedWidth(widest == 0 ? 0 : widest + 2); // letters may be wider than their advance
    const QSignalBlocker quiet(field_);
    QList<app::SweepField> all = fields;
    const auto is_it = [&](const app::SweepField& field) { return field.field == axis.field; };
    if (std::none_of(all.begin(), all.end(), is_it))
        all << app::SweepField{axis.field, app::field_title(axis.field), {}, {}};
    QStringList now, before;
    for (const auto& field : all) now << field.field + field.title;
    for (int i = 0; i < field_->count(); ++i) before << field_->itemData(i).toString() + field_->itemText(i);
    if (now != before) {
        field_->clear();
        for (const auto& field : all) field_->addItem(field.title, field.field);
    }
    field_->setCurrentIndex(field_->findData(axis.field));
    const auto field = std::find_if(all.begin(), all.end(), is_it);
    const QString hint = field->hint;
    values_->setPlaceholderText(hint);
    values_->setToolTip(hint.isEmpty() ? QString() : tr("Values: %1").arg(hint));
    values_->setAccessibleName(tr("Values of %1").arg(field->title));
    values_->setAccessibleDescription(hint);
    away_->setAccessibleName(tr("Remove the axis %1").arg(field->title));
    away_->setToolTip(away_->accessibleName());
    if (values_->text() != axis.text) {
        values_->setText(axis.text);
        values_->setCursorPosition(0);
        values_->updateGeometry();
    }
    const bool wrong = !issue.isEmpty();
    error_->setText(wrong ? breakable(words(issue)) : QString());
    error_->setVisible(wrong);
    set_look(*values_, "invalid", wrong);
}

SweepBar::SweepBar(Studio& studio, QAction& sweep, QWidget* parent)
    : QFrame(parent),
      studio_(studio),
      sweeps_(studio.core.sweeps()),
      sweep_(sweep),
      add_(new QToolButton(this)),
      swap_(new QToolButton(this)),
      start_(new QPushButton(this)),
      summary_(make_note(this, "quiet")),
      warnings_(make_note(this, "warning")) {
    auto* axes = new QWidget(this);
    flow_ = new FlowLayout(grid::unit, axes);
    add_->setObjectName(QStringLiteral("add-axis"));
    add_->setIcon(icon(QStringLiteral("add")));
    add_->setText(tr("Axis"));
    add_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    add_->setPopupMode(QToolButton::InstantPopup);
    add_->setAccessibleName(tr("Add an axis"));
    add_->setToolTip(tr("Vary one more thing"));
    auto* menu = new QMenu(add_);
    add_->setMenu(menu);
    connect(menu, &QMenu::aboutToShow, this, &SweepBar::fill_menu);
    swap_->setObjectName(QStringLiteral("swap-axes"));
    set_drawing(*swap_, icon(QStringLiteral("swap")), tr("Swap rows and columns"));
    connect(swap_, &QToolButton::clicked, this, &SweepBar::swap);
    flow_->addWidget(swap_);
    flow_->addWidget(add_);

    start_->setObjectName(QStringLiteral("sweep"));
    start_->setProperty("primary", true);
    connect(start_, &QPushButton::clicked, &sweep_, &QAction::trigger);
    connect(&sweep_, &QAction::changed, this, &SweepBar::fit_start);
    summary_->setObjectName(QStringLiteral("sweep-summary"));
    warnings_->setObjectName(QStringLiteral("sweep-warnings"));
    warnings_->hide();
    auto* row = new QHBoxLayout;
    row->setSpacing(grid::unit);
    row->addWidget(axes, 1);
    row->addWidget(start_, 0, Qt::AlignTop);
    auto* column = make_layout<QVBoxLayout>(this, grid::half, {grid::unit, grid::unit, grid::unit, grid::half});
    column->addLayout(row);
    column->addWidget(summary_);
    column->addWidget(warnings_);

    connect(&sweeps_.axes(), &app::SweepAxes::changed, this, &SweepBar::refresh);
    connect(&studio_.document, &app::RequestDocument::resolved_changed, this, &SweepBar::refresh);
    connect(&sweeps_, &app::SweepDocument::outlook_changed, this, &SweepBar::refresh_summary);
    refresh();
}

void SweepBar::refresh() {
    auto& axes = sweeps_.axes();
    const auto fields = app::sweep_fields(studio_.document);
    const int count = int(axes.axes().size());
    while (chips_.size() > count) remove_chip();
    while (chips_.size() < count) append_chip();
    for (int i = 0; i < count; ++i) {
        const QString role = count < 2 ? QString() : i == 0 ? tr("rows") : i == 1 ? tr("columns") : tr("pages");
        chips_[i]->show_axis(axes.axes()[i], fields, axes.issue(i), role);
    }
    order_tabs();
    swap_->setVisible(count >= 2);
    add_->setEnabled(axes.can_add());
    flow_->invalidate();
    fit_start();
    refresh_summary();
}

void SweepBar::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    fit_start();
}

/// Names the keys on the button if they fit beside the axes, else in its tool tip.
void SweepBar::fit_start() {
    const QString keys = sweep_.shortcut().toString(QKeySequence::NativeText), name = tr("Sweep"),
                  whole = keys.isEmpty() ? name : tr("Sweep   %1").arg(keys);
    start_->setText(name);
    start_->setMinimumWidth(start_->sizeHint().width());
    start_->setText(whole);
    const bool fits = start_->sizeHint().width() <= width() - flow_->minimumSize().width() - 3 * grid::unit;
    if (!fits) start_->setText(name);
    start_->setToolTip(fits ? QString() : whole);
}

/// Removes the last chip.
void SweepBar::remove_chip() {
    AxisChip* chip = chips_.takeLast();
    if (chip->isAncestorOf(focusWidget())) add_->setFocus(); // its own button may have had the focus
    flow_->removeWidget(chip);
    chip->hide();
    chip->deleteLater();
}

/// Adds an empty chip, which gets its axis by its index.
void SweepBar::append_chip() {
    auto* chip = new AxisChip(swap_->parentWidget());
    const int index = int(chips_.size());
    chip->values().setObjectName(QStringLiteral("axis-%1-values").arg(index));
    chip->field().setObjectName(QStringLiteral("axis-%1-field").arg(index));
    connect(chip, &AxisChip::typed, this, [this, index](const QString& text) { sweeps_.axes().set_text(index, text); });
    connect(chip, &AxisChip::typing_ended, &sweeps_.axes(), &app::SweepAxes::settle);
    connect(chip, &AxisChip::removed, this, [this, index] { sweeps_.axes().remove(index); });
    connect(chip, &AxisChip::field_picked, this, [this, index](const QString& field) {
        for (const auto& each : app::sweep_fields(studio_.document))
            if (each.field == field && sweeps_.axes().axes()[index].field != field)
                return sweeps_.axes().set_axis(index, {field, each.usual});
    });
    flow_->removeWidget(swap_); // they are added again, as the buttons follow the axes
    flow_->removeWidget(add_);
    flow_->addWidget(chip);
    flow_->addWidget(swap_);
    flow_->addWidget(add_);
    chips_ << chip;
    chip->show();
}

/// Sets the order of the Tab key: the axes, the buttons that change them, the button that starts the sweep.
void SweepBar::order_tabs() {
    QWidget* before = nullptr;
    const auto next = [&before](QWidget* widget) {
        if (before) setTabOrder(before, widget);
        before = widget;
    };
    for (AxisChip* chip : chips_) {
        next(&chip->field());
        next(&chip->values());
        next(&chip->away());
    }
    for (QWidget* each : std::initializer_list<QWidget*>{swap_, add_, start_}) next(each);
}

/// The words of an issue for a place where no field is shown, so that they name the request's field or the file.
QString SweepBar::in_field(const app::Issue& issue) {
    const std::string key = issue.field.section(QLatin1Char('.'), 0, 0).toStdString();
    const bool of_request = key == "size" || std::ranges::count(request_keys(), std::string_view(key)) > 0;
    const QString text =
        issue.field.isEmpty() ? words(issue) : tr("%1: %2").arg(app::field_title(issue.field), words(issue));
    return of_request || issue.file.isEmpty() ? text : tr("%1: %2").arg(QFileInfo(issue.file).fileName(), text);
}

void SweepBar::refresh_summary() {
    const auto& outlook = sweeps_.outlook();
    auto& axes = sweeps_.axes();
    bool at_an_axis = false;
    for (int i = 0; i < int(axes.axes().size()); ++i) at_an_axis = at_an_axis || !axes.issue(i).isEmpty();
    const app::Issue issue = axes.issue().isEmpty() ? outlook.issue : axes.issue();
    const bool wrong = !issue.isEmpty() && !(outlook.pending && axes.issue().isEmpty());
    QString text;
    if (wrong) {
        text = at_an_axis ? QString() : in_field(issue);
    } else if (sweeps_.starting()) {
        text = tr("beginning …");
    } else if (outlook.pending || outlook.clips == 0) {
        text = tr("looking …");
    } else {
        QStringList parts{tr("%n clip(s)", nullptr, int(outlook.clips))};
        if (outlook.to_render == 0)
            parts << tr("all of them are there");
        else if (outlook.to_render < outlook.clips)
            parts << tr("%n to render", nullptr, int(outlook.to_render));
        if (outlook.to_render > 0 && outlook.seconds >= 0) parts << tr("≈ %1").arg(app::duration_text(outlook.seconds));
        text = parts.join(QStringLiteral(" · "));
    }
    summary_->setText(wrong ? breakable(text) : text);
    set_look(*summary_, "error", wrong);
    QStringList warnings;
    if (!wrong)
        for (const QString& warning : outlook.warnings) warnings << breakable(app::engine_text(warning));
    warnings_->setText(warnings.join(QLatin1Char('\n')));
    warnings_->setVisible(!warnings.isEmpty());
    start_->setEnabled(!wrong && !sweeps_.starting());
}

void SweepBar::fill_menu() {
    QMenu* menu = add_->menu();
    menu->clear();
    for (const auto& field : app::sweep_fields(studio_.document)) {
        const auto& axes = sweeps_.axes().axes();
        if (std::any_of(axes.begin(), axes.end(), [&](const auto& axis) { return axis.field == field.field; }))
            continue;
        menu->addAction(field.title, this, [this, key = field.field] { add_axis(key); });
    }
}

void SweepBar::add_axis(const QString& field) {
    for (const auto& each : app::sweep_fields(studio_.document)) {
        if (each.field != field) continue;
        sweeps_.axes().add({field, each.usual});
        if (!chips_.isEmpty()) {
            chips_.constLast()->values().setFocus();
            chips_.constLast()->values().selectAll();
        }
    }
}

void SweepBar::swap() {
    sweeps_.axes().settle();
    sweeps_.axes().move(0, 1);
}

void SweepBar::focus_values() {
    if (chips_.isEmpty()) return add_->setFocus();
    chips_.constFirst()->values().setFocus();
    chips_.constFirst()->values().selectAll();
}

} // namespace denoir::ui
