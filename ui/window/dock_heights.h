// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMap>
#include <QObject>
#include <QTimer>
#include <utility>

class QDockWidget;
class QMainWindow;

namespace denoir::ui {

/// A dock whose content asks for more room than there is grows by itself; Qt leaves it so when the content asks for
/// less again. Here it and those beside it go back to what they were, unless somebody has moved an edge since. So do
/// those beside a dock of the bottom that is closed: its room is the picture's again, not theirs. Borrows the window.
class DockHeights : public QObject {
    Q_OBJECT
public:
    explicit DockHeights(QMainWindow& window, QObject* parent = nullptr);
    void watch(QDockWidget& dock);
    /// All docks are placed anew: none of them came or went.
    void forget();

private:
    using Heights = QMap<QDockWidget*, int>;
    /// Of a dock that had to grow.
    struct Grown {
        int height = 0; ///< that it has since
        Heights before; ///< of all docks of its side
        int window = 0; ///< height
    };
    bool eventFilter(QObject* watched, QEvent* event) override;
    void look();
    void leave_room(const Heights& now);
    Heights heights() const; ///< of the docks that are seen in the window, of tabs the one in front
    int least(QDockWidget& dock) const;
    Heights beside(QDockWidget& dock, const Heights& all) const;

    QMainWindow& window_;
    QTimer soon_;
    Heights settled_; ///< at the last look
    int window_height_ = 0;
    bool was_by_itself_ = false; ///< at the last look
    QMap<QDockWidget*, Grown> grown_;
    /// Of a dock that came: all of its side, before and after.
    QMap<QDockWidget*, std::pair<Heights, Heights>> came_;
};

} // namespace denoir::ui
