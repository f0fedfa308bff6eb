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
/// Width in pixels of the docks beside the middle, in a fresh layout of a window of this width.
int side_width(int window);

/// Arrangements of the same docks. Each is stored in the settings on its own, once the user has moved, opened or closed
/// a dock in it; until then it stays as it comes with the program. Borrows window and settings. GUI thread.
class Layouts : public QObject {
    Q_OBJECT
public:
    /// `arrange` puts the docks where they stand in a fresh layout; `middle` returns the widget that a layout is about,
    /// which gets the focus when nothing else has it (null: none).
    Layouts(QMainWindow& window, app::Settings& settings, std::function<void(Layout)> arrange,
            std::function<QWidget*(Layout)> middle, QObject* parent = nullptr);
    Layout current() const { return current_; }
    /// Stores the current layout and changes to this one, with the focus where it was when this one was left; the first
    /// time the focus stays, if it can, or goes to the middle.
    void show(Layout layout);
    /// Shows the first layout of the session: there is none to store.
    void begin(Layout layout);
    /// Arranges the current layout as it comes with the program, and forgets what was stored of it.
    void reset_current();
    /// To be called when a dock has moved, opened or closed: from then on the layout is the user's own and is stored.
    /// Ignored while this class itself arranges docks.
    void touch();
    /// Calls `open`, which opens a dock without the user's having asked for it: that does not count as touch().
    void on_its_own(const std::function<void()>& open);
    /// As reset_current(), but what is stored stays: for a picture of the window.
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
    std::set<Layout> as_placed_;                ///< not touched since: what is stored of them stays
    bool placing_ = false;                      ///< docks move and come by the program's doing
    std::map<Layout, QPointer<QWidget>> focus_; ///< where each was left
};

} // namespace denoir::ui
