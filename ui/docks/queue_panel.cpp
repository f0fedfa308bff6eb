// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/queue_panel.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QPainter>
#include <QShortcut>
#include <QStackedWidget>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/base/engine_text.h"
#include "app/request/field_title.h"
#include "app/request/request_document.h"
#include "app/runs/engine_worker.h"
#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"
#include "app/runs/run_words.h"
#include "app/runs/stage_text.h"
#include "ui/theme/colours.h"
#include "ui/theme/icons.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/make_layout.h"
#include "ui/widgets/painting.h"
#include "ui/widgets/row_changes.h"
#include "ui/widgets/row_focus.h"
#include "ui/widgets/spoken_rows.h"
#include "ui/widgets/tool_button.h"

namespace denoir::ui {

using State = app::RunQueue::State;
using Role = app::RunQueue::Role;

namespace {

State state_of(const QModelIndex& index) { return static_cast<State>(index.data(Role::StateRole).toInt()); }

/// Only a waiting run can be edited, and not one to be resumed, whose request lies in its folder.
bool can_be_edited(const QModelIndex& index) {
    return state_of(index) == State::waiting && index.data(Role::KindRole).toString() != QLatin1String("resume");
}

QString picture_of(State state) {
    switch (state) {
    case State::waiting:
        return QStringLiteral("queue");
    case State::running:
        return QStringLiteral("play");
    case State::done:
        return QStringLiteral("done");
    case State::failed:
        return QStringLiteral("error");
    case State::cancelled:
        return QStringLiteral("stop");
    case State::interrupted:
        return QStringLiteral("resume");
    }
    return {};
}

/// The name of the file or field, and what is wrong with it. Leaves out the run's own folder, as the entry has a title.
QString failure_of(const app::Issue& issue, const QString& run) {
    QString what = issue.file == run || app::RunHistory::is_own_name(issue.file)
                       ? QString()
                       : issue.file.section(QLatin1Char('/'), -1, -1, QString::SectionSkipEmpty);
    if (what.isEmpty() && !issue.field.isEmpty()) what = app::field_title(issue.field);
    return what.isEmpty() ? app::words(issue) : QStringLiteral("%1: %2").arg(what, app::words(issue));
}

QString words_of(const QModelIndex& index) {
    switch (state_of(index)) {
    case State::waiting:
        return QueuePanel::tr("waits");
    case State::running: {
        const QVariant stage = index.data(Role::StageRole);
        if (!stage.isValid()) return QueuePanel::tr("waits for the engine");
        const int step = index.data(Role::StepRole).toInt(), steps = index.data(Role::StepsRole).toInt();
        const QString left = app::time_left(index);
        QString text = steps > 0 && step > 0 && step < steps ? QueuePanel::tr("step %1/%2").arg(step).arg(steps)
                                                             : app::stage_text(static_cast<Stage>(stage.toInt()));
        if (!left.isEmpty()) text += QStringLiteral(" · ") + left;
        return text;
    }
    case State::done:
        return QueuePanel::tr("done");
    case State::failed:
        return failure_of(index.data(Role::IssueRole).value<app::Issue>(), index.data(Role::RunRole).toString());
    case State::cancelled:
        return index.data(Role::RunRole).toString().isEmpty() ? QueuePanel::tr("stopped before it began")
                                                              : QueuePanel::tr("stopped · can be resumed");
    case State::interrupted:
        return QueuePanel::tr("interrupted · can be resumed");
    }
    return {};
}

/// The title, after the label that distinguishes entries of a sweep, whose prompts may all be the same.
QString title_of(const QModelIndex& index) {
    const QString title = app::run_words::title({}, index.data(Role::PromptRole).toString()),
                  label = index.data(Role::LabelRole).toString();
    return label.isEmpty() ? title : label + QStringLiteral(" · ") + title;
}

QString seed_of(const QModelIndex& index) {
    return QueuePanel::tr("seed %1").arg(index.data(Role::SeedRole).toULongLong());
}

constexpr int margin = 4, beside = 36; ///< margin of a row; width beside its words, for the icon and the end
} // namespace

QSize QueueDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const int line = option.fontMetrics.lineSpacing();
    const auto* view = qobject_cast<const QAbstractItemView*>(option.widget);
    if (state_of(index) == State::failed && view) { // high enough for all of the reason and what to do
        const int width = view->viewport()->width() - 2 * margin - beside;
        const QRect words = option.fontMetrics.boundingRect(0, 0, width, 1 << 15, Qt::TextWordWrap, words_of(index));
        return {160, line + words.height() + 14};
    }
    return {160, 2 * line + (state_of(index) == State::running ? 22 : 14)};
}

void QueueDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Colours& c = colours(option.palette);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QRect row = option.rect.adjusted(margin, 1, -margin, -1);
    paint_behind_row(*painter, option, row);
    const State state = state_of(index);
    const int line = option.fontMetrics.lineSpacing();
    icon(picture_of(state))
        .paint(painter, QRect(row.left() + 6, row.top() + 6, 14, 14), Qt::AlignCenter,
               state == State::waiting || state == State::done ? QIcon::Disabled : QIcon::Normal);
    const QRect text(row.left() + 28, row.top() + 5, row.width() - beside, line);
    painter->setPen(c.text);
    painter->drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                      option.fontMetrics.elidedText(title_of(index), Qt::ElideRight, text.width()));
    painter->setPen(state == State::failed ? c.error : c.quiet);
    const QString words = words_of(index);
    const QRect below = text.translated(0, line);
    if (state == State::failed) {
        const QRect rest(below.topLeft(), QPoint(below.right(), row.bottom()));
        painter->drawText(rest, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, words);
        painter->restore();
        return;
    }
    const QString seed = seed_of(index);
    const QFontMetrics& metrics = option.fontMetrics;
    const bool both = metrics.horizontalAdvance(words) + 8 + metrics.horizontalAdvance(seed) <= below.width();
    painter->drawText(below, Qt::AlignLeft | Qt::AlignVCenter,
                      metrics.elidedText(words, Qt::ElideRight, below.width()));
    if (both) painter->drawText(below, Qt::AlignRight | Qt::AlignVCenter, seed); // progress matters more than the seed
    if (state == State::running) {
        const QRectF bar(text.left(), below.bottom() + 4, text.width(), 4);
        paint_progress(*painter, bar, index.data(Role::ProgressRole).toDouble(), c);
    }
    painter->restore();
}

QueuePanel::QueuePanel(Studio& studio, QWidget* parent)
    : QWidget(parent),
      studio_(studio),
      list_(new QListView(this)),
      stack_(new QStackedWidget(this)),
      pause_(new QToolButton(this)),
      clear_(new QToolButton(this)),
      undo_(new QToolButton(this)),
      summary_(new QLabel(this)) {
    make_list();
    auto* column = make_layout<QVBoxLayout>(this, 0);
    column->addWidget(stack_, 1);
    column->addLayout(make_foot());
    connect_list();
    connect_queue();
    QTimer::singleShot(0, list_, &QListView::scrollToBottom); // waiting and interrupted entries are at the end
    refresh();
}

void QueuePanel::make_list() {
    list_->setObjectName(QStringLiteral("queue"));
    list_->setResizeMode(QListView::Adjust); // so that words are wrapped again
    list_->setAccessibleName(tr("Queue"));
    list_->setModel(new SpokenRows(
        studio_.queue,
        [](const QModelIndex& entry) {
            return QStringList{title_of(entry), words_of(entry), seed_of(entry)};
        },
        list_));
    list_->setItemDelegate(new QueueDelegate(list_));
    list_->setSelectionMode(QAbstractItemView::SingleSelection);
    list_->setDragDropMode(QAbstractItemView::InternalMove);
    list_->setDefaultDropAction(Qt::MoveAction);
    list_->setContextMenuPolicy(Qt::CustomContextMenu);
    list_->setMouseTracking(true);
    list_->installEventFilter(this);
    choose_row_when_focused(*list_);
    list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    stack_->addWidget(new EmptyState(
        QStringLiteral("queue"),
        tr("Runs wait here for the engine. Generate puts one in line; the line survives closing the window.")));
    stack_->addWidget(list_);
}

