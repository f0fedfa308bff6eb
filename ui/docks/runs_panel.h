// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QListView>
#include <QPersistentModelIndex>
#include <QStyledItemDelegate>
#include <QWidget>

#include <functional>
#include <utility>

#include "ui/studio.h"

class QLabel;
class QLayout;
class QLineEdit;
class QStackedWidget;
class QTimer;
class QToolButton;

namespace denoir::ui {

struct Colours;
class EmptyState;

/// Paints a run: its picture (moving under the pointer), prompt, numbers, star, and its state unless it is done.
class RunDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    RunDelegate(Studio& studio, QObject* parent);
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    // An editor for the name, in place of the title.
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// Does nothing: the editor begins with the name, and typed text must stay when the row changes with a run's steps.
    void setEditorData(QWidget*, const QModelIndex&) const override {}
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const override;
    static QRect star_rect(const QRect& row);
    /// The lines below the title, for a width in pixels.
    static QStringList details(const QModelIndex& index, const QFontMetrics& metrics, int width);
    /// Everything that is painted of a run, and what to do if it failed.
    QStringList words(const QModelIndex& index) const;
    void set_playing(const QPersistentModelIndex& index, int tick);
    /// The runs that are marked with A and B.
    void set_sides(const QString& a, const QString& b);

private:
    QString side_letters(const QModelIndex& index) const; ///< "A", "B", or "AB" if it is both; empty if it is neither
    QImage picture_of(const QModelIndex& index, int side) const;
    void paint_picture(QPainter& painter, const QRect& frame, const QModelIndex& index, const Colours& c) const;
    void paint_words(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                     const QRect& room) const;
    Studio& studio_;
    QPersistentModelIndex playing_;
    int tick_ = 0;
    QString a_, b_;
};

class RunsView : public QListView {
    Q_OBJECT
public:
    explicit RunsView(QWidget* parent = nullptr);

signals:
    void star_clicked(const QModelIndex& index);
    void hovered(const QModelIndex& index);

protected:
    void focusInEvent(QFocusEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void startDrag(Qt::DropActions actions) override;

private:
    bool on_star_ = false; ///< whether the mouse was pressed on a star
};

/// The history: search, stars, restore, compare, reveal, verify, delete with undo, disk use.
class RunsPanel : public QWidget {
    Q_OBJECT
public:
    explicit RunsPanel(Studio& studio, QWidget* parent = nullptr);
    QStringList selected() const;
    QString current() const;
    bool lists(const QString& run) const; ///< whether the list shows it, given the search
    /// Selects only this run; clears the selection if the list does not show it.
    void select(const QString& run);
    bool has_open_menu() const; ///< whether the context menu, which acts on the runs it was opened on, is open
    /// Whether the user seems to be about to do something with the selection, so that it must not be changed: the menu
    /// is open, several runs are selected, or the focus is on a run that is not the one seen.
    bool is_choosing() const;
    void set_sides(const QString& a, const QString& b);
    /// `seen` returns the run that is seen in the window, listed or not; empty if there is none. Keys and menus act on
    /// it if no run is selected.
    void set_seen(std::function<QString()> seen) { seen_ = std::move(seen); }
    bool resumable() const; ///< whether current() ended before its video was done

public slots:
    void focus_search();
    void toggle_star();
    void restore_parameters();
    void remove_selected();
    void undo_remove();
    void reveal();
    void verify();
    void rename();
    void resume();

signals:
    void resumable_changed(bool resumable);
    /// The engine renders the run of that name again.
    void verifying(quint64 job, const QString& run, const QString& name);
    void open_run(const QString& run);
    void compare_runs(const QString& a, const QString& b);
    void compare_layers(const QString& a, const QString& b);
    void add_to_timeline(const QStringList& runs);
    void resume_run(const QString& run);
    void details_asked(const QString& run); ///< says why it failed
    void said(const QString& text);

private:
    QLayout* make_search();
    QWidget* make_list(); ///< together with what is shown while it is empty
    void connect_list();
    void connect_history();
    QString seen() const;
    QString meant();
    QStringList meant_of_list();
    QModelIndex index_of(const QString& run) const; ///< invalid if the list does not have it
    void star(const QStringList& runs, bool on);
    void restore(const QString& run);
    void remove(const QStringList& runs);
    void show_folder(const QString& run);
    void verify_run(const QString& run);
    void edit(const QModelIndex& run); ///< begins to edit its name
    void refresh();
    void mind_current();
    void select_as_before();
    void select_back();
    void show_menu(const QPoint& at);
    void play_under_pointer(const QModelIndex& index);

    Studio& studio_;
    QLineEdit* search_;
    QToolButton* starred_;
    RunsView* list_;
    RunDelegate* delegate_;
    QStackedWidget* stack_;
    EmptyState* empty_;
    QLabel* disk_;
    std::function<QString()> seen_;
    QStringList selected_before_; ///< from before the model was reset
    QString current_before_;
    QStringList back_; ///< runs whose deletion was undone, until they have been read
    bool resumable_ = false;
    QTimer *search_later_, *player_;
    QPersistentModelIndex playing_;
    int tick_ = 0;
};

} // namespace denoir::ui
