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
/// Of the docks beside the middle, in a fresh layout of a window of that width.
int side_width(int window);

/// Arrangements of the same docks; each is remembered on its own, in the settings, once somebody has moved, opened or
/// closed a dock in it.
class Layouts : public QObject {
    Q_OBJECT
public:
    /// `arrange` puts the docks where they stand in a fresh layout; `middle` is what one works with there.
    Layouts(QMainWindow& window, app::Settings& settings, std::function<void(Layout)> arrange,
            std::function<QWidget*(Layout)> middle, QObject* parent = nullptr);
    Layout current() const { return current_; }
    /// The focus is where it was left there; the first time it stays where it is, or goes to the middle.
    void show(Layout layout);
    /// The first layout to be shown: nothing is remembered of what was there before.
    void begin(Layout layout);
    /// As it came with the program, as long as no dock is moved, opened or closed.
    void reset_current();
    /// A dock was moved, opened or closed, unless that was this one's own doing.
    void touch();
    /// The program opens a dock, which nobody asked for: the arrangement is nobody's own by that.
    void on_its_own(const std::function<void()>& open);
    /// As it came with the program, for a picture: what is remembered stays remembered.
    void reset_for_picture();
    void focus_middle();
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