/// The row below the list: a summary, and the buttons that act on the whole queue.
QLayout* QueuePanel::make_foot() {
    pause_->setObjectName(QStringLiteral("queue-pause"));
    pause_->setCheckable(true);
    set_drawing(*pause_, icon(QStringLiteral("pause"), QStringLiteral("play")), tr("Pause the queue"),
                tr("Pause: nothing new is started, the run at work goes on"));
    clear_->setObjectName(QStringLiteral("queue-clear"));
    set_drawing(*clear_, icon(QStringLiteral("trash")), tr("Clear the queue"), tr("Clear"));
    clear_->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(clear_);
    menu->addAction(tr("What ended"), this, [this] {
        studio_.queue.clear_ended();
        refresh();
    });
    menu->addAction(tr("What waits"), this, [this] {
        studio_.queue.clear_waiting();
        refresh();
    });
    clear_->setMenu(menu);
    set_drawing(*undo_, icon(QStringLiteral("undo")), tr("Bring back what was cleared last"));
    summary_->setProperty("quiet", true);
    auto* row = make_layout<QHBoxLayout>(nullptr, 2, {grid::unit, 2, grid::half, 2});
    row->addWidget(summary_, 1);
    row->addWidget(undo_);
    row->addWidget(pause_);
    row->addWidget(clear_);
    connect(pause_, &QToolButton::toggled, this, [this](bool on) { studio_.queue.set_paused(on); });
    connect(undo_, &QToolButton::clicked, this, &QueuePanel::undo_clear);
    return row;
}

void QueuePanel::connect_list() {
    connect(list_, &QListView::customContextMenuRequested, this, &QueuePanel::show_menu);
    connect(list_, &QListView::activated, this, [this](const QModelIndex& index) {
        const QString run = index.data(Role::RunRole).toString();
        if (can_be_edited(index))
            edit_selected();
        else if (!run.isEmpty())
            emit open_run(run);
        else if (state_of(index) == State::failed)
            emit details_asked(index.data(Role::IdRole).toULongLong());
    });
    auto* away = new QShortcut(Qt::Key_Delete, list_, nullptr, nullptr, Qt::WidgetShortcut);
    connect(away, &QShortcut::activated, this, &QueuePanel::remove_selected);
}

void QueuePanel::connect_queue() {
    connect(&studio_.queue, &QAbstractItemModel::rowsInserted, this, [this](const QModelIndex&, int first) {
        if (!list_->underMouse()) list_->scrollTo(list_->model()->index(first, 0));
    });
    on_row_changes(studio_.queue, this, [this] { refresh(); });
    connect(&studio_.queue, &app::RunQueue::entry_started, this, [this](quint64 id) {
        if (!list_->underMouse()) list_->scrollTo(list_->model()->index(studio_.queue.row_of(id), 0));
    });
    connect(&studio_.queue, &app::RunQueue::paused_changed, this, &QueuePanel::refresh);
    connect(&studio_.queue, &app::RunQueue::issue_changed, this, [this] {
        if (!studio_.queue.issue().isEmpty()) emit said(studio_.queue.issue().line());
    });
}

bool QueuePanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched != list_ || (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress))
        return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    const int by = key->key() == Qt::Key_Up ? -1 : key->key() == Qt::Key_Down ? 1 : 0;
    if (by == 0 || key->modifiers() != Qt::AltModifier) return QWidget::eventFilter(watched, event);
    event->accept(); // in this list, Alt+Up and Alt+Down move the entry instead of being the window's keys
    if (event->type() == QEvent::KeyPress) move_selected(by);
    return true;
}

/// Scrolls to the entry at work or the first that waits, as the list begins with entries that ended long ago.
void QueuePanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (event->spontaneous()) return;     // only the window was shown again
    QTimer::singleShot(0, list_, [this] { // once the list is laid out
        for (int row = 0; row < list_->model()->rowCount(); ++row) {
            const QModelIndex entry = list_->model()->index(row, 0);
            if (state_of(entry) == State::running || state_of(entry) == State::waiting)
                return list_->scrollTo(entry, QAbstractItemView::PositionAtTop);
        }
    });
}

void QueuePanel::take_focus() {
    list_->isVisibleTo(this) ? list_->setFocus(Qt::ShortcutFocusReason) : pause_->setFocus(Qt::ShortcutFocusReason);
}

