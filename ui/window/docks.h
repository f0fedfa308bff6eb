// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QList>
#include <QObject>

#include <initializer_list>
#include <utility>

#include "ui/window/dock_heights.h"
#include "ui/window/layouts.h"

class QMainWindow;
class QMenu;
class QWidget;

namespace denoir::ui {

class ActionTable;
class Dock;

/// The docks around the window's middle, and their places in each layout as it comes with the program. Borrows the
/// window, which owns the docks.
class Docks : public QObject {
    Q_OBJECT
public:
    explicit Docks(QMainWindow& window);
    /// `id` must never change, as stored layouts use it.
    void add(const char* id, const QString& title, QWidget* content);
    /// The dock of that id, which must exist.
    Dock& at(const char* id) const;
    /// Shows a dock in front of its tabs, at least as high as `share` of the window's height.
    void reveal(const char* id, double share = 0);
    void arrange(Layout layout); ///< docks that have no place in the layout are hidden at the bottom
    /// To be called when a layout is shown: removes empty tab bars of docks that were separated, which Qt leaves lying
    /// over other docks, and a line that Qt draws beside tab bars that it uses again, whatever the style sheet says.
    void tidy_tabs();
    /// Adds an entry for each dock, which shows and hides it, to the menu and to `actions`.
    void fill_menu(QMenu& menu, ActionTable& actions);

signals:
    void closed_with_focus(); ///< a dock that had the focus was closed

private:
    using Ids = std::initializer_list<const char*>;
    void arrange_create();
    void arrange_compare();
    void arrange_tune();
    void resize_request();
    void put(Qt::DockWidgetArea area, Ids ids);
    void tabify(const char* front, const char* behind);
    /// Adds docks hidden. They are not shown even for a moment, as all of them together would make the window grow.
    void keep(Qt::DockWidgetArea area, Ids ids);
    void keep(Qt::DockWidgetArea area, Dock& dock);
    void keep_rest(); ///< adds those that have no place yet
    void resize(std::initializer_list<std::pair<const char*, int>> sizes, Qt::Orientation along);
    int side(Qt::DockWidgetArea side = Qt::LeftDockWidgetArea) const; ///< width of the docks beside the middle

    QMainWindow& window_;
    DockHeights heights_;
    QList<Dock*> all_; ///< in the order of the menu
};

} // namespace denoir::ui
