// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/actions/command_palette.h"

#include <QAction>
#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <vector>

#include "ui/actions/action_table.h"
#include "ui/theme/colours.h"
#include "ui/theme/icons.h"
#include "ui/widgets/announcer.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/literal.h"
#include "ui/widgets/make_layout.h"

namespace denoir::ui {

namespace {

enum Role { id_role = Qt::UserRole, group_role, keys_role, answer_role };

QString folded(const QString& text) {
    QString plain;
    const QString decomposed = text.normalized(QString::NormalizationForm_KD).toLower();
    for (const QChar c : decomposed)
        if (c.category() != QChar::Mark_NonSpacing) plain.append(c);
    return plain;
}

class RowDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
        return {200, option.fontMetrics.height() + 12};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Colours& c = colours(option.palette);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        if (option.state & QStyle::State_Selected) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(c.selection);
            painter->drawRoundedRect(option.rect, 4, 4);
        }
        const bool enabled = index.flags() & Qt::ItemIsEnabled;
        QRect rect = option.rect.adjusted(8, 0, -8, 0);
        const QIcon mark = index.data(Qt::DecorationRole).value<QIcon>();
        if (!mark.isNull())
            mark.paint(painter, QRect(rect.left(), rect.center().y() - 7, 16, 16), Qt::AlignCenter,
                       enabled ? QIcon::Normal : QIcon::Disabled);
        rect.setLeft(rect.left() + 24);
        const QString keys = index.data(keys_role).toString();
        painter->setPen(c.quiet);
        painter->drawText(rect, Qt::AlignRight | Qt::AlignVCenter, keys);
        const QString group = index.data(group_role).toString();
        const QString text = index.data(Qt::DisplayRole).toString();
        const int room = rect.width() - option.fontMetrics.horizontalAdvance(keys) - 16;
        painter->setPen(enabled ? c.text : c.disabled);
        const QString shown = option.fontMetrics.elidedText(text, Qt::ElideRight, room);
        painter->drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, shown);
        const int used = option.fontMetrics.horizontalAdvance(shown) + 12;
        painter->setPen(c.quiet);
        painter->drawText(rect.adjusted(used, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                          option.fontMetrics.elidedText(group, Qt::ElideRight, std::max(0, room - used)));
        painter->restore();
    }
};

} // namespace

int match_score(const QString& query, const QString& text) {
    const QString in = folded(text);
    int score = 0;
    const auto words = folded(query).split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (const QString& word : words) {
        int best = -1;
        for (qsizetype at = in.indexOf(word); at >= 0; at = in.indexOf(word, at + 1)) {
            const bool begins = at == 0 || !in[at - 1].isLetterOrNumber();
            const bool whole = begins && (at + word.size() == in.size() || !in[at + word.size()].isLetterOrNumber());
            best = std::max(best, (whole ? 12 : begins ? 8 : 2) + (at == 0 ? 4 : 0));
        }
        if (best < 0) return -1;
        score += best;
    }
    return score;
}

CommandPalette::CommandPalette(const ActionTable& actions, const Banners& banners, QWidget* parent)
    : QFrame(parent),
      actions_(actions),
      banners_(banners),
      query_(new QLineEdit(this)),
      list_(new QListWidget(this)),
      announcer_(new Announcer(this)) {
    setObjectName(QStringLiteral("command-palette"));
    setProperty("popup", true);
    setAccessibleName(tr("Find any action"));
    setAutoFillBackground(true);
    query_->setObjectName(QStringLiteral("command-query"));
    query_->setPlaceholderText(tr("Find any action"));
    query_->setAccessibleName(tr("Find any action"));
    list_->setObjectName(QStringLiteral("command-list"));
    list_->setAccessibleName(tr("Actions"));
    list_->setItemDelegate(new RowDelegate(list_));
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setUniformItemSizes(true);
    auto* column = make_layout<QVBoxLayout>(this, grid::unit, {grid::unit, grid::unit, grid::unit, grid::unit});
    column->addWidget(query_);
    column->addWidget(list_, 1);
    connect(query_, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(list_, &QListWidget::itemClicked, this, &CommandPalette::run_current);
    // The list never has the focus, so a screen reader must be told which row Enter would choose.
    connect(list_, &QListWidget::currentItemChanged, this, [this](const QListWidgetItem* item) {
        if (!item) return;
        QStringList words{item->text()};
        for (const int role : {group_role, keys_role})
            if (const QString word = item->data(role).toString(); !word.isEmpty()) words << word;
        announcer_->announce(words.join(QStringLiteral(", ")));
    });
    query_->installEventFilter(this);
    parent->installEventFilter(this);
    hide();
}

void CommandPalette::open() {
    if (!isVisible()) before_ = QApplication::focusWidget();
    query_->clear();
    filter({});
    place();
    show();
    raise();
    query_->setFocus(Qt::ShortcutFocusReason);
}

QStringList CommandPalette::shown() const {
    QStringList ids;
    for (int row = 0; row < list_->count(); ++row) ids.append(list_->item(row)->data(id_role).toString());
    return ids;
}

struct CommandPalette::Hit {
    int score;
    const ActionTable::Entry* entry; ///< null if it is the `answer` of a banner
    Banners::Answer answer = {};

    bool enabled() const { return !entry || entry->action->isEnabled(); }
};

/// The matches, best first; actions that cannot be used now come last.
std::vector<CommandPalette::Hit> CommandPalette::hits(const QString& query) const {
    std::vector<Hit> hits;
    for (const auto& entry : actions_.entries()) {
        if (!entry.action->isVisible()) continue;
        const QString text = plain_text(entry.action->text()) + QLatin1Char(' ') + entry.group;
        int score = match_score(query, text);
        // Matches of other words come after matches of the name.
        if (score < 0 && match_score(query, text + QLatin1Char(' ') + entry.other_words) >= 0) score = 0;
        if (score < 0) continue;
        const auto used = actions_.recent().indexOf(entry.id);
        if (used >= 0) score += std::max(1, 6 - static_cast<int>(used));
        hits.push_back({score, &entry});
    }
    for (const Banners::Answer& answer : banners_.answers())
        if (const int score = match_score(query, answer.button->text() + QLatin1Char(' ') + answer.text); score >= 0)
            hits.push_back({score, nullptr, answer});
    std::stable_sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) {
        return a.enabled() != b.enabled() ? a.enabled() : a.score > b.score;
    });
    return hits;
}

