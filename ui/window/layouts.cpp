// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/layouts.h"

#include <QDockWidget>
#include <QLayout>
#include <QMainWindow>
#include <QScopedValueRollback>
#include <QScreen>
#include <algorithm>

#include "app/base/settings.h"
#include "ui/window/held_layout.h"

namespace denoir::ui {

namespace {
constexpr int state_version = 3; // raised when docks change so that old states would misplace them
const QString sizes = QStringLiteral("-sizes"), whole = QStringLiteral("window"), width = QStringLiteral("-width");

/// The visible docks on one side of the window; for tabs, the one in front.
QList<QDockWidget*> docks_in(const QMainWindow& window, Qt::DockWidgetArea area) {
    QList<QDockWidget*> out;
    for (auto* dock : window.findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly))
        if (window.dockWidgetArea(dock) == area && !dock->isFloating() && dock->widget()->isVisible()) out << dock;
    return out;
}

/// In a narrower window Qt would take all of the difference from the middle, where the picture is. Instead, each side
/// keeps its share of the width, or what a fresh layout gives it.
void fit_widths(QMainWindow& window, const QVariantMap& before) {
    const int was = before.value(whole + width).toInt();
    // A window that is restored maximized gets its width later.
    const bool whole_screen = window.isMaximized() || window.isFullScreen();
    const int now = whole_screen ? window.screen()->availableGeometry().width() : window.width();
    if (was <= now) return;
    for (const Qt::DockWidgetArea area : {Qt::LeftDockWidgetArea, Qt::RightDockWidgetArea})
        for (QDockWidget* dock : docks_in(window, area))
            if (const int wide = before.value(dock->objectName() + width).toInt(); wide > 0)
                window.resizeDocks({dock}, {std::max(wide * now / was, std::min(wide, side_width(now, area)))},
                                   Qt::Horizontal);
}

/// Does the same for the docks at the bottom of a lower window, where one of a single row of pictures keeps its height.
void fit_heights(QMainWindow& window, const QVariantMap& before) {
    constexpr int row = 150; // pixels
    const int was = before.value(whole).toInt(), now = window.height();
    if (was <= now) return;
    QList<QDockWidget*> docks;
    QList<int> heights;
    for (QDockWidget* dock : docks_in(window, Qt::BottomDockWidgetArea))
        if (const int high = before.value(dock->objectName()).toInt(); high > 0) {
            docks << dock;
            heights << std::max(high * now / was, std::min(high, row));
        }
    window.resizeDocks(docks, heights, Qt::Vertical);
}

bool restore(QMainWindow& window, const QByteArray& state, int version) {
    bool restored = false;
    {
        const HeldLayout held(window); // showing the tabs one by one would replace the set of them
        restored = window.restoreState(state, version);
    }
    window.layout()->activate();
    return restored;
}

} // namespace

QString layout_name(Layout layout) {
    switch (layout) {
    case Layout::create:
        return QStringLiteral("create");
    case Layout::compare:
        return QStringLiteral("compare");
    case Layout::tune:
        return QStringLiteral("tune");
    }
    return {};
}

std::optional<Layout> layout_from_name(const QString& name) {
    for (const Layout each : {Layout::create, Layout::compare, Layout::tune})
        if (name == layout_name(each)) return each;
    return std::nullopt;
}

int side_width(int window, Qt::DockWidgetArea side) {
    const int wide = std::clamp(window / 5, 272, 360);
    return side == Qt::RightDockWidgetArea ? std::min(wide, window * 7 / 25) : wide;
}

Layouts::Layouts(QMainWindow& window, app::Settings& settings, std::function<void(Layout)> arrange,
                 std::function<QWidget*(Layout)> middle, QObject* parent)
    : QObject(parent), window_(window), settings_(settings), arrange_(std::move(arrange)), middle_(std::move(middle)) {}

QString Layouts::key(Layout layout) const { return QStringLiteral("window/%1/docks").arg(layout_name(layout)); }

void Layouts::place(Layout layout) {
    const QScopedValueRollback placing(placing_, true);
    current_ = layout;
    const QSize size = window_.size();
    const QByteArray state = settings_.value(key(layout)).toByteArray();
    arrange_(layout);
    const bool own = !state.isEmpty() && restore(window_, state, state_version);
    if (own) {
        const QVariantMap before = settings_.value(key(layout) + sizes).toMap();
        fit_docks(before);
        fit_heights(window_, before);
        fit_widths(window_, before);
    } else if (!state.isEmpty())
        arrange_(layout);
    as_placed_.insert(layout);
    keep_size(size);
    emit shown(layout);
}

/// Restores the window's size: docks that are added one by one may need more height than in the end, which makes the
/// window grow.
void Layouts::keep_size(const QSize& size) {
    if (!window_.isVisible()) return;
    window_.layout()->activate();
    window_.resize(size);
}

void Layouts::begin(Layout layout) { place(layout); }

void Layouts::show(Layout layout) {
    if (layout == current_) return;
    remember();
    QWidget* const here = window_.focusWidget();
    focus_[current_] = here;
    place(layout);
    const auto shows = [](const QWidget* widget) { return widget && widget->isVisible(); };
    QWidget* next = focus_[layout];
    if (!shows(next)) next = here;
    if (!shows(next)) next = middle_(layout);
    if (next) next->setFocus(Qt::OtherFocusReason);
}

void Layouts::focus_middle() {
    if (QWidget* middle = middle_(current_)) middle->setFocus(Qt::OtherFocusReason);
}

void Layouts::reset_for_picture() {
    const QSize size = window_.size();
    arrange_(current_);
    keep_size(size);
    emit shown(current_);
}

void Layouts::reset_current() {
    for (const QString& stored : {key(current_), key(current_) + sizes}) settings_.set_value(stored, {});
    place(current_);
}

void Layouts::touch() {
    if (!placing_) as_placed_.erase(current_);
}

void Layouts::on_its_own(const std::function<void()>& open) {
    const QScopedValueRollback placing(placing_, true);
    open();
}

void Layouts::remember() {
    if (as_placed_.contains(current_)) return;
    settings_.set_value(key(current_), window_.saveState(state_version));
    QVariantMap all{{whole, window_.height()}, {whole + width, window_.width()}};
    for (const Qt::DockWidgetArea area : {Qt::LeftDockWidgetArea, Qt::RightDockWidgetArea, Qt::BottomDockWidgetArea})
        for (const QDockWidget* dock : docks_in(window_, area)) {
            all.insert(dock->objectName(), dock->height());
            all.insert(dock->objectName() + width, dock->width());
        }
    settings_.set_value(key(current_) + sizes, all);
}

/// In a window of another height Qt would give all of the difference to the first dock of a column. Gives it to the
/// tallest one instead, as the others are as high as their content.
void Layouts::fit_docks(const QVariantMap& before) {
    const int height = before.value(whole).toInt();
    if (height <= 0 || height == window_.height()) return;
    for (const Qt::DockWidgetArea area : {Qt::LeftDockWidgetArea, Qt::RightDockWidgetArea}) {
        QList<QDockWidget*> docks;
        QList<int> heights;
        for (QDockWidget* dock : docks_in(window_, area)) {
            const int was = before.value(dock->objectName()).toInt();
            if (was <= 0) continue;
            docks << dock;
            heights << was;
        }
        if (heights.isEmpty()) continue;
        int& tallest = *std::max_element(heights.begin(), heights.end());
        tallest = std::max(1, tallest + window_.height() - height);
        window_.resizeDocks(docks, heights, Qt::Vertical);
    }
}

} // namespace denoir::ui
