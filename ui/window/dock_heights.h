// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMap>
#include <QObject>
#include <QTimer>
#include <utility>

class QDockWidget;
class QMainWindow;

namespace denoir::ui {

/// Restores heights of docks that Qt would change for good. Qt lets a dock grow when its content needs more room, but
/// does not shrink it when the content needs less again; and it gives the room of a closed dock at the bottom to the
/// docks beside it. In both cases all docks of that side get their former heights back, unless the user has moved an
/// edge in the meantime. Borrows the window. GUI thread.
class DockHeights : public QObject {
    Q_OBJECT
public:
    explicit DockHeights(QMainWindow& window, QObject* parent = nullptr);
    void watch(QDockWidget& dock);
    /// To be called before all docks are arranged anew, so that none of the changes that follow is taken back.
    void forget();

private:
    using Heights = QMap<QDockWidget*, int>;
    /// A dock that had to grow.
    struct Grown {
        int height = 0; ///< the height to which it has grown
        Heights before; ///< of all docks of its side, before it grew
        int window = 0; ///< height of the window when it grew
    };
    bool eventFilter(QObject* watched, QEvent* event) override;
    void look();
    void leave_room(const Heights& now);
    Heights heights() const; ///< of the visible docks that do not float; for tabs, of the dock in front
    int least(QDockWidget& dock) const;
    Heights beside(QDockWidget& dock,
                   const Heights& all) const; ///< those of `all` on the dock's side, including its own

    QMainWindow& window_;
    QTimer soon_;
    Heights settled_; ///< heights at the last look
    int window_height_ = 0;
    bool was_by_itself_ = false; ///< whether docks changed by themselves at the last look
    QMap<QDockWidget*, Grown> grown_;
    /// By docks that were opened: the heights of their side before and after that.
    QMap<QDockWidget*, std::pair<Heights, Heights>> came_;
};

} // namespace denoir::ui
