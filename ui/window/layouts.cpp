// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/layouts.h"

#include <QMainWindow>

#include "app/settings.h"

namespace denoir::ui {

namespace {
constexpr int state_version = 2; // raised when docks change so that old states would misplace them
}

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

Layouts::Layouts(QMainWindow& window, app::Settings& settings, std::function<void(Layout)> arrange,
                 std::function<QWidget*(Layout)> middle, QObject* parent)
    : QObject(parent), window_(window), settings_(settings), arrange_(std::move(arrange)), middle_(std::move(middle)) {}

QString Layouts::key(Layout layout) const { return QStringLiteral("window/%1/docks").arg(layout_name(layout)); }

void Layouts::place(Layout layout) {
    current_ = layout;
    const QByteArray state = settings_.value(key(layout)).toByteArray();
    arrange_(layout);
    if (!state.isEmpty() && !window_.restoreState(state, state_version)) arrange_(layout);
    emit shown(layout);
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

void Layouts::reset_current() {
    settings_.set_value(key(current_), {});
    place(current_);
}

void Layouts::remember() { settings_.set_value(key(current_), window_.saveState(state_version)); }

} // namespace denoir::ui
