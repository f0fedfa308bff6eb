// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QPointer>
#include <QSize>
#include <QVariantMap>
#include <QWidget>

#include <functional>
#include <map>
#include <optional>
#include <set>

class QMainWindow;

namespace denoir::app {
class Settings;
}

namespace denoir::ui {

enum class Layout { create, compare, tune };
/// "create", "compare", "tune"
QString layout_name(Layout layout);
std::optional<Layout> layout_from_name(const QString& name);
/// Width in pixels of the docks on one side, in a fresh layout of a window of this width. In a narrow window the right
/// side, whose lists can be read in less, leaves the picture some of its own.
int side_width(int window, Qt::DockWidgetArea side);

/// Arrangements of the same docks. Each is stored in the settings separately, once the user has moved, opened or closed
/// a dock in it; until then it is as it comes with the program. Borrows window and settings. GUI thread.
class Layouts : public QObject {
    Q_OBJECT
public:
    /// `arrange` puts the docks at their places in a fresh layout. `middle` returns the main widget of a layout, or
    /// null; that gets the focus if nothing else has it.
    Layouts(QMainWindow& window, app::Settings& settings, std::function<void(Layout)> arrange,
            std::function<QWidget*(Layout)> middle, QObject* parent = nullptr);
    Layout current() const { return current_; }
    /// Stores the current layout and changes to this one. The focus returns to where it was when this layout was left;
    /// the first time it stays if it can, or goes to the middle.
    void show(Layout layout);
    /// Shows the first layout of the session, without storing another.
    void begin(Layout layout);
    /// Arranges the current layout as it comes with the program, and forgets its stored arrangement.
    void reset_current();
    /// To be called when a dock was moved, opened or closed: from then on the layout is the user's own and is stored.
    /// Ignored while this class arranges docks.
    void touch();
    /// Calls `open`, which opens a dock that the user has not asked for, without counting that as touch().
    void on_its_own(const std::function<void()>& open);
    /// Like reset_current(), but keeps what is stored: for a screenshot.
    void reset_for_picture();
    void focus_middle();
    /// Stores the current layout, if the user has touched it.
    void remember();

signals:
    void shown(denoir::ui::Layout layout);

private:
    QString key(Layout layout) const;
    void place(Layout layout);
    void keep_size(const QSize& size);
    void fit_docks(const QVariantMap& before);
    QMainWindow& window_;
    app::Settings& settings_;
    std::function<void(Layout)> arrange_;
    std::function<QWidget*(Layout)> middle_;
    Layout current_ = Layout::create;
    std::set<Layout> as_placed_;                ///< layouts not touched since they were placed, which are not stored
    bool placing_ = false;                      ///< whether the program itself is arranging docks
    std::map<Layout, QPointer<QWidget>> focus_; ///< the widget that had the focus when each was left
};

} // namespace denoir::ui
