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

/// What was done and what went wrong in this session, newest last: searched, kept to one entry of the queue, copied.
class LogPanel : public QWidget {
    Q_OBJECT
public:
    explicit LogPanel(Studio& studio, QWidget* parent = nullptr);
    /// Only what is said of this entry of the queue, its error first in sight; 0: everything. Where nothing is said of
    /// it, as of one from before the program was started, everything.
    void show_entry(quint64 entry);
    bool knows(quint64 entry) const; ///< something is said of this entry of the queue
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
