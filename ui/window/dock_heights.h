// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMap>
#include <QObject>
#include <QTimer>
#include <utility>

class QDockWidget;
class QMainWindow;

namespace denoir::ui {

/// Gives docks back the heights that Qt changes for good. Qt lets a dock grow when its content needs more room, but
/// does not shrink it when the content needs less again; and it gives the room of a closed dock at the bottom to the
/// docks beside it. In both cases all docks of that side get their former heights back, unless the user has moved an
/// edge in the meantime. Borrows the window. GUI thread.
class DockHeights : public QObject {
    Q_OBJECT
public:
    explicit DockHeights(QMainWindow& window, QObject* parent = nullptr);
    void watch(QDockWidget& dock);
    /// To be called before all docks are arranged anew: none of the changes that follow is to be taken back.
    void forget();

private:
    using Heights = QMap<QDockWidget*, int>;
    /// A dock that had to grow.
    struct Grown {
        int height = 0; ///< the dock's, since then
        Heights before; ///< of all docks of its side, before it grew
        int window = 0; ///< height of the window then
    };
    bool eventFilter(QObject* watched, QEvent* event) override;
    void look();
    void leave_room(const Heights& now);
    Heights heights() const; ///< of the visible docks that do not float; of tabs, the one in front
    int least(QDockWidget& dock) const;
    Heights beside(QDockWidget& dock,
                   const Heights& all) const; ///< those of `all` on the dock's side, its own included

    QMainWindow& window_;
    QTimer soon_;
    Heights settled_; ///< at the last look
    int window_height_ = 0;
    bool was_by_itself_ = false; ///< at the last look
    QMap<QDockWidget*, Grown> grown_;
    /// By dock that was opened: the heights of its side before and after that.
    QMap<QDockWidget*, std::pair<Heights, Heights>> came_;
};

} // namespace denoir::ui