void CommandPalette::filter(const QString& query) {
    list_->clear();
    answers_.clear();
    for (const Hit& hit : hits(query)) {
        if (!hit.entry) {
            auto* item = new QListWidgetItem(icon(QStringLiteral("info")), hit.answer.button->text(), list_);
            item->setData(id_role, item->text());
            item->setData(group_role, hit.answer.text);
            item->setData(answer_role, answers_.size());
            answers_ << hit.answer.button;
            continue;
        }
        const QAction& action = *hit.entry->action;
        QString text = plain_text(action.text());
        if (action.isCheckable() && action.isChecked()) text = tr("%1 (on)").arg(text);
        auto* item = new QListWidgetItem(action.icon(), text, list_);
        item->setData(id_role, hit.entry->id);
        item->setData(group_role, hit.entry->group);
        item->setData(keys_role, action.shortcut().toString(QKeySequence::NativeText));
        if (!action.isEnabled()) item->setFlags(item->flags() & ~Qt::ItemIsEnabled);
    }
    if (list_->count() == 0) {
        auto* item = new QListWidgetItem(tr("No such action"), list_);
        item->setFlags(Qt::NoItemFlags);
    }
    list_->setCurrentRow(0);
}

void CommandPalette::run_current() {
    const QListWidgetItem* item = list_->currentItem();
    if (!item || !(item->flags() & Qt::ItemIsEnabled)) return;
    const QString id = item->data(id_role).toString();
    const QVariant answer = item->data(answer_role);
    dismiss();
    if (answer.isValid()) {
        if (QPushButton* button = answers_.value(answer.toInt())) button->click(); // null if its banner is gone
        return;
    }
    if (const auto* entry = actions_.find(id)) entry->action->trigger();
}

void CommandPalette::dismiss() {
    if (!isVisible()) return;
    hide();
    if (before_) before_->setFocus(Qt::OtherFocusReason);
}

void CommandPalette::place() {
    const QSize room = parentWidget()->size();
    const int width = std::min(560, room.width() - 4 * grid::unit);
    const int height = std::min(420, room.height() - 12 * grid::unit);
    setGeometry((room.width() - width) / 2, 5 * grid::unit, width, height);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (watched == parentWidget() && event->type() == QEvent::Resize && isVisible()) place();
    if (watched != query_) return false;
    if (event->type() == QEvent::FocusOut) {
        // The list takes no focus; a click elsewhere ends the search.
        if (static_cast<QFocusEvent*>(event)->reason() != Qt::ActiveWindowFocusReason &&
            static_cast<QFocusEvent*>(event)->reason() != Qt::PopupFocusReason)
            QTimer::singleShot(0, this, &QWidget::hide);
        return false;
    }
    if (event->type() == QEvent::ShortcutOverride) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Escape) {
            event->accept();
            return true;
        }
        return false;
    }
    if (event->type() != QEvent::KeyPress) return false;
    const int key = static_cast<QKeyEvent*>(event)->key();
    switch (key) {
    case Qt::Key_Escape:
        dismiss();
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        run_current();
        return true;
    case Qt::Key_Down:
    case Qt::Key_Up:
    case Qt::Key_PageDown:
    case Qt::Key_PageUp: {
        const int by = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : key == Qt::Key_PageDown ? 8 : -8;
        list_->setCurrentRow(std::clamp(list_->currentRow() + by, 0, std::max(0, list_->count() - 1)));
        return true;
    }
    default:
        return false;
    }
}

} // namespace denoir::ui
