// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/lora_list.h"

#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMimeData>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/theme/colours.h"
#include "ui/theme/icons.h"
#include "ui/widgets/drop.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/field.h"

namespace denoir::ui {

namespace {

const QString file_key = QStringLiteral("file"), strength_key = QStringLiteral("strength");

QString file_of(const QVariant& lora) { return lora.toMap().value(file_key).toString(); }

QStringList dropped(const QMimeData* data) {
    QStringList files;
    for (const QUrl& url : data->urls())
        if (url.isLocalFile() && url.path().endsWith(QStringLiteral(".safetensors"), Qt::CaseInsensitive))
            files << url.toLocalFile();
    return files;
}

} // namespace

LoraList::LoraList(QWidget* parent) : QWidget(parent), rows_(new QVBoxLayout(this)), add_(new QToolButton) {
    setAcceptDrops(true);
    rows_->setContentsMargins(0, 0, 0, 0);
    rows_->setSpacing(grid::half);
    add_->setObjectName(QStringLiteral("add-lora"));
    add_->setText(tr("Add…"));
    add_->setIcon(icon(QStringLiteral("add")));
    add_->setIconSize({12, 12});
    add_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    add_->setToolTip(tr("Add a LoRA: a file that changes the model's style, characters or motion"));
    add_->setAccessibleName(tr("Add a LoRA"));
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
            first->widget()->deleteLater(); // it may be its own button that asked
            delete first;
        }
        strengths_.clear();
        loras_ = loras;
        for (int i = 0; i < loras.size(); ++i) append_row(i);
    }
    loras_ = loras;
    for (int i = 0; i < loras.size(); ++i) {
        const double strength = loras[i].toMap().value(strength_key, 1).toDouble();
        if (strengths_[i]->value() != strength || !strengths_[i]->hasFocus()) strengths_[i]->show_value(strength);
    }
}

void LoraList::append_row(int index) {
    const QString file = file_of(loras_[index]), name = QFileInfo(file).completeBaseName();
    auto* row = new QWidget;
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(grid::half);
    auto* label = new ElidedLabel;
    label->set_text(name);
    label->setToolTip(file);
    auto* strength = new NumberEdit(-100, 100, 0.05, 2);
    strength->setObjectName(QStringLiteral("lora-strength"));
    strength->setButtonSymbols(QAbstractSpinBox::NoButtons); // the name needs the room; arrows and wheel work
    strength->setFixedWidth(strength->fontMetrics().horizontalAdvance(QStringLiteral("-0.0000")));
    strength->setAlignment(Qt::AlignRight);
    strength->setAccessibleName(tr("Strength of %1").arg(name));
    strength->setToolTip(tr("Strength: 1 as it was made, 0 not at all"));
    auto* away = new QToolButton;
    away->setObjectName(QStringLiteral("remove-lora"));
    away->setIcon(icon(QStringLiteral("close")));
    away->setToolTip(tr("Leave this LoRA out"));
    away->setAccessibleName(tr("Leave %1 out").arg(name));
    line->addWidget(label, 1);
    line->addWidget(strength);
    line->addWidget(away);
    rows_->insertWidget(index, row);
    row->show(); // the list may be shown already
    strengths_.insert(index, strength);
    connect(strength, &NumberEdit::edited, this, [this, index](double value) {
        QVariantMap one = loras_[index].toMap();
        one[strength_key] = value;
        loras_[index] = one;
        emit edited(loras_);
    });
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
    auto* dialog = new QFileDialog(this, tr("Add a LoRA"),
                                   loras_.isEmpty() ? QString() : QFileInfo(file_of(loras_.constLast())).path(),
                                   tr("LoRA (*.safetensors);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    connect(dialog, &QFileDialog::filesSelected, this, &LoraList::add);
    dialog->open();
}

void LoraList::dragEnterEvent(QDragEnterEvent* event) {
    if (!dropped(event->mimeData()).isEmpty()) take_copy(*event);
}

void LoraList::dropEvent(QDropEvent* event) {
    const QStringList files = dropped(event->mimeData());
    if (files.isEmpty()) return;
    take_copy(*event);
    add(files);
}

} // namespace denoir::ui
