// SPDX-License-Identifier: Apache-2.0
// Whether everything has its room, in windows of all sizes and each of the layouts.
#include <QDockWidget>
#include <QLabel>
#include <QMenuBar>
#include <QScopeGuard>
#include <QScrollArea>
#include <QTabBar>
#include <QToolButton>

#include "app/base/text.h"
#include "app/sweep/sweep_document.h"
#include "tests/app/fake_runs.h"
#include "tests/ui/window/window_main.h"
#include "tests/ui/window/window_tools.h"
#include "ui/docks/runs_panel.h"
#include "ui/preview/preview_view.h"
#include "ui/window/layouts.h"
#include "ui/window/opener.h"
#include "ui/window/translation.h"

using namespace denoir;
using namespace denoir::ui;

class WindowLayoutsTest : public QObject {
    Q_OBJECT
private slots:
    /// A narrow window's menu bar leaves menus out, so the button that opens them must be visible and have a name.
    void further_menus_are_found_in_a_narrow_window() {
        const app::Home home;
        StudioFixture studio;
        QMenuBar& bar = *studio.window().menuBar();
        bar.addMenu(QStringLiteral("As long as it may be in another language or font"));
        studio.window().resize(studio.window().minimumSizeHint());
        auto* further = bar.findChild<QToolButton*>("qt_menubar_ext_button");
        QVERIFY(further);
        QTRY_VERIFY(further->isVisible());
        QVERIFY(!further->accessibleName().isEmpty() && !further->toolTip().isEmpty());
        for (const auto scheme : {Scheme::dark, Scheme::light}) {
            studio.theme().set_scheme(scheme);
            const QImage picture = bar.grab(further->geometry()).toImage();
            const int around = qGray(picture.pixel(0, 0));
            int drawn = 0;
            for (int y = 0; y < picture.height(); ++y)
                for (int x = 0; x < picture.width(); ++x) drawn += std::abs(qGray(picture.pixel(x, y)) - around) > 100;
            QVERIFY2(drawn >= 9, qPrintable(QString::number(drawn)));
        }
    }

