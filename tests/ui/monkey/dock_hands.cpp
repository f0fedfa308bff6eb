// SPDX-License-Identifier: Apache-2.0
// The window's docks in random hands, with nothing in them: floated, closed, tabbed, dragged, and put elsewhere by a
// change of layout. Qt must not lose its way in what that leaves. `ui_dock_hands SEED EVENTS`; what was done is
// printed, so that what preceded a crash can be read.
#include <QApplication>
#include <QDockWidget>
#include <QMainWindow>
#include <QPointer>
#include <QRandomGenerator>
#include <QTabBar>
#include <QTest>
#include <QTextEdit>

#include <algorithm>
#include <array>
#include <cstdio>

#include "app/base/settings.h"
#include "tests/app/home.h"
#include "ui/window/docks.h"
#include "ui/window/layouts.h"

namespace denoir::ui {
namespace {

class DockHands {
public:
    explicit DockHands(quint32 seed) : random_(seed) {
        window_.setDockOptions(QMainWindow::AnimatedDocks | QMainWindow::AllowNestedDocks |
                               QMainWindow::AllowTabbedDocks);
        window_.setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
        window_.setCentralWidget(new QTextEdit);
        window_.resize(1280, 800);
        for (const char* id :
             {"prompt-dock", "images-dock", "parameters-dock", "steps-dock", "timeline-dock", "runs-dock", "queue-dock",
              "models-dock", "differences-dock", "metrics-dock", "layers-dock", "sweep-dock", "log-dock"}) {
            auto* text = new QTextEdit;
            text->setMinimumSize(60, 30);
            docks_.add(id, QLatin1String(id), text);
        }
        for (const auto* dock : all())
            for (const auto signal : {&QDockWidget::topLevelChanged, &QDockWidget::visibilityChanged})
                QObject::connect(dock, signal, &layouts_, &Layouts::touch);
        QObject::connect(&layouts_, &Layouts::shown, &docks_, &Docks::tidy_tabs, Qt::QueuedConnection);
        layouts_.begin(Layout::create);
        window_.show();
    }

    void play(int events) {
        for (int i = 0; i < events; ++i) {
            once();
            for (int turn = 0; turn < 4; ++turn) QCoreApplication::processEvents();
        }
    }

private:
    int below(int n) { return int(random_.bounded(std::max(1, n))); }
    QPoint point_in(const QWidget& widget) { return {below(widget.width()), below(widget.height())}; }
    QList<QDockWidget*> all() const { return window_.findChildren<QDockWidget*>(); }
    QDockWidget& any_dock() {
        const auto docks = all();
        return *docks[below(int(docks.size()))];
    }
    QTabBar* any_tabs() {
        QList<QTabBar*> seen;
        for (auto* tabs : window_.findChildren<QTabBar*>())
            if (tabs->isVisible()) seen << tabs;
        return seen.isEmpty() ? nullptr : seen[below(int(seen.size()))];
    }
    static void tell(const char* what, const QString& of = {}) {
        std::printf("%s %s\n", what, qPrintable(of));
        std::fflush(stdout);
    }

    void once() {
        static constexpr std::array layouts{Layout::create, Layout::compare, Layout::tune};
        QDockWidget& dock = any_dock();
        const int kind = below(100);
        if (kind < 25) return press_tabs(kind < 15);
        if (kind < 35) {
            tell("float", dock.objectName());
            dock.setFloating(!dock.isFloating());
        } else if (kind < 45) {
            tell("close or open", dock.objectName());
            dock.toggleViewAction()->trigger();
        } else if (kind < 65) {
            const Layout layout = layouts[std::size_t(below(int(layouts.size())))];
            tell("show", layout_name(layout));
            layouts_.show(layout);
        } else if (kind < 68) {
            tell("reset");
            layouts_.reset_current();
        } else if (kind < 72) {
            tell("resize");
            window_.resize(900 + below(800), 600 + below(500));
        } else if (kind < 92) {
            QWidget* tabs = any_tabs();
            drag(tabs && below(2) ? *tabs : dock);
        } else {
            tell("wait");
            QTest::qWait(below(2) ? 20 : 300); // for docks that move by themselves
        }
    }

    void press_tabs(bool twice) {
        QTabBar* tabs = any_tabs();
        if (!tabs) return;
        tell(twice ? "double click tabs" : "click tabs");
        const QPoint at = tabs->mapTo(tabs->window(), point_in(*tabs));
        QWindow* window = tabs->window()->windowHandle();
        twice ? QTest::mouseDClick(window, Qt::LeftButton, {}, at) : QTest::mouseClick(window, Qt::LeftButton, {}, at);
    }

    void drag(QWidget& from) {
        if (!from.isVisible() || !from.window()->windowHandle()) return;
        tell("drag", from.objectName());
        const QWidget& window = *from.window();
        const QPoint inside(below(from.width()), qobject_cast<QTabBar*>(&from) ? below(from.height()) : 6);
        const QPoint a = from.mapTo(&window, inside), b = window.mapFromGlobal(window_.mapToGlobal(point_in(window_)));
        const QPointer<QWindow> handle = window.windowHandle();
        QTest::mousePress(handle, Qt::LeftButton, {}, a);
        for (int i = 1; i <= 4 && handle; ++i) {
            QTest::mouseMove(handle, a + (b - a) * i / 4);
            if (below(2)) QTest::qWait(5);
        }
        if (handle) QTest::mouseRelease(handle, Qt::LeftButton, {}, b);
    }

    QRandomGenerator random_;
    app::Settings settings_;
    QMainWindow window_;
    Docks docks_{window_};
    Layouts layouts_{window_, settings_, [this](Layout layout) { docks_.arrange(layout); },
                     [this](Layout) { return window_.centralWidget(); }};
};

} // namespace
} // namespace denoir::ui

int main(int argc, char** argv) {
    QApplication program(argc, argv);
    const denoir::app::Home home;
    const QStringList given = QCoreApplication::arguments();
    const auto number = [&](int i, int otherwise) { return given.size() > i ? given[i].toInt() : otherwise; };
    denoir::ui::DockHands(quint32(number(1, 6))).play(number(2, 800));
    std::printf("== done\n");
}