void QueuePanel::refresh() {
    const int rows = studio_.queue.rowCount();
    stack_->setCurrentIndex(rows == 0 ? 0 : 1);
    const QSignalBlocker quiet(pause_);
    pause_->setChecked(studio_.queue.paused());
    clear_->setEnabled(rows > 0);
    undo_->setVisible(studio_.queue.can_undo_clear());
    const int waiting = studio_.queue.waiting();
    QString text = waiting == 0 ? QString() : tr("%n waiting", nullptr, waiting);
    if (studio_.queue.paused()) text = text.isEmpty() ? tr("paused") : tr("%1 · paused").arg(text);
    summary_->setText(text);
}

quint64 QueuePanel::selected() const {
    const QModelIndex index = list_->currentIndex();
    return index.isValid() ? index.data(Role::IdRole).toULongLong() : 0;
}

void QueuePanel::edit_selected() {
    const quint64 id = selected();
    auto snapshot = studio_.queue.snapshot(id);
    if (!snapshot) return;
    if (!snapshot->negative_template.isEmpty())
        snapshot->request.negative_prompt = snapshot->negative_template.toStdString();
    studio_.document.restore(snapshot->request, tr("Edit queue entry"), snapshot->prompt_template);
    studio_.document.set_seed_locked(true);
    emit editing_changed(id);
}

void QueuePanel::remove_selected() {
    const QModelIndex index = list_->currentIndex();
    if (!index.isValid()) return;
    const quint64 id = index.data(Role::IdRole).toULongLong();
    if (state_of(index) == State::running)
        studio_.queue.cancel(id);
    else
        studio_.queue.remove(id);
    refresh();
}

void QueuePanel::move_selected(int by) {
    const quint64 id = selected();
    if (id == 0) return;
    const int row = studio_.queue.row_of(id) + by;
    if (row >= 0 && row < studio_.queue.rowCount() && studio_.queue.move(id, row))
        list_->setCurrentIndex(list_->model()->index(studio_.queue.row_of(id), 0));
}

void QueuePanel::undo_clear() {
    if (!studio_.queue.can_undo_clear()) return emit said(tr("There is no removed entry to bring back."));
    studio_.queue.undo_clear();
    refresh();
}

void QueuePanel::show_menu(const QPoint& at) {
    const QModelIndex index = list_->indexAt(at);
    if (!index.isValid()) return;
    list_->setCurrentIndex(index);
    const State state = state_of(index);
    const QString run = index.data(Role::RunRole).toString();
    const quint64 id = index.data(Role::IdRole).toULongLong();
    QMenu menu(this);
    if (can_be_edited(index))
        menu.addAction(icon(QStringLiteral("edit")), tr("Edit"), this, &QueuePanel::edit_selected);
    if (state == State::waiting) {
        menu.addAction(icon(QStringLiteral("up")), tr("Move up"), this, [this] { move_selected(-1); });
        menu.addAction(icon(QStringLiteral("down")), tr("Move down"), this, [this] { move_selected(1); });
    }
    if (!run.isEmpty())
        menu.addAction(icon(QStringLiteral("eye")), tr("Show"), this, [this, run] { emit open_run(run); });
    if (!run.isEmpty() && (state == State::interrupted || state == State::cancelled || state == State::failed))
        menu.addAction(icon(QStringLiteral("resume")), tr("Resume"), this, [this, run] { emit resume_run(run); });
    if (run.isEmpty() && (state == State::cancelled || state == State::failed))
        menu.addAction(icon(QStringLiteral("resume")), tr("Try again"), this, [this, id] { studio_.queue.retry(id); });
    if (state != State::waiting)
        menu.addAction(icon(QStringLiteral("log")), tr("Details"), this, [this, id] { emit details_asked(id); });
    // The entry's state may change while the menu is open: "Remove" then stops it, and "Stop" does not remove it.
    const bool ended = state != State::running && state != State::waiting;
    menu.addAction(icon(QStringLiteral("close")), state == State::running ? tr("Stop") : tr("Remove"), this,
                   [this, ended, id] {
                       ended ? studio_.queue.remove(id) : studio_.queue.cancel(id);
                       refresh();
                   });
    menu.exec(list_->viewport()->mapToGlobal(at));
}

} // namespace denoir::ui
