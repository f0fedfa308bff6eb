// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStyledItemDelegate>
#include <QWidget>

#include "ui/studio.h"

class QLabel;
class QLayout;
class QListView;
class QStackedWidget;
class QToolButton;

namespace denoir::ui {

/// Paints an entry of the queue: state, prompt, what it is doing, a progress bar; the error and what to do about it.
class QueueDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

/// Shows what waits, is at work and has ended. Entries can be reordered by dragging or with Alt and arrow keys, edited,
/// cancelled, and cleared with undo; the queue can be paused.
class QueuePanel : public QWidget {
    Q_OBJECT
public:
    explicit QueuePanel(Studio& studio, QWidget* parent = nullptr);
    quint64 selected() const;
    void take_focus(); ///< gives the focus to the list or, if that is empty, to a button

public slots:
    void edit_selected();
    void remove_selected();
    void move_selected(int by);
    void undo_clear();

signals:
    void open_run(const QString& run);
    void resume_run(const QString& run);
    /// The waiting entry whose request is in the parameters now; 0 if none is.
    void editing_changed(quint64 id);
    void said(const QString& text);
    void details_asked(quint64 id); ///< the log of this entry is to be shown

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void make_list();
    QLayout* make_foot();
    void connect_list();
    void connect_queue();
    void refresh();
    void show_menu(const QPoint& at);

    Studio& studio_;
    QListView* list_;
    QStackedWidget* stack_;
    QToolButton *pause_, *clear_, *undo_;
    QLabel* summary_;
};

} // namespace denoir::ui
