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

/// The docks around the window's middle and where they stand in each layout as it comes with the program. One that
/// arrange() does not name is hidden at the bottom. Borrows the window, which owns the docks.
class Docks : public QObject {
    Q_OBJECT
public:
    explicit Docks(QMainWindow& window);
    /// `id`: stable, for the stored layouts and for at().
    void add(const char* id, const QString& title, QWidget* content);
    /// The dock of that id; asserts when there is none.
    Dock& at(const char* id) const;
    /// Shown and in front of its tabs; not lower than `share` of the window's height.
    void reveal(const char* id, double share = 0);
    void arrange(Layout layout);
    /// Once a layout is shown: Qt leaves the tabs of docks that were parted behind, empty, over whatever stands there
    /// now, and draws a line beside those it uses again, whatever the style sheet says.
    void tidy_tabs();
    /// An entry for each dock shows and hides it, and one of `actions` does the same.
    void fill_menu(QMenu& menu, ActionTable& actions);

signals:
    void closed_with_focus(); ///< one of them

private:
    using Ids = std::initializer_list<const char*>;
    void arrange_create();
    void arrange_compare();
    void arrange_tune();
    void resize_request();
    void put(Qt::DockWidgetArea area, Ids ids);
    void tabify(const char* front, const char* behind);
    /// Adds docks hidden, not even shown for a moment: shown all at once, they would make the window grow.
    void keep(Qt::DockWidgetArea area, Ids ids);
    void keep(Qt::DockWidgetArea area, Dock& dock);
    void keep_rest(); ///< what has no place yet
    void resize(std::initializer_list<std::pair<const char*, int>> sizes, Qt::Orientation along);
    int side() const; ///< width of the docks beside the middle

    QMainWindow& window_;
    DockHeights heights_;
    QList<Dock*> all_; ///< in the order of the menu
};

} // namespace denoir::ui
