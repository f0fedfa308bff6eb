// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/docks.h"

#include <QAction>
#include <QMainWindow>
#include <QMenu>
#include <QTabBar>

#include <algorithm>

#include "ui/actions/action_table.h"
#include "ui/widgets/dock.h"
#include "ui/window/held_layout.h"

namespace denoir::ui {
namespace {

constexpr int steps_height = 150, metrics_height = 140; ///< one row of pictures, two curves

} // namespace

Docks::Docks(QMainWindow& window) : QObject(&window), window_(window), heights_(window) {}

void Docks::add(const char* id, const QString& title, QWidget* content) {
    all_ << new Dock(QLatin1String(id), title, content, &window_);
    heights_.watch(*all_.constLast());
    connect(all_.constLast(), &Dock::closed_with_focus, this, &Docks::closed_with_focus);
}

Dock& Docks::at(const char* id) const {
    const auto found = std::find_if(all_.begin(), all_.end(),
                                    [id](const Dock* dock) { return dock->objectName() == QLatin1String(id); });
    Q_ASSERT(found != all_.end());
    return **found;
}

void Docks::reveal(const char* id, double share) {
    Dock& dock = at(id);
    dock.show();
    dock.raise();
    const int least = int(window_.height() * share);
    if (dock.height() < least && !dock.isFloating()) resize({{id, least}}, Qt::Vertical);
}

void Docks::fill_menu(QMenu& menu, ActionTable& actions) {
    for (const Dock* dock : std::as_const(all_)) {
        QAction* toggle = dock->toggleViewAction();
        menu.addAction(toggle);
        auto* entry = actions.add(QStringLiteral("dock.") + dock->objectName(), tr("View"),
                                  tr("Dock: %1").arg(dock->windowTitle()), {}, QStringLiteral("layout"));
        entry->setCheckable(true);
        connect(entry, &QAction::triggered, toggle, &QAction::trigger);
        connect(toggle, &QAction::toggled, entry, &QAction::setChecked);
    }
}

void Docks::arrange(Layout layout) {
    heights_.forget();
    for (Dock* dock : std::as_const(all_)) {
        dock->setFloating(false);
        window_.removeDockWidget(dock);
    }
    switch (layout) {
    case Layout::create:
        arrange_create();
        break;
    case Layout::compare:
        arrange_compare();
        break;
    case Layout::tune:
        arrange_tune();
        break;
    }
}

void Docks::tidy_tabs() {
    for (auto* tabs : window_.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
        tabs->setDrawBase(false);
        if (tabs->count() < 2) tabs->hide();
    }
}

void Docks::arrange_create() {
    put(Qt::LeftDockWidgetArea, {"prompt-dock", "images-dock", "parameters-dock"});
    put(Qt::BottomDockWidgetArea, {"steps-dock", "timeline-dock"});
    put(Qt::RightDockWidgetArea, {"runs-dock", "queue-dock", "models-dock"});
    tabify("queue-dock", "models-dock");
    at("queue-dock").raise();
    const int height = window_.height();
    if (height < 640) { // one below the other, the two would leave a quarter of it to the picture
        tabify("steps-dock", "timeline-dock");
        at("steps-dock").raise();
    }
    keep(Qt::LeftDockWidgetArea, {"differences-dock"});
    keep_rest();
    resize({{"prompt-dock", side()}, {"runs-dock", side(Qt::RightDockWidgetArea)}}, Qt::Horizontal);
    resize_request();
    resize({{"runs-dock", height * 3 / 5}, {"queue-dock", height * 2 / 5}}, Qt::Vertical);
    resize({{"steps-dock", steps_height}, {"timeline-dock", 110}}, Qt::Vertical);
}

/// Divides the column in which a request is written: most of it is for the parameters.
void Docks::resize_request() {
    const int height = window_.height();
    resize({{"prompt-dock", height / 5}, {"images-dock", height / 6}, {"parameters-dock", height * 3 / 5}},
           Qt::Vertical);
}

void Docks::arrange_compare() {
    put(Qt::LeftDockWidgetArea, {"runs-dock", "differences-dock"});
    put(Qt::BottomDockWidgetArea, {"metrics-dock", "layers-dock", "steps-dock"});
    tabify("metrics-dock", "layers-dock");
    const int height = window_.height();
    const bool low = height < 800; // one below the other, the two would leave a third of it to the picture
    if (low) tabify("layers-dock", "steps-dock");
    at("metrics-dock").raise();
    keep(Qt::RightDockWidgetArea, {"queue-dock", "prompt-dock", "images-dock", "parameters-dock", "models-dock"});
    keep_rest();
    resize({{"runs-dock", side()}}, Qt::Horizontal);
    resize({{"runs-dock", height / 2}, {"differences-dock", height / 3}}, Qt::Vertical);
    if (low)
        resize({{"metrics-dock", metrics_height}}, Qt::Vertical);
    else
        resize({{"metrics-dock", metrics_height}, {"steps-dock", steps_height}}, Qt::Vertical);
}

void Docks::arrange_tune() {
    put(Qt::LeftDockWidgetArea, {"prompt-dock", "images-dock", "parameters-dock"});
    put(Qt::BottomDockWidgetArea, {"sweep-dock"});
    const int height = window_.height(), beside = window_.width() - side();
    const bool narrow = beside < 640; // beside each other, neither would have room for its columns and words
    if (narrow)
        tabify("sweep-dock", "queue-dock");
    else
        window_.splitDockWidget(&at("sweep-dock"), &at("queue-dock"), Qt::Horizontal);
    at("queue-dock").show();
    at("sweep-dock").raise();
    keep(Qt::RightDockWidgetArea, {"runs-dock", "models-dock", "differences-dock"});
    keep_rest();
    resize({{"prompt-dock", side()}}, Qt::Horizontal);
    resize_request();
    const int queue = std::max(beside * 23 / 100, 232); // wide enough for the text of an empty queue
    resize({{"sweep-dock", std::max(height / 5, 152)}}, Qt::Vertical);
    if (!narrow) resize({{"sweep-dock", beside - queue}, {"queue-dock", queue}}, Qt::Horizontal);
}

int Docks::side(Qt::DockWidgetArea side) const { return side_width(window_.width(), side); }

void Docks::put(Qt::DockWidgetArea area, Ids ids) {
    for (const char* id : ids) {
        window_.addDockWidget(area, &at(id), Qt::Vertical);
        at(id).show();
    }
}

void Docks::tabify(const char* front, const char* behind) {
    window_.layout()->activate(); // so that tab bars that are no longer needed can be used again
    const HeldLayout held(window_);
    window_.tabifyDockWidget(&at(front), &at(behind));
}

void Docks::keep(Qt::DockWidgetArea area, Ids ids) {
    for (const char* id : ids) keep(area, at(id));
}

void Docks::keep_rest() {
    for (Dock* dock : std::as_const(all_))
        if (window_.dockWidgetArea(dock) == Qt::NoDockWidgetArea) keep(Qt::BottomDockWidgetArea, *dock);
}

void Docks::keep(Qt::DockWidgetArea area, Dock& dock) {
    window_.addDockWidget(area, &dock, Qt::Vertical);
    dock.hide();
}

void Docks::resize(std::initializer_list<std::pair<const char*, int>> sizes, Qt::Orientation along) {
    QList<QDockWidget*> docks;
    QList<int> pixels;
    for (const auto& [id, size] : sizes) {
        docks << &at(id);
        pixels << size;
    }
    window_.resizeDocks(docks, pixels, along);
}

} // namespace denoir::ui
