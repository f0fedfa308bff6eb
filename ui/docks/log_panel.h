// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include "ui/studio.h"

class QLayout;
class QLineEdit;
class QListView;
class QStackedWidget;
class QToolButton;

namespace denoir::app {
class Journal;
}

namespace denoir::ui {

/// Shows what was done and what went wrong in this session, newest last. It can be searched, limited to one entry of
/// the queue, and copied.
class LogPanel : public QWidget {
    Q_OBJECT
public:
    explicit LogPanel(Studio& studio, QWidget* parent = nullptr);
    /// Shows only the lines about this queue entry, scrolled to its error. Shows everything for 0, or if there are no
    /// such lines, as for an entry from an earlier session.
    void show_entry(quint64 entry);
    bool knows(quint64 entry) const; ///< whether there are lines about this queue entry
    void focus_search();

private:
    class Lines;
    void make_list();
    QLayout* make_head(const app::Journal& journal);
    void copy() const;
    void refresh();

    Lines* lines_;
    QLineEdit* search_;
    QListView* list_;
    QStackedWidget* stack_;
    QToolButton* all_;
};

} // namespace denoir::ui