    /// Nothing by which runs differ may be cut off. If a seed of ten digits leaves no room beside it, the row has
    /// another line below its title; whatever still does not fit is in the tooltip.
    void rows_of_runs_have_one_height() {
        const app::Home home;
        QDir().mkpath(home.data("runs"));
        app::fake_run(app::to_path(home.data("runs")), 1234567890, false);
        StudioFixture studio;
        auto* list = studio.find<RunsView>("runs");
        QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 1, 30000);
        const QModelIndex first = list->model()->index(0, 0);
        QVERIFY(first.data(Qt::ToolTipRole).toString().contains("CFG 5"));
        const auto height = [&] { return list->visualRect(first).height(); };
        auto* dock = studio.find<QDockWidget>("runs-dock");
        studio.window().resizeDocks({dock}, {520}, Qt::Horizontal);
        QTRY_VERIFY_WITH_TIMEOUT(list->width() > 500, 5000);
        const int wide = height();
        studio.picture("runs-wide");
        studio.window().resizeDocks({dock}, {250}, Qt::Horizontal);
        QTRY_VERIFY_WITH_TIMEOUT(list->width() < 300, 5000);
        QTest::qWait(50);
        QCOMPARE(height(), wide);
        studio.picture("runs-narrow");
        const QFontMetrics metrics = list->fontMetrics();
        const QString all = RunDelegate::details(first, metrics, 10000).join(' ');
        QVERIFY2(all.contains(" f") && all.contains("CFG 5"), qPrintable(all));
        const auto words = [](const QString& text) { return QString(text).remove(QStringLiteral(" ·")).remove(' '); };
        bool brief = false;
        // This is the width in a list of 300 pixels, without its picture and margins.
        for (int width = 187; width > 40 && !brief; --width) {
            const QStringList lines = RunDelegate::details(first, metrics, width);
            QVERIFY(lines.size() <= 3);
            // Size and frames become one word before anything is left out.
            brief = lines.join(' ').contains(QStringLiteral("48×32×5"));
            if (brief)
                QVERIFY2(lines.constLast().contains(" s"), qPrintable(lines.join('|')));
            else
                QCOMPARE(words(lines.join(' ')), words(all));
        }
        QVERIFY(brief);
    }

    /// Also in a layout that comes back as it was left.
    void tabs_of_a_stored_layout_name_their_docks_once() {
        const app::Home home;
        for (int session = 0; session < 2; ++session) {
            StudioFixture studio(Layout::create, Scheme::dark, {1590, 950});
            settle_docks();
            studio.key(Qt::Key_2, Qt::ControlModifier);
            settle_docks();
            auto* metrics = studio.find<QDockWidget>("metrics-dock");
            QVERIFY(metrics->widget()->isVisible());
            const auto* title = metrics->titleBarWidget()->findChild<QLabel*>();
            QVERIFY2(!title->isVisible(), qPrintable(QString::number(session)));
            studio.window().resizeDocks({metrics}, {metrics->height() + 30}, Qt::Vertical); // now it is stored
            settle_docks();
        }
    }

    /// Of an unreadable run only the reason is known, which gets all the lines that other rows have.
    void a_reason_takes_the_lines_that_there_are() {
        const app::Home home;
        const QString run = home.data("runs/broken");
        QDir().mkpath(run);
        QFile record(run + "/run.json");
        QVERIFY(record.open(QIODevice::WriteOnly) && record.write("{\"schema\": 1, \"req") > 0);
        record.close();
        StudioFixture studio;
        auto* list = studio.find<RunsView>("runs");
        QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 1, 30000);
        const QModelIndex first = list->model()->index(0, 0);
        const QFontMetrics metrics = list->fontMetrics();
        const QString all = RunDelegate::details(first, metrics, 10000).join(' ');
        QVERIFY2(all.startsWith("unreadable: ") && all.count(' ') > 4, qPrintable(all));
        const QStringList narrow = RunDelegate::details(first, metrics, 160);
        QCOMPARE(narrow.size(), 3);
        QCOMPARE(narrow.join(' '), all);
        for (const QString& line : narrow.first(2)) QVERIFY2(metrics.horizontalAdvance(line) <= 160, qPrintable(line));
    }

    /// The tab says the name of the dock, so the dock itself does not repeat it.
    void tabs_name_their_docks_once() {
        const app::Home home;
        StudioFixture studio;
        const auto title = [&](const char* dock) {
            return studio.find<QDockWidget>(dock)->titleBarWidget()->findChild<QLabel*>();
        };
        QVERIFY(title("prompt-dock")->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(!title("queue-dock")->isVisible(), 30000);
        auto* models = studio.find<QDockWidget>("models-dock");
        models->hide();
        QTRY_VERIFY_WITH_TIMEOUT(title("queue-dock")->isVisible(), 30000);
        models->show();
        models->raise();
        QTRY_VERIFY_WITH_TIMEOUT(!title("models-dock")->isVisible(), 30000);
        models->setFloating(true);
        QTRY_VERIFY_WITH_TIMEOUT(title("models-dock")->isVisible(), 30000);
        // It comes from behind the other dock's tab with its content.
        models->setFloating(false);
        studio.find<QDockWidget>("queue-dock")->raise();
        settle_docks();
        QVERIFY(!models->widget()->isVisible());
        models->setFloating(true);
        settle_docks();
        QVERIFY(models->widget()->isVisible());
    }

    /// The picture gets back the room that a dock took. An edge that the user moved meanwhile stays.
    void a_closed_dock_leaves_its_room_to_the_picture() {
        const app::Home home;
        StudioFixture studio(Layout::create, Scheme::dark, {1366, 768});
        auto* log = studio.find<QDockWidget>("log-dock");
        const auto* steps = studio.find<QDockWidget>("steps-dock");
        const auto height = [&] { return studio.window().preview().height(); };
        settle_docks();
        const int before = height(), steps_before = steps->height();
        studio.find<QAction>("help.log")->trigger();
        settle_docks();
        QVERIFY(height() < before);
        QVERIFY(log->isAncestorOf(studio.window().focusWidget()));
        log->close();
        // It must not be the search of runs, which is the next widget.
        QVERIFY(studio.window().focusWidget() == &studio.window().preview());
        QTRY_COMPARE_WITH_TIMEOUT(height(), before, 5000);
        QCOMPARE(steps->height(), steps_before);
        studio.find<QAction>("help.log")->trigger();
        settle_docks();
        studio.window().resizeDocks({log}, {log->height() + 40}, Qt::Vertical);
        settle_docks();
        const int moved = steps->height();
        log->close();
        QTRY_VERIFY_WITH_TIMEOUT(height() > before - 60, 5000);
        QCOMPARE(steps->height(), moved);
    }

    /// Also if it grew by itself after it was opened.
    void a_dock_that_grew_leaves_its_room_too() {
        const app::Home home;
        StudioFixture studio(Layout::create, Scheme::dark, {1366, 900});
        auto* log = studio.find<QDockWidget>("log-dock");
        auto* steps = studio.find<QDockWidget>("steps-dock");
        studio.window().resizeDocks({steps}, {360}, Qt::Vertical);
        settle_docks();
        const int before = studio.window().preview().height(), steps_before = steps->height();
        log->show();
        settle_docks();
        const int came = log->height();
        log->widget()->setMinimumHeight(came + 80);
        settle_docks();
        QVERIFY(log->height() > came && steps->height() < steps_before);
        log->close();
        settle_docks();
        QCOMPARE(steps->height(), steps_before);
        QCOMPARE(studio.window().preview().height(), before);
    }

    /// In whatever order they were opened.
    void docks_closed_in_one_moment_leave_their_room() {
        const app::Home home;
        StudioFixture studio(Layout::create, Scheme::dark, {1366, 900});
        auto* steps = studio.find<QDockWidget>("steps-dock");
        studio.window().resizeDocks({steps}, {360}, Qt::Vertical);
        settle_docks();
        const int before = studio.window().preview().height(), steps_before = steps->height();
        QList<QDockWidget*> docks{studio.find<QDockWidget>("log-dock"), studio.find<QDockWidget>("metrics-dock")};
        for (int turn = 0; turn < 2; ++turn) {
            for (QDockWidget* dock : docks) {
                dock->show();
                settle_docks();
            }
            QVERIFY(steps->height() < steps_before);
            for (QDockWidget* dock : docks) dock->close();
            settle_docks();
            QCOMPARE(steps->height(), steps_before);
            QCOMPARE(studio.window().preview().height(), before);
            docks.swapItemsAt(0, 1);
        }
    }

    /// Qt draws a line beside the tabs of docks that come back.
    void no_line_stands_beside_tabs() {
        const app::Home home;
        StudioFixture studio;
        studio.key(Qt::Key_2, Qt::ControlModifier);
        studio.key(Qt::Key_1, Qt::ControlModifier);
        const auto lines = [&] {
            const auto bars = studio.window().findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly);
            return std::any_of(bars.begin(), bars.end(), [](const QTabBar* bar) { return bar->drawBase(); });
        };
        QTRY_VERIFY_WITH_TIMEOUT(!lines(), 5000);
    }

    void a_dock_that_floats_stays_where_it_was_moved() {
        const app::Home home;
        for (const QPoint& at : {QPoint(40, 50), QPoint(90, 60), QPoint()}) {
            StudioFixture studio(Layout::create, Scheme::dark, {1280, 800});
            auto* dock = studio.find<QDockWidget>("runs-dock");
            if (at == QPoint(40, 50)) dock->setFloating(true);
            settle_docks();
            QVERIFY(dock->isFloating());
            if (at.isNull()) QCOMPARE(dock->pos(), QPoint(90, 60));
            dock->move(at);
            settle_docks();
            studio.window().close();
        }
    }

    /// A section that was opened in it and closed again must leave no room behind.
    void a_dock_that_had_to_grow_shrinks_again() {
        const app::Home home;
        StudioFixture studio(Layout::create, Scheme::dark, {1280, 800});
        const QList<QDockWidget*> docks{studio.find<QDockWidget>("prompt-dock"),
                                        studio.find<QDockWidget>("images-dock"),
                                        studio.find<QDockWidget>("parameters-dock")};
        const auto heights = [&] {
            QList<int> all;
            for (const QDockWidget* dock : docks) all << dock->height();
            return all;
        };
        studio.window().resizeDocks({docks[0]}, {docks[0]->minimumSizeHint().height()}, Qt::Vertical);
        settle_docks();
        const QList<int> before = heights();
        auto* toggle = studio.find<QToolButton>("negative-toggle");
        toggle->click();
        QTRY_VERIFY(docks[0]->height() > before[0]);
        settle_docks();
        toggle->click();
        QTRY_COMPARE(heights(), before);
        // Unless the user has moved an edge meanwhile.
        toggle->click();
        QTRY_VERIFY(docks[0]->height() > before[0]);
        settle_docks();
        const int grown = docks[0]->height();
        studio.window().resizeDocks({docks[0]}, {grown + 20}, Qt::Vertical);
        settle_docks();
        const int wanted = docks[0]->height();
        QVERIFY(wanted > grown);
        toggle->click();
        settle_docks();
        QCOMPARE(docks[0]->height(), wanted);
    }

    /// Also in front of other docks.
    void a_dock_among_tabs_shrinks_again() {
        const app::Home home;
        StudioFixture studio(Layout::create, Scheme::dark, {1280, 800});
        auto* prompt = studio.find<QDockWidget>("prompt-dock");
        studio.window().tabifyDockWidget(prompt, studio.find<QDockWidget>("images-dock"));
        prompt->raise();
        studio.window().resizeDocks({prompt}, {1}, Qt::Vertical);
        settle_docks();
        const int before = prompt->height();
        auto* toggle = studio.find<QToolButton>("negative-toggle");
        toggle->click();
        QTRY_VERIFY(prompt->height() > before);
        settle_docks();
        toggle->click();
        QTRY_COMPARE(prompt->height(), before);
    }

    /// A session that is killed must not forget where everything was.
    void the_place_of_the_window_is_stored_meanwhile() {
        const app::Home home;
        StudioFixture studio;
        auto& settings = studio.core().settings;
        const auto stored = [&] {
            return std::pair{settings.value("window/geometry").toByteArray(),
                             settings.value("window/create/docks").toByteArray()};
        };
        studio.window().resize(1200, 760);
        studio.find<QDockWidget>("queue-dock")->hide();
        QTRY_VERIFY(!stored().first.isEmpty() && !stored().second.isEmpty());
        const auto before = stored();
        studio.find<QDockWidget>("runs-dock")->hide();
        QTRY_VERIFY(stored().second != before.second);
        studio.window().resize(1180, 740);
        QTRY_VERIFY(stored().first != before.first);
    }

    /// A layout that was reset is not the user's own arrangement. It must not be stored, because a newer version or
    /// another window may arrange it differently.
    void a_layout_that_was_reset_is_not_stored_as_arranged() {
        const app::Home home;
        StudioFixture studio;
        auto& settings = studio.core().settings;
        const auto stored = [&] { return settings.value("window/create/docks").toByteArray(); };
        auto* runs = studio.find<QDockWidget>("runs-dock");
        runs->hide();
        QTRY_VERIFY(!stored().isEmpty());
        studio.find<QAction>("view.reset-layout")->trigger();
        QVERIFY(runs->isVisible() && stored().isEmpty());
        const QByteArray geometry = settings.value("window/geometry").toByteArray();
        studio.window().resize(1200, 760);
        // Only the size of the window is stored.
        QTRY_VERIFY(settings.value("window/geometry").toByteArray() != geometry);
        studio.window().layouts().show(Layout::compare);
        studio.window().layouts().show(Layout::create);
        QVERIFY(stored().isEmpty());
        runs->hide();
        QTRY_VERIFY(!stored().isEmpty());
    }

    /// Docks that the program opens, or hides with the whole window, are not the user's arrangement either, also in the
    /// next session.
    void docks_that_nobody_moved_are_not_stored_as_arranged() {
        const app::Home home;
        const auto stored = [](StudioFixture& studio, const char* layout) {
            return !studio.core().settings.value(QStringLiteral("window/%1/docks").arg(layout)).toByteArray().isEmpty();
        };
        {
            StudioFixture studio;
            studio.find<QDockWidget>("runs-dock")->hide();
            studio.window().layouts().remember();
            QVERIFY(stored(studio, "create"));
            studio.find<QAction>("view.reset-layout")->trigger();
            studio.window().close();
        }
        StudioFixture studio;
        for (const Layout layout : {Layout::compare, Layout::tune, Layout::create}) {
            studio.window().layouts().show(layout);
            studio.window().setWindowState(Qt::WindowMinimized);
            settle_docks();
            studio.window().setWindowState(Qt::WindowNoState);
            settle_docks();
            QTRY_VERIFY(studio.find<QDockWidget>("queue-dock")->isVisible() == (layout != Layout::compare));
        }
        auto& window = studio.window();
        auto* models = studio.find<QDockWidget>("models-dock");
        emit window.findChild<Opener*>()->models_chosen(home.path()); // as if it was dropped on the window
        settle_docks();
        QVERIFY(models->widget()->isVisible());
        window.layouts().remember();
        for (const char* layout : {"create", "compare", "tune"}) QVERIFY2(!stored(studio, layout), layout);
        studio.find<QDockWidget>("queue-dock")->raise(); // as if the user pressed its tab
        window.layouts().remember();
        QVERIFY(stored(studio, "create"));
    }

    void axes_stand_below_each_other() {
        const app::Home home;
        StudioFixture studio(Layout::tune, Scheme::dark, {1024, 720});
        load_tiny(studio);
        studio.core().sweeps().axes().set_all({{"steps", "1, 2"}, {"guidance", "1, 2"}}, {});
        QTest::qWait(50);
        const auto box = [&](const char* name) {
            auto* field = studio.find<QWidget>(name);
            return QPoint(field->mapTo(&studio.window(), QPoint(0, 0)));
        };
        QVERIFY(box("axis-0-field").y() < box("axis-1-field").y());
        QCOMPARE(box("axis-0-field").x(), box("axis-1-field").x());
    }

    void a_floating_dock_can_be_told() {
        const app::Home home;
        StudioFixture studio;
        auto* dock = studio.find<QDockWidget>("runs-dock");
        const auto button = [&] { return dock->titleBarWidget()->findChild<QToolButton*>(QStringLiteral("float")); };
        QVERIFY(button()->toolTip().startsWith("Undock") && !button()->isVisible());
        dock->setFloating(true);
        QTRY_VERIFY(button()->toolTip().startsWith("Dock") && button()->isVisible());
        // In either theme its title bar has another colour than a dock's.
        const auto strip = [&] { return dock->titleBarWidget()->grab().toImage().pixelColor(2, 2); };
        QCOMPARE(strip(), dark_colours().raised);
        studio.theme().set_scheme(Scheme::light);
        QCOMPARE(strip(), light_colours().raised);
        button()->click();
        QTRY_VERIFY(!dock->isFloating() && button()->toolTip().startsWith("Undock") && !button()->isVisible());
        QCOMPARE(strip(), light_colours().panel);
    }

    void layouts_leave_the_window_its_size() {
        const app::Home home;
        StudioFixture studio(Layout::create, Scheme::dark, {1280, 720});
        load_tiny(studio);
        for (const int layout : {Qt::Key_2, Qt::Key_3, Qt::Key_1, Qt::Key_3, Qt::Key_2}) {
            studio.key(layout, Qt::ControlModifier);
            QTest::qWait(100);
            QCOMPARE(studio.window().size(), QSize(1280, 720));
        }
    }

    /// The steps of two runs need more room than other layouts have for them.
    void a_pair_leaves_a_small_window_its_size() {
        const app::Home home;
        const QString a = listed_run(home, "a", 3, 1), b = listed_run(home, "b", 3, 2);
        StudioFixture studio(Layout::create, Scheme::dark, {1024, 700});
        const auto* runs = studio.find<QDockWidget>("runs-dock");
        settle_docks();
        const int side = runs->width();
        studio.window().viewer().compare(a, b);
        QTRY_COMPARE_WITH_TIMEOUT(studio.window().viewer().run(app::Side::b), b, 30000);
        auto* steps = studio.find<QDockWidget>("steps-dock");
        steps->raise();
        settle_docks();
        QVERIFY(steps->minimumSizeHint().width() > 1024 - 2 * side);
        studio.key(Qt::Key_1, Qt::ControlModifier);
        QTest::qWait(50);
        QCOMPARE(studio.window().size(), QSize(1024, 700));
        QCOMPARE(runs->width(), side);
    }

    /// In a low window the picture is more important than the steps.
    void a_low_window_leaves_the_picture_its_room() {
        const app::Home home;
        for (const int height : {720, 800}) {
            StudioFixture studio(Layout::compare, Scheme::dark, {1280, height});
            const auto beside = studio.window().tabifiedDockWidgets(studio.find<QDockWidget>("metrics-dock"));
            QCOMPARE(beside.contains(studio.find<QDockWidget>("steps-dock")), height < 800);
            QTRY_VERIFY(studio.window().preview().height() > height * 2 / 5);
        }
    }

    /// However narrow its dock is, and however much was changed in it.
    void no_parameter_is_cut_at_its_end() {
        for (const char* language : {"en", "de"}) {
            const app::Home home;
            qputenv("DENOIR_LANGUAGE", language);
            const auto back = qScopeGuard([] { qputenv("DENOIR_LANGUAGE", "en"); });
            const Translation words(*qApp);
            StudioFixture studio(Layout::create, Scheme::dark, {1024, 700});
            load_tiny(studio);
            auto& document = studio.core().document;
            for (const char* key : {"steps", "guidance", "shift", "fps"}) document.set_value(QLatin1String(key), 3);
            document.set_value("frames", 9);
            document.set_value("seed", 1234567890);
            studio.find<QToolButton>("more")->click();
            auto* dock = studio.find<QDockWidget>("parameters-dock");
            const auto* scroll = dock->findChild<QScrollArea*>();
            studio.window().resizeDocks({dock}, {100}, Qt::Horizontal);
            settle_docks();
            QVERIFY2(scroll->widget()->width() <= scroll->viewport()->width(),
                     qPrintable(QStringLiteral("%1: %2 of %3")
                                    .arg(language)
                                    .arg(scroll->widget()->width())
                                    .arg(scroll->viewport()->width())));
        }
    }

    /// The text of an empty queue must be readable to its end in the smallest usual window.
    void an_empty_queue_is_read_beside_a_sweep() {
        const app::Home home;
        qputenv("DENOIR_LANGUAGE", "de");
        const auto back = qScopeGuard([] { qputenv("DENOIR_LANGUAGE", "en"); });
        const Translation german(*qApp);
        StudioFixture studio(Layout::tune, Scheme::dark, {1024, 700});
        settle_docks();
        for (const auto* label : studio.find<QDockWidget>("queue-dock")->findChildren<QLabel*>())
            if (label->isVisible() && label->wordWrap())
                QVERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(label->text()));
    }

    /// In no layout may the window grow by itself, however long the labels are.
    void a_small_window_stays_small() {
        const app::Home home;
        for (const Layout layout : {Layout::create, Layout::compare, Layout::tune}) {
            StudioFixture studio(layout, Scheme::dark, {800, 600});
            QTest::qWait(50);
            QCOMPARE(studio.window().size(), QSize(800, 600));
        }
        StudioFixture studio;
        auto* count = studio.find<ElidedLabel>("prompt-tokens");
        const int width = studio.find<QDockWidget>("prompt-dock")->minimumSizeHint().width();
        count->set_text(QStringLiteral("123456/512 · the end is cut away"));
        QTest::qWait(1);
        QCOMPARE(studio.find<QDockWidget>("prompt-dock")->minimumSizeHint().width(), width);
    }
};

int main(int argc, char** argv) { return run_window_test<WindowLayoutsTest>(argc, argv); }

#include "window_layouts_test.moc"
