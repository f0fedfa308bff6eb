// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/lora_list.h"

#include <QActionGroup>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QGridLayout>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/base/text.h"
#include "engine/core/units.h"
#include "engine/weights/lora.h"
#include "ui/theme/colours.h"
#include "ui/theme/icons.h"
#include "ui/widgets/drop.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/field.h"
#include "ui/widgets/open_dialog.h"
#include "ui/widgets/tool_button.h"

namespace denoir::ui {

namespace {

const QString file_key = QStringLiteral("file"), strength_key = QStringLiteral("strength"),
              expert_key = QStringLiteral("expert");

QString file_of(const QVariant& lora) { return lora.toMap().value(file_key).toString(); }

/// "high", "low" or "both": the expert that the engine derives from a file's name.
QString expert_by_name(const QString& file) {
    return app::to_qstring(name_of(lora_experts, named_expert(app::to_path(file))));
}

QStringList dropped_loras(const QMimeData& data) {
    QStringList files = dropped_files(data);
    files.removeIf(
        [](const QString& file) { return !file.endsWith(QLatin1String(".safetensors"), Qt::CaseInsensitive); });
    return files;
}

} // namespace

LoraList::LoraList(app::Settings& settings, QWidget* parent)
    : QWidget(parent), settings_(settings), rows_(new QVBoxLayout(this)), add_(new QToolButton) {
    setAcceptDrops(true);
    rows_->setContentsMargins(0, 0, 0, 0);
    rows_->setSpacing(grid::half);
    add_->setObjectName(QStringLiteral("add-lora"));
    add_->setText(tr("Add…"));
    set_drawing(*add_, icon(QStringLiteral("add")), tr("Add a LoRA"),
                tr("Add a LoRA: a file that changes the model's style, characters or motion"));
    add_->setIconSize({12, 12});
    add_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    rows_->addWidget(add_, 0, Qt::AlignLeft);
    connect(add_, &QToolButton::clicked, this, &LoraList::choose);
}

void LoraList::show_values(const QVariantList& loras) {
    const auto same = [&] {
        for (qsizetype i = 0; i < loras.size(); ++i)
            if (file_of(loras[i]) != file_of(loras_[i])) return false;
        return true;
    };
    if (loras.size() != loras_.size() || !same()) {
        while (rows_->count() > 1) {
            QLayoutItem* const first = rows_->takeAt(0);
            first->widget()->hide();
            first->widget()->deleteLater(); // not at once, as its own button may have called this
            delete first;
        }
        lines_.clear();
        loras_ = loras;
        for (int i = 0; i < loras.size(); ++i) append_row(i);
    }
    loras_ = loras;
    for (int i = 0; i < loras.size(); ++i) {
        const double strength = loras[i].toMap().value(strength_key, 1).toDouble();
        NumberEdit* const edit = lines_[i].strength;
        if (edit->value() != strength || !edit->hasFocus()) edit->show_value(strength);
        show_expert(i);
    }
}

void LoraList::set_two_experts(bool two) {
    if (two_experts_ == two) return;
    two_experts_ = two;
    for (int i = 0; i < lines_.size(); ++i) show_expert(i);
}

void LoraList::show_expert(int index) {
    QToolButton* const button = lines_[index].expert;
    const QString file = file_of(loras_[index]), chosen = loras_[index].toMap().value(expert_key).toString();
    const bool shown = two_experts_ || !chosen.isEmpty();
    button->setVisible(shown);
    // The strength is beside the name or, if there is an expert, in a second line with it, as there is no room for all.
    auto* grid = qobject_cast<QGridLayout*>(button->parentWidget()->layout());
    grid->removeWidget(lines_[index].strength);
    grid->addWidget(lines_[index].strength, shown ? 1 : 0, 1, 1, shown ? 2 : 1);
    QString words;
    for (QAction* action : button->menu()->actions())
        if (action->data().toString() == chosen) {
            action->setChecked(true);
            words = action->text();
        }
    const QString names[] = {tr("high"), tr("low"), tr("both")};
    const QString expert = chosen.isEmpty() ? expert_by_name(file) : chosen;
    const QString& name = names[expert == QLatin1String("high") ? 0 : expert == QLatin1String("low") ? 1 : 2];
    // The brackets mean that it comes from the file's name.
    button->setText(chosen.isEmpty() ? QStringLiteral("(%1)").arg(name) : name);
    button->setToolTip(tr("Which of the model's two experts it changes: %1").arg(words));
    button->setAccessibleName(tr("Expert of %1: %2").arg(QFileInfo(file).completeBaseName(), words));
}

QToolButton* LoraList::expert_button(int index) {
    auto* button = new QToolButton;
    button->setObjectName(QStringLiteral("lora-expert"));
    give_menu(*button);
    QMenu* menu = button->menu();
    auto* one = new QActionGroup(menu);
    const QString named = expert_by_name(file_of(loras_[index]));
    const QString by_name = named == QLatin1String("high")  ? tr("by its name: high noise")
                            : named == QLatin1String("low") ? tr("by its name: low noise")
                                                            : tr("by its name: both experts");
    for (const auto& [expert, words] : {std::pair{QString(), by_name},
                                        {QStringLiteral("high"), tr("high noise, the first steps")},
                                        {QStringLiteral("low"), tr("low noise, the last steps")},
                                        {QStringLiteral("both"), tr("both experts")}}) {
        QAction* action = menu->addAction(words);
        action->setData(expert);
        action->setCheckable(true);
        one->addAction(action);
        connect(action, &QAction::triggered, this, [this, index, expert = expert] {
            edit(index, expert_key, expert.isEmpty() ? QVariant() : QVariant(expert));
        });
    }
    return button;
}

void LoraList::edit(int index, const QString& member, const QVariant& value) {
    QVariantMap one = loras_[index].toMap();
    if (value.isValid())
        one[member] = value;
    else
        one.remove(member);
    loras_[index] = one;
    show_expert(index);
    emit edited(loras_);
}

void LoraList::append_row(int index) {
    const QString file = file_of(loras_[index]), name = QFileInfo(file).completeBaseName();
    auto* row = new QWidget;
    auto* line = new QGridLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->setHorizontalSpacing(grid::half);
    line->setVerticalSpacing(0);
    line->setColumnStretch(0, 1);
    auto* label = new ElidedLabel;
    label->set_text(name);
    label->setToolTip(file);
    auto* strength = new NumberEdit(limits::lora_strength.least, limits::lora_strength.most, 0.05, 2);
    strength->setObjectName(QStringLiteral("lora-strength"));
    strength->setButtonSymbols(QAbstractSpinBox::NoButtons); // the name needs the room; keys and wheel work
    strength->setFixedWidth(strength->fontMetrics().horizontalAdvance(QStringLiteral("-0.0000")));
    strength->setAlignment(Qt::AlignRight);
    strength->setAccessibleName(tr("Strength of %1").arg(name));
    strength->setToolTip(tr("Strength: 1 as it was made, 0 not at all"));
    auto* away = new QToolButton;
    away->setObjectName(QStringLiteral("remove-lora"));
    set_drawing(*away, icon(QStringLiteral("close")), tr("Leave %1 out").arg(name), tr("Leave this LoRA out"));
    auto* expert = expert_button(index);
    line->addWidget(label, 0, 0);
    line->addWidget(strength, 0, 1);
    line->addWidget(away, 0, 2);
    line->addWidget(expert, 1, 0, Qt::AlignLeft);
    QWidget::setTabOrder(expert, strength);
    QWidget::setTabOrder(strength, away);
    rows_->insertWidget(index, row);
    row->show(); // needed if the list is already visible
    lines_.insert(index, {strength, expert});
    show_expert(index);
    connect(strength, &NumberEdit::edited, this, [this, index](double value) { edit(index, strength_key, value); });
    connect(strength, &NumberEdit::limited, this, &LoraList::limited);
    connect(away, &QToolButton::clicked, this, [this, index] {
        QVariantList rest = loras_;
        rest.removeAt(index);
        emit edited(rest);
    });
}

void LoraList::add(const QStringList& files) {
    if (files.isEmpty()) return;
    QVariantList all = loras_;
    for (const QString& file : files) all << QVariantMap{{file_key, file}, {strength_key, 1.0}};
    emit edited(all);
}

void LoraList::choose() {
    const QString place = loras_.isEmpty() ? QString() : QFileInfo(file_of(loras_.constLast())).path();
    ask_to_open(this, settings_, tr("Add a LoRA"),
                {ToOpen::Kind::files, ToOpen::Sort::loras, tr("LoRA (*.safetensors);;All files (*)"), place},
                [this](const QStringList& files) { add(files); });
}

void LoraList::dragEnterEvent(QDragEnterEvent* event) {
    if (!dropped_loras(*event->mimeData()).isEmpty()) take_copy(*event);
}

void LoraList::dropEvent(QDropEvent* event) {
    const QStringList files = dropped_loras(*event->mimeData());
    if (files.isEmpty()) return;
    take_copy(*event);
    add(files);
}

} // namespace denoir::ui
