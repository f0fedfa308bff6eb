// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/place.h"

#include <QDockWidget>
#include <QEvent>
#include <QGuiApplication>
#include <QMainWindow>
#include <QScreen>

#include <algorithm>
#include <utility>

#include "app/base/settings.h"
#include "ui/window/layouts.h"

namespace denoir::ui {

namespace {
const QString geometry_key = QStringLiteral("window/geometry");
constexpr int frame_width = 8, title_height = 40; ///< largest frame of usual desktops
constexpr int calm_ms = 1000;                     ///< delay of storing, so that nothing is stored during a drag
} // namespace

Place::Place(QMainWindow& window, Layouts& layouts, app::Settings& settings, QObject* parent)
    : QObject(parent), window_(window), layouts_(layouts), settings_(settings) {
    soon_.setSingleShot(true);
    soon_.setInterval(calm_ms);
    connect(&soon_, &QTimer::timeout, this, &Place::remember);
}

void Place::restore() {
    const QByteArray geometry = settings_.value(geometry_key).toByteArray();
    if (!geometry.isEmpty()) window_.restoreGeometry(geometry);
    if (window_.isMaximized() || window_.isFullScreen()) return;
    // The whole window must be on the screen. The size of its frame is not known before it is shown.
    const QRect room = window_.screen()->availableGeometry().adjusted(0, 0, -frame_width, -title_height);
    window_.resize(window_.size().boundedTo(room.size()));
    if (!geometry.isEmpty() && !room.contains(window_.geometry()))
        window_.move(std::clamp(window_.x(), room.left(), room.right() + 1 - window_.width()),
                     std::clamp(window_.y(), room.top(), room.bottom() + 1 - window_.height()));
}

void Place::keep() {
    window_.installEventFilter(this);
    const auto changed = [this] {
        layouts_.touch();
        soon_.start();
    };
    for (auto* dock : window_.findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
        dock->installEventFilter(this);
        connect(dock, &QDockWidget::visibilityChanged, this, [this, changed] {
            if (!std::exchange(with_window_, false)) changed();
        });
        connect(dock, &QDockWidget::topLevelChanged, this, changed);
        connect(dock, &QDockWidget::dockLocationChanged, this, changed);
    }
}

void Place::remember() {
    soon_.stop();
    if (!window_.isVisible() || window_.isMinimized()) return; // it has no place now
    layouts_.remember();
    settings_.set_value(geometry_key, window_.saveGeometry());
}

bool Place::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
    case QEvent::Show:
    case QEvent::Hide:
        // The dock's visibilityChanged() follows. When the window is minimized or restored, no dock was opened or
        // closed by the user.
        with_window_ = watched != &window_ && event->spontaneous();
        break;
    case QEvent::Resize:
    case QEvent::Move:
        // The user drags the edge between two docks, or moves a floating one.
        if (const auto* dock = qobject_cast<QDockWidget*>(watched);
            dock && (dock->isFloating() ||
                     (event->type() == QEvent::Resize && QGuiApplication::mouseButtons().testFlag(Qt::LeftButton))))
            layouts_.touch();
        [[fallthrough]];
    case QEvent::WindowStateChange:
        soon_.start();
        break;
    default:
        break;
    }
    return QObject::eventFilter(watched, event);
}

} // namespace denoir::ui
